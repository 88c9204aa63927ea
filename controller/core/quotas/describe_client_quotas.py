"""DescribeClientQuotas (48) from an image of the metadata: a broker answers it."""

from collections.abc import Sequence
from dataclasses import replace

from .. import rpc
from ..errors import ApiError, ErrorCode
from ..hash_order import in_hash_order
from ..image.image import Image
from ..log.records import QuotaEntity
from ..refusals import answered
from .entities import CLIENT_ID, IP, TYPES, USER, invalid

EXACT, DEFAULT, SPECIFIED = range(3)
_MATCH_TYPES = {DEFAULT: "MATCH_TYPE_DEFAULT", SPECIFIED: "MATCH_TYPE_SPECIFIED"}


def describe_client_quotas(
    image: Image, request: rpc.DescribeClientQuotasRequest
) -> rpc.DescribeClientQuotasResponse:
    """Returns the quotas of matching entities; raises ApiError for a filter that Kafka refuses."""
    _check(request.components)
    return rpc.DescribeClientQuotasResponse(
        entries=tuple(
            _described(entity, quotas)
            for entity, quotas in image.client_quotas.items()
            if _matches(request, entity)
        )
    )


def respond(
    request: rpc.DescribeClientQuotasRequest, reply: rpc.Response | ApiError, _: int
) -> rpc.Response:
    """Returns the response: a refusal has null for its entries."""
    response = answered(request, reply)
    if isinstance(reply, ApiError) and isinstance(response, rpc.DescribeClientQuotasResponse):
        return replace(response, entries=None)
    return response


def _check(components: Sequence[rpc.QuotaFilterComponent]) -> None:
    kinds: set[str] = set()
    for component in components:
        kind = component.entity_type
        if not kind:
            raise invalid("Invalid empty entity type.")
        if kind in kinds:
            raise invalid(f"Entity type {kind} cannot appear more than once in the filter.")
        if kind not in TYPES:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}")
        _check_match(component)
        kinds.add(kind)
    if IP in kinds and kinds & {USER, CLIENT_ID}:
        raise invalid(
            "Invalid entity filter component combination. IP filter component should not be used "
            "with user or clientId filter component."
        )


def _check_match(component: rpc.QuotaFilterComponent) -> None:
    match_type, match = component.match_type, component.match
    if match_type == EXACT and match is None:
        raise invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.")
    if match_type in _MATCH_TYPES and match is not None:
        name = _MATCH_TYPES[match_type]
        raise invalid(f"Request specified {name}, but also specified a match string.")
    if match_type != EXACT and match_type not in _MATCH_TYPES:
        raise invalid(f"Unknown match type {match_type}")


def _matches(request: rpc.DescribeClientQuotasRequest, entity: tuple[QuotaEntity, ...]) -> bool:
    """True if every component names a part of the entity."""
    names = {part.entity_type: part.entity_name for part in entity}
    if request.strict and len(names) != len(request.components):
        return False
    return all(
        component.entity_type in names
        and (component.match_type == SPECIFIED or names[component.entity_type] == component.match)
        for component in request.components
    )


def _described(
    entity: tuple[QuotaEntity, ...], quotas: dict[str, float]
) -> rpc.DescribedClientQuotas:
    return rpc.DescribedClientQuotas(
        entity=tuple(
            rpc.QuotaEntityData(entity_type=part.entity_type, entity_name=part.entity_name)
            for part in entity
        ),
        values=tuple(rpc.QuotaValue(key=key, value=quotas[key]) for key in in_hash_order(quotas)),
    )
