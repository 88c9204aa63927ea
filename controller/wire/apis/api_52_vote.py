"""Vote (52), versions 0 to 2: a candidate requests a vote (rules 10.13, 10.14).

Version 1 adds directories of voters and the leader's address (KIP-853), version 2 the pre-vote
(KIP-996). Kafka 3.9 supports versions up to 1, Kafka 4.x up to 2.
"""

from ...core.rpc import (
    VotePartition,
    VotePartitionResult,
    VoteRequest,
    VoteResponse,
    VoteTopic,
    VoteTopicResult,
)
from ..codec.schema import BOOL, INT16, INT32, INT64, STRING, UUID, Array, Field, Struct, message
from .endpoints import LEADER_ENDPOINTS

VERSIONS = (0, 2)

_PARTITION = Struct(
    VotePartition,
    (
        Field("partition_index", INT32),
        Field("replica_epoch", INT32),
        Field("replica_id", INT32),
        Field("replica_directory_id", UUID, since=1),
        Field("voter_directory_id", UUID, since=1),
        Field("last_offset_epoch", INT32),
        Field("last_offset", INT64),
        Field("pre_vote", BOOL, since=2),
    ),
)
_TOPIC = Struct(VoteTopic, (Field("topic_name", STRING), Field("partitions", Array(_PARTITION))))

REQUEST = message(
    "VoteRequest",
    VoteRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0),
    Field("voter_id", INT32, since=1),
    Field("topics", Array(_TOPIC)),
)

_RESULT = Struct(
    VotePartitionResult,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("vote_granted", BOOL),
    ),
)
_TOPIC_RESULT = Struct(
    VoteTopicResult, (Field("topic_name", STRING), Field("partitions", Array(_RESULT)))
)

RESPONSE = message(
    "VoteResponse",
    VoteResponse,
    VERSIONS,
    Field("error_code", INT16),
    Field("topics", Array(_TOPIC_RESULT)),
    Field("node_endpoints", LEADER_ENDPOINTS, since=1, tag=0, default=()),
)
