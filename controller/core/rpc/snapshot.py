"""FetchSnapshot (59): fetches the bytes of a snapshot in slices (rule 10.44)."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .fetch import LeaderIdAndEpoch, NodeEndpoint, SnapshotId


@value
class SnapshotPartition:
    """The requested slice; `position` is a byte offset in the snapshot."""

    partition: int = 0
    current_leader_epoch: int
    snapshot_id: SnapshotId
    position: int
    replica_directory_id: Uuid = ZERO_UUID


@value
class SnapshotTopic:
    """A topic of a FetchSnapshot request."""

    name: str
    partitions: tuple[SnapshotPartition, ...]


@value
class FetchSnapshotRequest:
    """FetchSnapshot (59)."""

    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 0x7FFFFFFF
    topics: tuple[SnapshotTopic, ...] = ()


@value
class SnapshotPartitionData:
    """One slice, from the byte offset `position`; `size` is that of the whole snapshot."""

    index: int = 0
    error_code: int = 0
    snapshot_id: SnapshotId = SnapshotId()
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    size: int = 0
    position: int = 0
    unaligned_records: bytes = b""


@value
class SnapshotTopicData:
    """A topic of a FetchSnapshot response."""

    name: str
    partitions: tuple[SnapshotPartitionData, ...]


@value
class FetchSnapshotResponse:
    """The reply to a FetchSnapshot request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    topics: tuple[SnapshotTopicData, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()
