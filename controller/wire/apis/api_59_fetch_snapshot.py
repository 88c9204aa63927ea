"""FetchSnapshot (59), versions 0 and 1: fetches a snapshot's bytes in slices (rule 10.44).

Version 1 adds the replica's directory and the leader's address (KIP-853). The content of a slice is
bytes, because a slice may begin and end within a batch.
"""

from ...core.rpc import (
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    LeaderIdAndEpoch,
    SnapshotId,
    SnapshotPartition,
    SnapshotPartitionData,
    SnapshotTopic,
    SnapshotTopicData,
)
from ...core.uuid import ZERO_UUID
from ..codec.schema import BYTES, INT16, INT32, INT64, STRING, UUID, Array, Field, Struct, message
from .endpoints import LEADER_ENDPOINTS

VERSIONS = (0, 1)
_UNTOLD_LEADER = LeaderIdAndEpoch(leader_id=0, leader_epoch=0)  # Kafka's schema has no -1 here

_SNAPSHOT_ID = Struct(SnapshotId, (Field("end_offset", INT64), Field("epoch", INT32)))
_PARTITION = Struct(
    SnapshotPartition,
    (
        Field("partition", INT32),
        Field("current_leader_epoch", INT32),
        Field("snapshot_id", _SNAPSHOT_ID),
        Field("position", INT64),
        Field("replica_directory_id", UUID, since=1, tag=0, default=ZERO_UUID),
    ),
)
_TOPIC = Struct(SnapshotTopic, (Field("name", STRING), Field("partitions", Array(_PARTITION))))

REQUEST = message(
    "FetchSnapshotRequest",
    FetchSnapshotRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0, tag=0),
    Field("replica_id", INT32),
    Field("max_bytes", INT32),
    Field("topics", Array(_TOPIC)),
)

_CURRENT_LEADER = Struct(
    LeaderIdAndEpoch, (Field("leader_id", INT32), Field("leader_epoch", INT32))
)
_PARTITION_DATA = Struct(
    SnapshotPartitionData,
    (
        Field("index", INT32),
        Field("error_code", INT16),
        Field("snapshot_id", _SNAPSHOT_ID),
        Field("current_leader", _CURRENT_LEADER, tag=0, default=_UNTOLD_LEADER),
        Field("size", INT64),
        Field("position", INT64),
        Field("unaligned_records", BYTES),
    ),
)
_TOPIC_DATA = Struct(
    SnapshotTopicData, (Field("name", STRING), Field("partitions", Array(_PARTITION_DATA)))
)

RESPONSE = message(
    "FetchSnapshotResponse",
    FetchSnapshotResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("topics", Array(_TOPIC_DATA)),
    Field("node_endpoints", LEADER_ENDPOINTS, since=1, tag=0, default=()),
)
