"""Metadata (3), versions 0 to 13: a client's first request to a broker.

Only brokers offer it (rule 5.2). Version 0 asks for every topic with an empty list, later ones with
null. Version 9 is flexible; version 10 adds topic ids to the response, 12 to the request; 13 adds
the top-level error. Gap: `allow_auto_topic_creation`, which versions 0 to 3 imply, decodes as false
there.
"""

from ...core.rpc import (
    MetadataBroker,
    MetadataPartition,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataTopic,
)
from ..codec.schema import (
    BOOL,
    INT16,
    INT32,
    INT64,
    OWN_TAG,
    STRING,
    UUID,
    Array,
    Field,
    Struct,
    message,
)

VERSIONS = (0, 13)
FLEXIBLE_SINCE = 9

_REQUEST_TOPIC = Struct(
    MetadataRequestTopic,
    (Field("topic_id", UUID, since=10), Field("name", STRING, nullable_since=10)),
)

REQUEST = message(
    "MetadataRequest",
    MetadataRequest,
    VERSIONS,
    Field("topics", Array(_REQUEST_TOPIC), nullable_since=1, empty_is_null_before=1),
    Field("allow_auto_topic_creation", BOOL, since=4),
    Field("include_cluster_authorized_operations", BOOL, since=8, until=10),
    Field("include_topic_authorized_operations", BOOL, since=8),
    flexible_since=FLEXIBLE_SINCE,
)

_BROKER = Struct(
    MetadataBroker,
    (
        Field("node_id", INT32),
        Field("host", STRING),
        Field("port", INT32),
        Field("rack", STRING, since=1, nullable_since=1),
        Field("start_time_ms", INT64, since=9, tag=OWN_TAG, default=0, on_demand=True),
    ),
)
_PARTITION = Struct(
    MetadataPartition,
    (
        Field("error_code", INT16),
        Field("partition_index", INT32),
        Field("leader_id", INT32),
        Field("leader_epoch", INT32, since=7),
        Field("replica_nodes", Array(INT32)),
        Field("isr_nodes", Array(INT32)),
        Field("offline_replicas", Array(INT32), since=5),
    ),
)
_TOPIC = Struct(
    MetadataTopic,
    (
        Field("error_code", INT16),
        Field("name", STRING, nullable_since=12),
        Field("topic_id", UUID, since=10),
        Field("is_internal", BOOL, since=1),
        Field("partitions", Array(_PARTITION)),
        Field("topic_authorized_operations", INT32, since=8),
    ),
)

RESPONSE = message(
    "MetadataResponse",
    MetadataResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32, since=3),
    Field("brokers", Array(_BROKER)),
    Field("cluster_id", STRING, since=2, nullable_since=2),
    Field("controller_id", INT32, since=1),
    Field("topics", Array(_TOPIC)),
    Field("cluster_authorized_operations", INT32, since=8, until=10),
    Field("error_code", INT16, since=13),
    flexible_since=FLEXIBLE_SINCE,
    is_shared=True,
)
