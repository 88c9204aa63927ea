"""The leader's responses to a Fetch of the metadata log (rules 10.33 to 10.38).

Checks run in Kafka's order. A response contains records up to the end of the log, uncommitted ones
included, and the high watermark; a follower applies only records below the high watermark.
"""

from collections.abc import Sequence
from functools import lru_cache

from ..core import rpc
from ..core.errors import ErrorCode
from ..core.log.batch import FETCH_BYTES_MAX, Batch, bounded
from ..core.rpc.fetch import HIGH_WATERMARK_UNKNOWN
from ..core.uuid import METADATA_TOPIC_ID
from ..core.value import value
from .log import MetadataLog

NOTHINGS_MAX = 256  # cached responses without records, one for each recent high watermark
BATCHES_MAX = 4096  # of one response; the wire's bound is in bytes


@value(eq=False)
class Leadership:
    """The part of a Fetch response that describes the quorum.

    `leader_id` is -1 if the leader is unknown; a resigned leader still names itself, with `leads`
    false. Without `bounds_fetches` it reads 8 MiB, whatever a Fetch asks for, as before Kafka 4.3.
    The leader reuses one object while it is valid, so instances compare by identity.
    """

    leads: bool
    cluster_id: str
    leader_id: int
    epoch: int
    endpoints: tuple[rpc.NodeEndpoint, ...]
    snapshot: rpc.SnapshotId | None = None
    bounds_fetches: bool = True


