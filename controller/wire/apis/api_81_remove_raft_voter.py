"""RemoveRaftVoter (81), version 0: a voter leaves the quorum (KIP-853; rule 10.52)."""

from ...core.rpc import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from ..codec.schema import INT16, INT32, STRING, UUID, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "RemoveRaftVoterRequest",
    RemoveRaftVoterRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("voter_id", INT32),
    Field("voter_directory_id", UUID),
)

RESPONSE = message(
    "RemoveRaftVoterResponse",
    RemoveRaftVoterResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
)
