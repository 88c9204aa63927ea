"""AlterClientQuotas (49) on the active controller.

Each entity of a request succeeds or fails separately. All records are written in one batch.
"""

from collections.abc import Iterator

from ..errors import ApiError, ErrorCode
from ..hash_order import in_sized_hash_order
from ..log.records import ClientQuotaRecord
from ..refusals import refused
from ..rpc import Response
from ..rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlterClientQuotasResult,
)
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from . import entities, limits

Key = tuple[tuple[str, str | None], ...]
_GENERAL_TEXTS = {
    ErrorCode.NOT_CONTROLLER: "This is not the correct controller for this cluster.",
    ErrorCode.POLICY_VIOLATION: "Request parameters do not satisfy the configured policy.",
}


def alter_client_quotas(state: State, request: AlterClientQuotasRequest, now_ms: int) -> Decision:
    """Decide an AlterClientQuotas request; raises POLICY_VIOLATION for too many records."""
    results: dict[Key, AlterClientQuotasResult] = {}
    records: list[ClientQuotaRecord] = []
    for entry in request.entries:
        names = entities.names_of(entry.entity)
        key = tuple(sorted(names.items(), key=lambda part: part[0]))
        error = ApiError(ErrorCode.NONE, "")
        try:
            if key in results or _repeats_a_quota(entry):
                text = f"Ignoring duplicate entity {entities.text_of(names)}"
                raise ApiError(ErrorCode.INVALID_REQUEST, text)
            records += _altered(state, names, entry)
        except ApiError as refusal:
            error = refusal
        results[key] = _result(names, error)
    if len(records) > RECORDS_PER_OPERATION_MAX:
        text = "Unable to perform excessively large batch operation."
        raise ApiError(ErrorCode.POLICY_VIOLATION, text)
    reply = AlterClientQuotasResponse(entries=tuple(results.values()))
    return Decision(() if request.validate_only else tuple(records), reply, is_atomic=True)


def respond(request: AlterClientQuotasRequest, reply: Response | ApiError, _: int) -> Response:
    """Returns the response: a refusal has the general text of its code, as in Kafka."""
    if isinstance(reply, ApiError):
        text = _GENERAL_TEXTS.get(reply.code, reply.message)
        return refused(request, ApiError(reply.code, text))
    return reply


def _result(names: entities.Names, error: ApiError) -> AlterClientQuotasResult:
    return AlterClientQuotasResult(
        error_code=error.code, error_message=error.message or None, entity=entities.data_of(names)
    )


def _repeats_a_quota(entry: AlterClientQuotasEntry) -> bool:
    return len({operation.key for operation in entry.ops}) < len(entry.ops)


def _altered(
    state: State, names: entities.Names, entry: AlterClientQuotasEntry
) -> list[ClientQuotaRecord]:
    """Returns the records of one entity; raises ApiError if it is refused."""
    entities.check(names)
    values = {
        operation.key: None if operation.remove else operation.value for operation in entry.ops
    }
    in_order = {key: values[key] for key in in_sized_hash_order(values, len(entry.ops))}
    for key, value in in_order.items():
        if value is not None:
            limits.check(names, key, value, state.profile)
    return list(_changes(state, names, in_order))


def _changes(
    state: State, names: entities.Names, values: dict[str, float | None]
) -> Iterator[ClientQuotaRecord]:
    """Yields the records of what differs from the current quotas."""
    entity = entities.key_of(names)
    current = state.image.client_quotas.get(entity, {})
    for key, value in values.items():
        if value is None:
            if key in current:
                yield ClientQuotaRecord(entity=entity, key=key, value=0.0, remove=True)
        elif key not in current or not _is_same(value, current[key]):
            yield ClientQuotaRecord(entity=entity, key=key, value=value, remove=False)


def _is_same(value: float, current: float) -> bool:
    """True for equal values, and for two that are no numbers (Double.equals)."""
    return value == current or (value != value and current != current)