def top_level_error(leadership: Leadership, request: rpc.FetchRequest) -> ErrorCode:
    """Returns an error of the whole request: 104 for another cluster id, 42 for another topic."""
    if request.cluster_id not in (None, leadership.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    topics = request.topics
    if len(topics) != 1 or topics[0].topic_id != METADATA_TOPIC_ID:
        return ErrorCode.INVALID_REQUEST
    if len(topics[0].partitions) != 1 or topics[0].partitions[0].partition != 0:
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def partition_error(leadership: Leadership, request: rpc.FetchRequest) -> ErrorCode:
    """Returns the error of the first failed check of the partition; NONE if it passes."""
    partition = request.topics[0].partitions[0]
    if (
        request.max_wait_ms < 0
        or partition.fetch_offset < 0
        or partition.last_fetched_epoch < 0
        or partition.last_fetched_epoch > partition.current_leader_epoch
    ):
        return ErrorCode.INVALID_REQUEST
    if partition.current_leader_epoch < leadership.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if partition.current_leader_epoch > leadership.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not leadership.leads:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return ErrorCode.NONE


def answer(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: rpc.FetchRequest
) -> rpc.FetchResponse:
    """Returns the response to a fetch if it were sent now.

    `may_wait` tells whether the response should wait for new records instead.
    """
    unfit = misfit(leadership, log, high_watermark, request)
    return unfit or fit(leadership, log, high_watermark, request)


def fit(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: rpc.FetchRequest
) -> rpc.FetchResponse:
    """Returns the response to a valid fetch: the batches from the fetch offset on.

    They have at most `bytes_max` bytes, but there is one at least.
    """
    fetch_offset = request.topics[0].partitions[0].fetch_offset
    if fetch_offset >= log.end_offset:
        return _nothing(leadership, log.start_offset, high_watermark)
    records = log.read(fetch_offset, BATCHES_MAX)
    most = bytes_max(leadership, request)
    if most < FETCH_BYTES_MAX:
        records = bounded(records, most)
    return _batches_response(leadership, log.start_offset, high_watermark, records)


def bytes_max(leadership: Leadership, request: rpc.FetchRequest) -> int:
    """Returns the bytes of batches of a response: `max_bytes` of the request, at most 8 MiB.

    KafkaRaftClient of 4.3 reads its log with this bound (tryCompleteFetchRequest); before, with
    that of KafkaMetadataLog alone (rule 10.58).
    """
    if not leadership.bounds_fetches:
        return FETCH_BYTES_MAX
    return min(request.max_bytes, FETCH_BYTES_MAX)


def _batches_response(
    leadership: Leadership, log_start_offset: int, high_watermark: int, records: Sequence[Batch]
) -> rpc.FetchResponse:
    return _response(
        leadership,
        rpc.FetchPartitionData(
            partition_index=0,
            high_watermark=high_watermark,
            log_start_offset=log_start_offset,
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=records,
        ),
    )


@lru_cache(maxsize=NOTHINGS_MAX)
def _nothing(
    leadership: Leadership, log_start_offset: int, high_watermark: int
) -> rpc.FetchResponse:
    """Returns the response without records.

    It is cached, because half of all fetches wait with this response.
    """
    return _batches_response(leadership, log_start_offset, high_watermark, ())


def misfit(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: rpc.FetchRequest
) -> rpc.FetchResponse | None:
    """Returns the response to a fetch that acknowledges nothing; None if the fetch is valid.

    Such a fetch fails a check, or its offset and epoch are not in this log (rule 5.32).
    """
    if _is_usual(leadership, log, request):
        return None
    error = top_level_error(leadership, request)
    if error:
        return rpc.FetchResponse(error_code=error)
    error = partition_error(leadership, request)
    if error:
        return refused(leadership, error)
    partition = request.topics[0].partitions[0]
    snapshot = _snapshot_instead(leadership.snapshot, log, partition)
    diverging = None if snapshot is not None else _diverging(log, partition)
    if diverging is None and snapshot is None:
        return None
    return _response(
        leadership,
        rpc.FetchPartitionData(
            partition_index=0,
            high_watermark=high_watermark,
            log_start_offset=log.start_offset,
            diverging_epoch=diverging or rpc.EpochEndOffset(),
            snapshot_id=snapshot or rpc.SnapshotId(),
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=(),
        ),
    )


def _is_usual(leadership: Leadership, log: MetadataLog, request: rpc.FetchRequest) -> bool:
    """True for a fetch in the leader's epoch from a replica that has records of this epoch.

    Nearly every fetch is of this kind: it passes all checks, and its log cannot diverge.
    """
    topics = request.topics
    if len(topics) != 1 or len(topics[0].partitions) != 1:
        return False
    topic, epoch = topics[0], leadership.epoch
    partition = topic.partitions[0]
    return (
        partition.current_leader_epoch == epoch
        and partition.last_fetched_epoch == epoch == log.last_epoch
        and log.start_offset < partition.fetch_offset <= log.end_offset
        and leadership.leads
        and request.cluster_id == leadership.cluster_id
        and request.max_wait_ms >= 0
        and topic.topic_id == METADATA_TOPIC_ID
        and partition.partition == 0
    )


def response_key(request: rpc.FetchRequest) -> object:
    """Returns the values of a waiting fetch that determine its response.

    Fetches of different replicas with equal values get the same response.
    """
    partition = request.topics[0].partitions[0]
    return (
        partition.fetch_offset,
        partition.last_fetched_epoch,
        partition.high_watermark,
        request.max_bytes,
    )


def refused(leadership: Leadership, error: ErrorCode) -> rpc.FetchResponse:
    """Returns a response with an error, and the leader by which a replica finds it (rule 10.38)."""
    return _response(
        leadership,
        rpc.FetchPartitionData(
            partition_index=0,
            error_code=error,
            log_start_offset=0,
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=(),
        ),
    )


def may_wait(request: rpc.FetchRequest, response: rpc.FetchResponse) -> bool:
    """True if a response has nothing new: no error, divergence, record or new high watermark."""
    if response.error_code or request.max_wait_ms == 0:
        return False
    data = response.responses[0].partitions[0]
    if data.records:
        return False
    if data.error_code or data.diverging_epoch.epoch >= 0 or data.snapshot_id.epoch >= 0:
        return False
    known = request.topics[0].partitions[0].high_watermark
    return known == HIGH_WATERMARK_UNKNOWN or data.high_watermark <= known


def _snapshot_instead(
    snapshot: rpc.SnapshotId | None, log: MetadataLog, partition: rpc.FetchPartition
) -> rpc.SnapshotId | None:
    """Returns the snapshot that a replica must fetch if its offset is 0 or no longer in the log.

    Rule 10.34.
    """
    if snapshot is None:
        return None
    offset, epoch = partition.fetch_offset, partition.last_fetched_epoch
    at_start = offset == log.start_offset and epoch != log.start_epoch
    if offset == 0 or offset < log.start_offset or (log.start_offset > 0 and at_start):
        return snapshot
    return snapshot if epoch < log.start_epoch else None


def _diverging(log: MetadataLog, partition: rpc.FetchPartition) -> rpc.EpochEndOffset | None:
    """Returns where the follower's log diverges; None if it is a prefix of this log."""
    if partition.fetch_offset == 0:
        return None
    epoch, end_offset = log.end_offset_for_epoch(partition.last_fetched_epoch)
    if epoch != partition.last_fetched_epoch or end_offset < partition.fetch_offset:
        return rpc.EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return None


def _leader(leadership: Leadership) -> rpc.LeaderIdAndEpoch:
    return rpc.LeaderIdAndEpoch(leader_id=leadership.leader_id, leader_epoch=leadership.epoch)


def _response(leadership: Leadership, data: rpc.FetchPartitionData) -> rpc.FetchResponse:
    topic = rpc.FetchTopicData(topic_id=METADATA_TOPIC_ID, partitions=(data,))
    return rpc.FetchResponse(responses=(topic,), node_endpoints=leadership.endpoints)
