"""UnregisterController (94), version 0: an operator removes a controller's registration (4.4)."""

from ...core.rpc import UnregisterControllerRequest, UnregisterControllerResponse
from ..codec.schema import INT16, INT32, STRING, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "UnregisterControllerRequest",
    UnregisterControllerRequest,
    VERSIONS,
    Field("controller_id", INT32),
)

RESPONSE = message(
    "UnregisterControllerResponse",
    UnregisterControllerResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)
