"""DescribeTopicPartitions (75), version 0: topics page by page, with their ELRs (KIP-966)."""

from ...core.rpc.descriptions import (
    DescribedPartition,
    DescribedTopic,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicCursor,
    TopicRequest,
)
from ..codec.schema import BOOL, INT16, INT32, STRING, UUID, Array, Field, Struct, message

VERSIONS = (0, 0)

_CURSOR = Struct(TopicCursor, (Field("topic_name", STRING), Field("partition_index", INT32)))

REQUEST = message(
    "DescribeTopicPartitionsRequest",
    DescribeTopicPartitionsRequest,
    VERSIONS,
    Field("topics", Array(Struct(TopicRequest, (Field("name", STRING),)))),
    Field("response_partition_limit", INT32),
    Field("cursor", _CURSOR, nullable_since=0),
)

_PARTITION = Struct(
    DescribedPartition,
    (
        Field("error_code", INT16),
        Field("partition_index", INT32),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("replica_nodes", Array(INT32)),
        Field("isr_nodes", Array(INT32)),
        Field("eligible_leader_replicas", Array(INT32), nullable_since=0),
        Field("last_known_elr", Array(INT32), nullable_since=0),
        Field("offline_replicas", Array(INT32)),
    ),
)
_TOPIC = Struct(
    DescribedTopic,
    (
        Field("error_code", INT16),
        Field("name", STRING, nullable_since=0),
        Field("topic_id", UUID),
        Field("is_internal", BOOL),
        Field("partitions", Array(_PARTITION)),
        Field("topic_authorized_operations", INT32),
    ),
)

RESPONSE = message(
    "DescribeTopicPartitionsResponse",
    DescribeTopicPartitionsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("topics", Array(_TOPIC)),
    Field("next_cursor", _CURSOR, nullable_since=0),
)
