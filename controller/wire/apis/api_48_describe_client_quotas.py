"""DescribeClientQuotas (48), versions 0 and 1: the quotas of the entities that a filter selects."""

from ...core.rpc.quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    DescribedClientQuotas,
    QuotaFilterComponent,
    QuotaValue,
)
from ..codec.schema import (
    BOOL,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    STRING,
    Array,
    Field,
    Struct,
    message,
)
from .api_49_alter_client_quotas import ENTITY

VERSIONS = (0, 1)
FLEXIBLE_SINCE = 1

_COMPONENT = Struct(
    QuotaFilterComponent,
    (
        Field("entity_type", STRING),
        Field("match_type", INT8),
        Field("match", STRING, nullable_since=0),
    ),
)

REQUEST = message(
    "DescribeClientQuotasRequest",
    DescribeClientQuotasRequest,
    VERSIONS,
    Field("components", Array(_COMPONENT)),
    Field("strict", BOOL),
    flexible_since=FLEXIBLE_SINCE,
)

_VALUE = Struct(QuotaValue, (Field("key", STRING), Field("value", FLOAT64)))
_ENTRY = Struct(
    DescribedClientQuotas, (Field("entity", Array(ENTITY)), Field("values", Array(_VALUE)))
)

RESPONSE = message(
    "DescribeClientQuotasResponse",
    DescribeClientQuotasResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("entries", Array(_ENTRY), nullable_since=0),
    flexible_since=FLEXIBLE_SINCE,
)
