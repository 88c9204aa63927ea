"""CreateTopics (19), versions 2 to 7.

Version 5 is flexible and describes the created topic, version 7 adds its id.
"""

from ...core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicConfigEntry,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from ..codec.schema import BOOL, INT8, INT16, INT32, STRING, UUID, Array, Field, Struct, message

VERSIONS = (2, 7)
FLEXIBLE_SINCE = 5

_ASSIGNMENT = Struct(
    CreatableReplicaAssignment,
    (Field("partition_index", INT32), Field("broker_ids", Array(INT32))),
)
_CONFIG_ENTRY = Struct(
    CreatableTopicConfigEntry,
    (Field("name", STRING), Field("value", STRING, nullable_since=0)),
)
_TOPIC = Struct(
    CreatableTopic,
    (
        Field("name", STRING),
        Field("num_partitions", INT32),
        Field("replication_factor", INT16),
        Field("assignments", Array(_ASSIGNMENT)),
        Field("configs", Array(_CONFIG_ENTRY)),
    ),
)

REQUEST = message(
    "CreateTopicsRequest",
    CreateTopicsRequest,
    VERSIONS,
    Field("topics", Array(_TOPIC)),
    Field("timeout_ms", INT32),
    Field("validate_only", BOOL),
    flexible_since=FLEXIBLE_SINCE,
)

_CONFIG = Struct(
    CreatableTopicConfig,
    (
        Field("name", STRING),
        Field("value", STRING, nullable_since=5),
        Field("read_only", BOOL),
        Field("config_source", INT8),
        Field("is_sensitive", BOOL),
    ),
)
_RESULT = Struct(
    CreatableTopicResult,
    (
        Field("name", STRING),
        Field("topic_id", UUID, since=7),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
        Field("topic_config_error_code", INT16, since=5, tag=0, default=0),
        Field("num_partitions", INT32, since=5),
        Field("replication_factor", INT16, since=5),
        Field("configs", Array(_CONFIG, repeats=True), since=5, nullable_since=5),
    ),
)

RESPONSE = message(
    "CreateTopicsResponse",
    CreateTopicsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("topics", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
