"""DeleteTopics (20), versions 1 to 6.

Version 4 is flexible, version 5 adds the error message, version 6 accepts topic ids.
"""

from ...core.rpc import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from ..codec.schema import INT16, INT32, STRING, UUID, Array, Field, Struct, message

VERSIONS = (1, 6)
FLEXIBLE_SINCE = 4

_TOPIC = Struct(
    DeleteTopicState,
    (Field("name", STRING, nullable_since=6), Field("topic_id", UUID)),
)

REQUEST = message(
    "DeleteTopicsRequest",
    DeleteTopicsRequest,
    VERSIONS,
    Field("topics", Array(_TOPIC), since=6),
    Field("topic_names", Array(STRING), until=5),
    Field("timeout_ms", INT32),
    flexible_since=FLEXIBLE_SINCE,
)

_RESULT = Struct(
    DeletableTopicResult,
    (
        Field("name", STRING, nullable_since=6),
        Field("topic_id", UUID, since=6),
        Field("error_code", INT16),
        Field("error_message", STRING, since=5, nullable_since=5),
    ),
)

RESPONSE = message(
    "DeleteTopicsResponse",
    DeleteTopicsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("responses", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
