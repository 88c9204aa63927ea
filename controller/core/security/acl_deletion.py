"""DeleteAcls (31) on the active controller: each filter removes the entries that it selects.

An entry that several filters select is in the result of each, and is removed once.
"""

from .. import rpc
from ..errors import ApiError, ErrorCode
from ..log.records import AccessControlEntryRecord, RemoveAccessControlEntryRecord
from ..profile import Profile
from ..refusals import refused
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from ..uuid import Uuid
from .acl_creation import check_authorizer
from .acl_filters import selected
from .acl_kinds import PATTERN_TYPES, PERMISSION_TYPES, RESOURCE_TYPES, is_known, operations

_TOO_MANY = "Cannot remove more than 10000 acls in a single delete operation."


def delete_acls(state: State, request: rpc.DeleteAclsRequest, now_ms: int) -> Decision:
    """Decide a DeleteAcls request."""
    check_authorizer(state)
    results = tuple(_result(state, wanted) for wanted in request.filters)
    found: dict[Uuid, None] = {}
    for entry in (entry for _, entries in results for entry in entries):
        if len(found) == RECORDS_PER_OPERATION_MAX:  # as Kafka, although it may be removed already
            return Decision((), refused(request, ApiError(ErrorCode.INVALID_REQUEST, _TOO_MANY)))
        found[entry.id] = None
    records = tuple(RemoveAccessControlEntryRecord(id=entry_id) for entry_id in found)
    reply = rpc.DeleteAclsResponse(filter_results=tuple(result for result, _ in results))
    return Decision(records, reply, is_atomic=True)


def _refusal(error: ApiError) -> rpc.DeleteAclsFilterResult:
    return rpc.DeleteAclsFilterResult(error_code=error.code, error_message=error.message or None)


def _result(
    state: State, wanted: rpc.DeleteAclsFilter
) -> tuple[rpc.DeleteAclsFilterResult, tuple[AccessControlEntryRecord, ...]]:
    """Returns the result of a filter, and the entries that it selects."""
    text = _flaw(state.profile, wanted)
    if text is not None:
        return _refusal(ApiError(ErrorCode.INVALID_REQUEST, text)), ()
    entries = tuple(selected(state.image, wanted))
    return rpc.DeleteAclsFilterResult(matching_acls=tuple(map(_matching, entries))), entries


def _flaw(profile: Profile, wanted: rpc.DeleteAclsFilter) -> str | None:
    """Returns Kafka's message for a filter with an unknown number."""
    pattern = (
        (RESOURCE_TYPES, wanted.resource_type_filter),
        (PATTERN_TYPES, wanted.pattern_type_filter),
    )
    entry = ((operations(profile), wanted.operation), (PERMISSION_TYPES, wanted.permission_type))
    for what, numbers in (("patternFilter", pattern), ("entryFilter", entry)):
        if any(not is_known(names, number) for names, number in numbers):
            return f"Unknown {what}."
    return None


def _matching(entry: AccessControlEntryRecord) -> rpc.DeleteAclsMatchingAcl:
    return rpc.DeleteAclsMatchingAcl(
        resource_type=entry.resource_type,
        resource_name=entry.resource_name,
        pattern_type=entry.pattern_type,
        principal=entry.principal,
        host=entry.host,
        operation=entry.operation,
        permission_type=entry.permission_type,
    )
