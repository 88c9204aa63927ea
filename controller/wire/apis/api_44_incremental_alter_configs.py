"""IncrementalAlterConfigs (44), versions 0 and 1: changes of configurations, one by one."""

from ...core.rpc.configs import (
    AlterableConfig,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from ..codec.schema import BOOL, INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 1)
FLEXIBLE_SINCE = 1

_CONFIG = Struct(
    AlterableConfig,
    (
        Field("name", STRING),
        Field("config_operation", INT8),
        Field("value", STRING, nullable_since=0),
    ),
)
_RESOURCE = Struct(
    IncrementalAlterConfigsResource,
    (
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("configs", Array(_CONFIG)),
    ),
)

REQUEST = message(
    "IncrementalAlterConfigsRequest",
    IncrementalAlterConfigsRequest,
    VERSIONS,
    Field("resources", Array(_RESOURCE)),
    Field("validate_only", BOOL),
    flexible_since=FLEXIBLE_SINCE,
)

RESULT = Struct(
    AlterConfigsResourceResponse,
    (
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
        Field("resource_type", INT8),
        Field("resource_name", STRING),
    ),
)

RESPONSE = message(
    "IncrementalAlterConfigsResponse",
    IncrementalAlterConfigsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("responses", Array(RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
