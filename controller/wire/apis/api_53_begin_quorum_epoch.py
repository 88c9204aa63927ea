"""BeginQuorumEpoch (53), versions 0 and 1: a new leader announces itself.

Rules 10.22 and 10.23. Version 1 is flexible, and adds the intended voter and the leader's address
(KIP-853).
"""

from ...core.rpc import (
    BeginQuorumEpochPartition,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BeginQuorumEpochTopic,
    QuorumEpochPartitionResult,
    QuorumEpochTopicResult,
)
from ..codec.schema import INT16, INT32, STRING, UUID, Array, Field, Struct, message
from .endpoints import LEADER_ENDPOINTS, VOTER_ENDPOINTS

VERSIONS = (0, 1)
FLEXIBLE_SINCE = 1

_PARTITION = Struct(
    BeginQuorumEpochPartition,
    (
        Field("partition_index", INT32),
        Field("voter_directory_id", UUID, since=1),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
    ),
)
_TOPIC = Struct(
    BeginQuorumEpochTopic, (Field("topic_name", STRING), Field("partitions", Array(_PARTITION)))
)

REQUEST = message(
    "BeginQuorumEpochRequest",
    BeginQuorumEpochRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("voter_id", INT32, since=1),
    Field("topics", Array(_TOPIC)),
    Field("leader_endpoints", VOTER_ENDPOINTS, since=1),
    flexible_since=FLEXIBLE_SINCE,
)

_RESULT = Struct(
    QuorumEpochPartitionResult,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
    ),
)
TOPIC_RESULTS = Array(
    Struct(
        QuorumEpochTopicResult, (Field("topic_name", STRING), Field("partitions", Array(_RESULT)))
    )
)

RESPONSE = message(
    "BeginQuorumEpochResponse",
    BeginQuorumEpochResponse,
    VERSIONS,
    Field("error_code", INT16),
    Field("topics", TOPIC_RESULTS),
    Field("node_endpoints", LEADER_ENDPOINTS, since=1, tag=0, default=()),
    flexible_since=FLEXIBLE_SINCE,
)
