"""ControllerRegistration (70), version 0: a controller's listeners and features.

Both are encoded as in BrokerRegistration (KIP-919; rule 5.61).
"""

from ...core.rpc import ControllerRegistrationRequest, ControllerRegistrationResponse
from ..codec.schema import BOOL, INT16, INT32, STRING, UUID, Field, message
from .api_62_broker_registration import FEATURES, LISTENERS

VERSIONS = (0, 0)

REQUEST = message(
    "ControllerRegistrationRequest",
    ControllerRegistrationRequest,
    VERSIONS,
    Field("controller_id", INT32),
    Field("incarnation_id", UUID),
    Field("zk_migration_ready", BOOL),
    Field("listeners", LISTENERS),
    Field("features", FEATURES),
)

RESPONSE = message(
    "ControllerRegistrationResponse",
    ControllerRegistrationResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)
