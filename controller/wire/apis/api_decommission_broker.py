"""DecommissionBroker, of KIP-631's draft.

Kafka never shipped it and never numbered it, so it is encoded in JSON only, and is not in `APIS`.
"""

from ...core import apis
from ...core.rpc import DecommissionBrokerRequest, DecommissionBrokerResponse
from ..codec.schema import BOOL, INT16, INT32, STRING, Field, message
from .table import api_of

VERSIONS = (0, 0)

REQUEST = message(
    "DecommissionBrokerRequest",
    DecommissionBrokerRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("force", BOOL),
)

RESPONSE = message(
    "DecommissionBrokerResponse",
    DecommissionBrokerResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)

DECOMMISSION_BROKER = api_of(apis.DECOMMISSION_BROKER, REQUEST, RESPONSE)
