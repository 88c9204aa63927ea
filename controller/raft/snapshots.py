"""FetchSnapshot (59): a follower far behind fetches a snapshot in slices (rules 10.42 to 10.48)."""

from dataclasses import replace

from ..core.errors import ErrorCode, Impossible
from ..core.rpc import (
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    LeaderIdAndEpoch,
    SnapshotId,
    SnapshotPartition,
    SnapshotPartitionData,
    SnapshotTopic,
    SnapshotTopicData,
)
from ..core.topic_name import METADATA_TOPIC
from . import epochs, leading, messages
from .protocol import Turn
from .quorum import Quorum
from .roles import Follower
from .snapshot import Download, Reading, Snapshot
from .voters import ReplicaKey

SLICE_BYTES_MAX = 8 * 1024 * 1024  # Kafka's own request size


# The leader


def on_request(quorum: Quorum, request: FetchSnapshotRequest, turn: Turn) -> FetchSnapshotResponse:
    """Answer a FetchSnapshot request with a slice."""
    if request.cluster_id not in (None, quorum.identity.cluster_id):
        return FetchSnapshotResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID)
    if len(request.topics) != 1 or len(request.topics[0].partitions) != 1:
        return FetchSnapshotResponse(error_code=ErrorCode.INVALID_REQUEST)
    topic = request.topics[0]
    requested = topic.partitions[0]
    if topic.name != METADATA_TOPIC or requested.partition != 0:
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return _answer(quorum, topic.name, SnapshotPartitionData(error_code=error))
    error = _refusal(quorum, requested)
    if error == ErrorCode.SNAPSHOT_NOT_FOUND:
        return FetchSnapshotResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka (10.44)
    if error:
        return _answer(quorum, topic.name, SnapshotPartitionData(error_code=error))
    key = ReplicaKey(request.replica_id, requested.replica_directory_id)
    if quorum.voters.includes(key) and key.node_id != quorum.me.node_id:
        leading.count_fetch(quorum, request.replica_id, turn)
    return _answer(quorum, topic.name, _slice(quorum, requested, request.max_bytes))


def _refusal(quorum: Quorum, requested: SnapshotPartition) -> ErrorCode:
    """Returns the error of the first failed check: those of a Fetch, then those of a snapshot.

    Rule 10.33 has the checks of a Fetch.
    """
    if requested.current_leader_epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if requested.current_leader_epoch > quorum.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not quorum.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    snapshot = quorum.snapshot
    if snapshot is None or snapshot.snapshot_id != requested.snapshot_id:
        return ErrorCode.SNAPSHOT_NOT_FOUND
    if not 0 <= requested.position < len(snapshot.data):
        return ErrorCode.POSITION_OUT_OF_RANGE
    return ErrorCode.NONE


def _slice(quorum: Quorum, requested: SnapshotPartition, max_bytes: int) -> SnapshotPartitionData:
    snapshot = quorum.snapshot
    if snapshot is None:
        raise Impossible("a slice of no snapshot")
    end = requested.position + max(0, min(max_bytes, SLICE_BYTES_MAX))
    return SnapshotPartitionData(
        snapshot_id=snapshot.snapshot_id,
        size=len(snapshot.data),
        position=requested.position,
        unaligned_records=snapshot.data[requested.position : end],
    )


def _answer(quorum: Quorum, name: str, data: SnapshotPartitionData) -> FetchSnapshotResponse:
    leader = LeaderIdAndEpoch(leader_id=quorum.leader_id, leader_epoch=quorum.epoch)
    data = replace(data, current_leader=leader)
    return FetchSnapshotResponse(
        topics=(SnapshotTopicData(name=name, partitions=(data,)),),
        node_endpoints=messages.node_endpoints(quorum),
    )


# The follower


def begin(quorum: Quorum, snapshot_id: SnapshotId) -> bool:
    """Begin to fetch a snapshot that a Fetch response named.

    Returns False if no leader of this epoch could name it: a leader's snapshot has all committed
    records, and is not the follower's own.
    """
    is_sound = 0 <= snapshot_id.epoch <= quorum.epoch and snapshot_id != quorum.snapshot_id
    if not is_sound or snapshot_id.end_offset < max(quorum.high_watermark, 1):
        return False
    quorum.begin_download(snapshot_id)
    return True


def next_request(quorum: Quorum) -> FetchSnapshotRequest | None:
    """Returns the request for the next slice; None if no snapshot is being fetched."""
    download = quorum.download
    if download is None:
        return None
    partition = SnapshotPartition(
        current_leader_epoch=quorum.epoch,
        snapshot_id=download.snapshot_id,
        position=len(download.data),
        replica_directory_id=quorum.me.directory_id,
    )
    return FetchSnapshotRequest(
        cluster_id=quorum.identity.cluster_id,
        replica_id=quorum.me.node_id,
        max_bytes=(
            quorum.settings.controller_quorum_fetch_snapshot_max_bytes
            if quorum.identity.bounds_fetches
            else SLICE_BYTES_MAX
        ),
        topics=(SnapshotTopic(name=METADATA_TOPIC, partitions=(partition,)),),
    )


def on_response(
    quorum: Quorum,
    peer_id: int,
    _request: FetchSnapshotRequest,
    response: FetchSnapshotResponse,
    turn: Turn,
) -> bool:
    """Append a slice; a refusal ends the download, and a Fetch follows.

    Returns False if the next request should wait for a moment.
    """
    data = messages.sole_partition(response.topics)
    if response.error_code or data is None:
        quorum.end_download()
        return False
    leader = data.current_leader
    epochs.learn(quorum, leader.leader_epoch, leader.leader_id, response.node_endpoints, turn)
    download = quorum.download
    if download is None or not isinstance(quorum.role, Follower) or peer_id != quorum.leader_id:
        return True
    if data.error_code or not _continues(download, data):
        quorum.end_download()
        return False
    quorum.note_fetched(turn)
    download = quorum.extend_download(data.unaligned_records)
    return len(download.data) < data.size or _begin_reading(quorum, download, turn)


def _continues(download: Download, data: SnapshotPartitionData) -> bool:
    """True if the slice is the next one of that snapshot and not empty."""
    end = data.position + len(data.unaligned_records)
    is_next = data.snapshot_id == download.snapshot_id and data.position == len(download.data)
    return is_next and data.position < end <= data.size


def _begin_reading(quorum: Quorum, download: Download, turn: Turn) -> bool:
    """Begin to decode the snapshot; returns False if the bytes are invalid."""
    quorum.end_download()
    try:
        batches = iter(quorum.snapshot_format.read(download.data))
    except (ValueError, LookupError):
        return False
    reading = Reading(download.snapshot_id, download.data, batches)
    quorum.begin_reading(reading)
    return go_on_reading(quorum, reading, turn)


def go_on_reading(quorum: Quorum, reading: Reading, turn: Turn) -> bool:
    """Decode more batches; a complete snapshot replaces the whole log (rule 10.45).

    Nothing is fetched meanwhile, so the fetch timeout restarts. Returns False if the bytes are
    invalid.
    """
    quorum.note_fetched(turn)
    try:
        is_read = reading.go_on()
    except (ValueError, LookupError):
        quorum.end_reading()
        return False
    if is_read:
        quorum.end_reading()
        batches = tuple(reading.batches)
        quorum.replace_log(Snapshot(reading.snapshot_id, batches, reading.data), turn)
    return True
