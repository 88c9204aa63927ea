"""DescribeQuorum (55), versions 0 to 2: the progress of each voter and observer (rule 5.21).

Version 1 adds the times at which a replica last fetched and was last caught up (KIP-836), version 2
directories, messages and the voters' addresses (KIP-853). The request is the same in all versions.
"""

from ...core.rpc import (
    DescribeQuorumPartition,
    DescribeQuorumPartitionResult,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
    DescribeQuorumTopicResult,
    QuorumNode,
    ReplicaState,
)
from ..codec.schema import INT16, INT32, INT64, STRING, UUID, Array, Field, Struct, message
from .endpoints import VOTER_ENDPOINTS

VERSIONS = (0, 2)

_PARTITION = Struct(DescribeQuorumPartition, (Field("partition_index", INT32),))
_TOPIC = Struct(
    DescribeQuorumTopic, (Field("topic_name", STRING), Field("partitions", Array(_PARTITION)))
)

REQUEST = message(
    "DescribeQuorumRequest", DescribeQuorumRequest, VERSIONS, Field("topics", Array(_TOPIC))
)

_REPLICA = Struct(
    ReplicaState,
    (
        Field("replica_id", INT32),
        Field("replica_directory_id", UUID, since=2),
        Field("log_end_offset", INT64),
        Field("last_fetch_timestamp", INT64, since=1),
        Field("last_caught_up_timestamp", INT64, since=1),
    ),
)
_RESULT = Struct(
    DescribeQuorumPartitionResult,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("error_message", STRING, since=2, nullable_since=2),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("high_watermark", INT64),
        Field("current_voters", Array(_REPLICA)),
        Field("observers", Array(_REPLICA)),
    ),
)
_TOPIC_RESULT = Struct(
    DescribeQuorumTopicResult, (Field("topic_name", STRING), Field("partitions", Array(_RESULT)))
)
_NODE = Struct(QuorumNode, (Field("node_id", INT32), Field("listeners", VOTER_ENDPOINTS)))

RESPONSE = message(
    "DescribeQuorumResponse",
    DescribeQuorumResponse,
    VERSIONS,
    Field("error_code", INT16),
    Field("error_message", STRING, since=2, nullable_since=2),
    Field("topics", Array(_TOPIC_RESULT)),
    Field("nodes", Array(_NODE, keyed_by="node_id"), since=2),
)
