"""AssignReplicasToDirs (73), version 0: a broker reports the directories of its replicas."""

from ...core.rpc import (
    AssignedDirectory,
    AssignedDirectoryResult,
    AssignedPartition,
    AssignedPartitionResult,
    AssignedTopic,
    AssignedTopicResult,
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
)
from ..codec.schema import INT16, INT32, INT64, UUID, Array, Field, Struct, message

VERSIONS = (0, 0)

_PARTITION = Struct(AssignedPartition, (Field("partition_index", INT32),))
_TOPIC = Struct(AssignedTopic, (Field("topic_id", UUID), Field("partitions", Array(_PARTITION))))
_DIRECTORY = Struct(AssignedDirectory, (Field("id", UUID), Field("topics", Array(_TOPIC))))

REQUEST = message(
    "AssignReplicasToDirsRequest",
    AssignReplicasToDirsRequest,
    VERSIONS,
    Field("broker_id", INT32),
    Field("broker_epoch", INT64),
    Field("directories", Array(_DIRECTORY)),
)

_PARTITION_RESULT = Struct(
    AssignedPartitionResult, (Field("partition_index", INT32), Field("error_code", INT16))
)
_TOPIC_RESULT = Struct(
    AssignedTopicResult, (Field("topic_id", UUID), Field("partitions", Array(_PARTITION_RESULT)))
)
_DIRECTORY_RESULT = Struct(
    AssignedDirectoryResult, (Field("id", UUID), Field("topics", Array(_TOPIC_RESULT)))
)

RESPONSE = message(
    "AssignReplicasToDirsResponse",
    AssignReplicasToDirsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("directories", Array(_DIRECTORY_RESULT)),
)
