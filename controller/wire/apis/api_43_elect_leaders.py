"""ElectLeaders (43), versions 0 to 2.

Version 1 adds the type of election and the error of the whole (KIP-460), version 2 is flexible.
"""

from ...core.rpc import (
    ElectedPartitionResult,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ElectLeadersResponse,
    ReplicaElectionResult,
)
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 2)
FLEXIBLE_SINCE = 2

_TOPIC = Struct(ElectedTopicPartitions, (Field("topic", STRING), Field("partitions", Array(INT32))))

REQUEST = message(
    "ElectLeadersRequest",
    ElectLeadersRequest,
    VERSIONS,
    Field("election_type", INT8, since=1),
    Field("topic_partitions", Array(_TOPIC), nullable_since=0),
    Field("timeout_ms", INT32),
    flexible_since=FLEXIBLE_SINCE,
)

_PARTITION_RESULT = Struct(
    ElectedPartitionResult,
    (
        Field("partition_id", INT32),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
    ),
)
_RESULT = Struct(
    ReplicaElectionResult,
    (Field("topic", STRING), Field("partition_result", Array(_PARTITION_RESULT))),
)

RESPONSE = message(
    "ElectLeadersResponse",
    ElectLeadersResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16, since=1),
    Field("replica_election_results", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
