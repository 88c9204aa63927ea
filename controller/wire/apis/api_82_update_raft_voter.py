"""UpdateRaftVoter (82), version 0: a voter's new listeners or kraft.version range.

The voter sends it if the voters record is outdated (KIP-853; rule 10.53).
"""

from ...core.rpc import (
    CurrentVoterLeader,
    KRaftVersionFeature,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)
from ..codec.schema import INT16, INT32, STRING, UUID, Field, Struct, message
from .endpoints import VOTER_ENDPOINTS

VERSIONS = (0, 0)

_VERSION_RANGE = Struct(
    KRaftVersionFeature,
    (Field("min_supported_version", INT16), Field("max_supported_version", INT16)),
)

REQUEST = message(
    "UpdateRaftVoterRequest",
    UpdateRaftVoterRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("current_leader_epoch", INT32),
    Field("voter_id", INT32),
    Field("voter_directory_id", UUID),
    Field("listeners", VOTER_ENDPOINTS),
    Field("k_raft_version_feature", _VERSION_RANGE),
)

_CURRENT_LEADER = Struct(
    CurrentVoterLeader,
    (
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("host", STRING),
        Field("port", INT32),
    ),
)

RESPONSE = message(
    "UpdateRaftVoterResponse",
    UpdateRaftVoterResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("current_leader", _CURRENT_LEADER, tag=0, default=CurrentVoterLeader()),
)
