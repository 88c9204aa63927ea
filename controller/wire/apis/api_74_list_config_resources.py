"""ListConfigResources (74), versions 0 and 1: resources that have configurations.

Version 0 was ListClientMetricsResources and lists those only (KIP-1142).
"""

from ...core.rpc.configs import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
    ListedConfigResource,
)
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 1)

REQUEST = message(
    "ListConfigResourcesRequest",
    ListConfigResourcesRequest,
    VERSIONS,
    Field("resource_types", Array(INT8), since=1),
)

_RESOURCE = Struct(
    ListedConfigResource,
    (Field("resource_name", STRING), Field("resource_type", INT8, since=1)),
)

RESPONSE = message(
    "ListConfigResourcesResponse",
    ListConfigResourcesResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("config_resources", Array(_RESOURCE)),
)
