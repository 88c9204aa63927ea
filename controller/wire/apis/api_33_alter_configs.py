"""AlterConfigs (33), versions 0 to 2: all configurations of a resource at once."""

from ...core.rpc.configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
    LegacyConfig,
)
from ..codec.schema import BOOL, INT8, INT32, STRING, Array, Field, Struct, message
from .api_44_incremental_alter_configs import RESULT
from .refused_requests import check_resources

VERSIONS = (0, 2)
FLEXIBLE_SINCE = 2

_CONFIG = Struct(
    LegacyConfig,
    (Field("name", STRING), Field("value", STRING, nullable_since=0)),
)
_RESOURCE = Struct(
    AlterConfigsResource,
    (
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("configs", Array(_CONFIG)),
    ),
)

REQUEST = message(
    "AlterConfigsRequest",
    AlterConfigsRequest,
    VERSIONS,
    Field("resources", Array(_RESOURCE)),
    Field("validate_only", BOOL),
    flexible_since=FLEXIBLE_SINCE,
    check=check_resources,
)
RESPONSE = message(
    "AlterConfigsResponse",
    AlterConfigsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("responses", Array(RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
