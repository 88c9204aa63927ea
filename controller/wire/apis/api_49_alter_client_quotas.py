"""AlterClientQuotas (49), versions 0 and 1: changes of the quotas of users, clients and IPs."""

from ...core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlterClientQuotasResult,
    QuotaEntityData,
    QuotaOperation,
)
from ..codec.schema import BOOL, FLOAT64, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 1)
FLEXIBLE_SINCE = 1

ENTITY = Struct(
    QuotaEntityData, (Field("entity_type", STRING), Field("entity_name", STRING, nullable_since=0))
)
_OPERATION = Struct(
    QuotaOperation, (Field("key", STRING), Field("value", FLOAT64), Field("remove", BOOL))
)
_ENTRY = Struct(
    AlterClientQuotasEntry, (Field("entity", Array(ENTITY)), Field("ops", Array(_OPERATION)))
)

REQUEST = message(
    "AlterClientQuotasRequest",
    AlterClientQuotasRequest,
    VERSIONS,
    Field("entries", Array(_ENTRY)),
    Field("validate_only", BOOL),
    flexible_since=FLEXIBLE_SINCE,
)

_RESULT = Struct(
    AlterClientQuotasResult,
    (
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
        Field("entity", Array(ENTITY)),
    ),
)

RESPONSE = message(
    "AlterClientQuotasResponse",
    AlterClientQuotasResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("entries", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
