"""BrokerHeartbeat (63), versions 0 to 2: a broker renews its lease (rules 2.1, 2.2).

Version 1 adds failed log directories, version 2 cordoned directories (KIP-1066). Few distinct
replies exist, so their encoded bodies are cached.
"""

from ...core.rpc import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from ..codec.schema import BOOL, INT16, INT32, INT64, UUID, Array, Field, message

VERSIONS = (0, 2)

REQUEST = message(
    "BrokerHeartbeatRequest",
    BrokerHeartbeatRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("broker_epoch", INT64),
    Field("current_metadata_offset", INT64),
    Field("want_fence", BOOL),
    Field("want_shut_down", BOOL),
    Field("offline_log_dirs", Array(UUID), since=1, tag=0, default=()),
    Field("cordoned_log_dirs", Array(UUID), since=2, nullable_since=2, tag=1),
)

RESPONSE = message(
    "BrokerHeartbeatResponse",
    BrokerHeartbeatResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("is_caught_up", BOOL),
    Field("is_fenced", BOOL),
    Field("should_shut_down", BOOL),
    is_cached=True,
)
