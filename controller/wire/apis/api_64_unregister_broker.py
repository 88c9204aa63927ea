"""UnregisterBroker (64), version 0: an operator removes a broker for good (rule 3.1)."""

from ...core.rpc import UnregisterBrokerRequest, UnregisterBrokerResponse
from ..codec.schema import INT16, INT32, STRING, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "UnregisterBrokerRequest", UnregisterBrokerRequest, VERSIONS, Field("broker_id", INT32)
)

RESPONSE = message(
    "UnregisterBrokerResponse",
    UnregisterBrokerResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)
