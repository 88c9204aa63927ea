"""ListPartitionReassignments (46), version 0."""

from ...core.rpc import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopic,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from ..codec.schema import INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 0)

_TOPIC = Struct(
    ListPartitionReassignmentsTopic,
    (Field("name", STRING), Field("partition_indexes", Array(INT32))),
)

REQUEST = message(
    "ListPartitionReassignmentsRequest",
    ListPartitionReassignmentsRequest,
    VERSIONS,
    Field("timeout_ms", INT32),
    Field("topics", Array(_TOPIC), nullable_since=0),
)

_PARTITION = Struct(
    OngoingPartitionReassignment,
    (
        Field("partition_index", INT32),
        Field("replicas", Array(INT32)),
        Field("adding_replicas", Array(INT32)),
        Field("removing_replicas", Array(INT32)),
    ),
)
_ONGOING = Struct(
    OngoingTopicReassignment, (Field("name", STRING), Field("partitions", Array(_PARTITION)))
)

RESPONSE = message(
    "ListPartitionReassignmentsResponse",
    ListPartitionReassignmentsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("topics", Array(_ONGOING)),
)
