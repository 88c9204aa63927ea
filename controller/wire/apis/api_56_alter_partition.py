"""AlterPartition (56), versions 2 and 3: a leader proposes an ISR (rule 4.34).

Version 3 sends each member's broker epoch. Gap: versions 0 and 1, which name topics and which Kafka
4.x dropped.
"""

from ...core.rpc import (
    AlterPartitionBrokerState,
    AlterPartitionData,
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResult,
    AlterPartitionTopic,
    AlterPartitionTopicResult,
)
from ..codec.schema import INT8, INT16, INT32, INT64, UUID, Array, Field, Struct, message

VERSIONS = (2, 3)

_BROKER_STATE = Struct(
    AlterPartitionBrokerState, (Field("broker_id", INT32), Field("broker_epoch", INT64))
)
_PARTITION = Struct(
    AlterPartitionData,
    (
        Field("partition_index", INT32),
        Field("leader_epoch", INT32),
        Field("new_isr", Array(INT32), until=2),
        Field("new_isr_with_epochs", Array(_BROKER_STATE), since=3),
        Field("leader_recovery_state", INT8),
        Field("partition_epoch", INT32),
    ),
)
_TOPIC = Struct(
    AlterPartitionTopic, (Field("topic_id", UUID), Field("partitions", Array(_PARTITION)))
)

REQUEST = message(
    "AlterPartitionRequest",
    AlterPartitionRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("broker_epoch", INT64),
    Field("topics", Array(_TOPIC)),
)

_RESULT = Struct(
    AlterPartitionResult,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32),
        Field("isr", Array(INT32)),
        Field("leader_recovery_state", INT8),
        Field("partition_epoch", INT32),
    ),
)
_TOPIC_RESULT = Struct(
    AlterPartitionTopicResult, (Field("topic_id", UUID), Field("partitions", Array(_RESULT)))
)

RESPONSE = message(
    "AlterPartitionResponse",
    AlterPartitionResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("topics", Array(_TOPIC_RESULT)),
)
