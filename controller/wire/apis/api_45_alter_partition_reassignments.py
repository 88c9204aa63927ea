"""AlterPartitionReassignments (45), versions 0 and 1.

Version 1 says whether the number of replicas may change (KIP-860); Kafka 3.9 has version 0 only.
"""

from ...core.rpc import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopic,
    ReassignableTopicResponse,
)
from ..codec.schema import BOOL, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 1)

_PARTITION = Struct(
    ReassignablePartition,
    (Field("partition_index", INT32), Field("replicas", Array(INT32), nullable_since=0)),
)
_TOPIC = Struct(ReassignableTopic, (Field("name", STRING), Field("partitions", Array(_PARTITION))))

REQUEST = message(
    "AlterPartitionReassignmentsRequest",
    AlterPartitionReassignmentsRequest,
    VERSIONS,
    Field("timeout_ms", INT32),
    Field("allow_replication_factor_change", BOOL, since=1),
    Field("topics", Array(_TOPIC)),
)

_PARTITION_RESPONSE = Struct(
    ReassignablePartitionResponse,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
    ),
)
_TOPIC_RESPONSE = Struct(
    ReassignableTopicResponse,
    (Field("name", STRING), Field("partitions", Array(_PARTITION_RESPONSE))),
)

RESPONSE = message(
    "AlterPartitionReassignmentsResponse",
    AlterPartitionReassignmentsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("allow_replication_factor_change", BOOL, since=1),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("responses", Array(_TOPIC_RESPONSE)),
)
