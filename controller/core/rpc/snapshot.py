"""FetchSnapshot (59): the bytes of a snapshot, slice by slice (rule 10.44)."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .fetch import LeaderIdAndEpoch, NodeEndpoint, SnapshotId


@value
class SnapshotPartition:
    """`position` counts bytes from the snapshot's beginning."""

    partition: int = 0
    current_leader_epoch: int
    snapshot_id: SnapshotId
    position: int
    replica_directory_id: Uuid = ZERO_UUID


@value
class SnapshotTopic:
    name: str
    partitions: tuple[SnapshotPartition, ...]


@value
class FetchSnapshotRequest:
    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 0x7FFFFFFF
    topics: tuple[SnapshotTopic, ...] = ()


@value
class SnapshotPartitionData:
    """`size` is that of the whole snapshot; the slice begins at `position`."""

    index: int = 0
    error_code: int = 0
    snapshot_id: SnapshotId = SnapshotId()
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    size: int = 0
    position: int = 0
    unaligned_records: bytes = b""


@value
class SnapshotTopicData:
    name: str
    partitions: tuple[SnapshotPartitionData, ...]


@value
class FetchSnapshotResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: tuple[SnapshotTopicData, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()
