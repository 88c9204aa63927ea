"""AddRaftVoter (80), versions 0 and 1: an observer becomes a voter (KIP-853; rule 10.51).

Version 1 permits a reply before the change is committed. Kafka 3.9 and 4.1 support version 0, Kafka
4.3 supports version 1.
"""

from ...core.rpc import AddRaftVoterRequest, AddRaftVoterResponse
from ..codec.schema import BOOL, INT16, INT32, STRING, UUID, Field, message
from .endpoints import VOTER_ENDPOINTS

VERSIONS = (0, 1)

REQUEST = message(
    "AddRaftVoterRequest",
    AddRaftVoterRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("timeout_ms", INT32),
    Field("voter_id", INT32),
    Field("voter_directory_id", UUID),
    Field("listeners", VOTER_ENDPOINTS),
    Field("ack_when_committed", BOOL, since=1),
)

RESPONSE = message(
    "AddRaftVoterResponse",
    AddRaftVoterResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)
