"""CreatePartitions (37), versions 0 to 3. Version 2 is flexible."""

from ...core.rpc import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from ..codec.schema import BOOL, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 3)
FLEXIBLE_SINCE = 2

_ASSIGNMENT = Struct(CreatePartitionsAssignment, (Field("broker_ids", Array(INT32)),))
_TOPIC = Struct(
    CreatePartitionsTopic,
    (
        Field("name", STRING),
        Field("count", INT32),
        Field("assignments", Array(_ASSIGNMENT), nullable_since=0),
    ),
)

REQUEST = message(
    "CreatePartitionsRequest",
    CreatePartitionsRequest,
    VERSIONS,
    Field("topics", Array(_TOPIC)),
    Field("timeout_ms", INT32),
    Field("validate_only", BOOL),
    flexible_since=FLEXIBLE_SINCE,
)

_RESULT = Struct(
    CreatePartitionsTopicResult,
    (
        Field("name", STRING),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
    ),
)

RESPONSE = message(
    "CreatePartitionsResponse",
    CreatePartitionsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("results", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
