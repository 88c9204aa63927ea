"""Client quotas: DescribeClientQuotas (48) and AlterClientQuotas (49)."""

from ..value import value


@value
class QuotaEntityData:
    """One part of an entity; a name of None is the default entity of the type."""

    entity_type: str
    entity_name: str | None


@value
class QuotaOperation:
    """One change of a quota; `value` is ignored if the quota is removed."""

    key: str
    value: float
    remove: bool


@value
class AlterClientQuotasEntry:
    """The changes of one entity."""

    entity: tuple[QuotaEntityData, ...]
    ops: tuple[QuotaOperation, ...]


@value
class AlterClientQuotasRequest:
    """AlterClientQuotas (49)."""

    entries: tuple[AlterClientQuotasEntry, ...]
    validate_only: bool = False


@value
class AlterClientQuotasResult:
    """The result for one entity."""

    error_code: int = 0
    error_message: str | None = None
    entity: tuple[QuotaEntityData, ...]


@value
class AlterClientQuotasResponse:
    """The reply to an AlterClientQuotas request."""

    throttle_time_ms: int = 0
    entries: tuple[AlterClientQuotasResult, ...] = ()


@value
class QuotaFilterComponent:
    """A condition on one type of entity.

    `match_type` is 0 for the name `match`, 1 for the default entity and 2 for any entity.
    """

    entity_type: str
    match_type: int
    match: str | None


@value
class DescribeClientQuotasRequest:
    """DescribeClientQuotas (48).

    `strict` excludes entities with a type that no component names.
    """

    components: tuple[QuotaFilterComponent, ...]
    strict: bool = False


@value
class QuotaValue:
    """A quota with its value."""

    key: str
    value: float


@value
class DescribedClientQuotas:
    """The quotas of one entity."""

    entity: tuple[QuotaEntityData, ...]
    values: tuple[QuotaValue, ...]


@value
class DescribeClientQuotasResponse:
    """The reply to a DescribeClientQuotas request; a refusal has None for its entries."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    entries: tuple[DescribedClientQuotas, ...] | None = ()


QuotasRequest = AlterClientQuotasRequest | DescribeClientQuotasRequest
QuotasResponse = AlterClientQuotasResponse | DescribeClientQuotasResponse
