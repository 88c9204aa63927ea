"""Fetch of the metadata log, as a leader answers it to those who follow (rules 10.33 to 10.38).

Checks come in Kafka's order. Records go out up to the end of the log, uncommitted ones included,
with the high watermark beside them; a follower applies only what lies below that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..core.errors import ErrorCode
from ..core.log.batch import Batch
from ..core.rpc import (
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchTopicData,
    LeaderIdAndEpoch,
    NodeEndpoint,
    SnapshotId,
)
from ..core.rpc.fetch import HIGH_WATERMARK_UNKNOWN
from ..core.uuid import METADATA_TOPIC_ID
from .log import MetadataLog

NOTHINGS_MAX = 256  # answers without news that are kept: one for each recent high watermark
BATCHES_MAX = 4096  # of one answer; the wire's own bound is in bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leadership:
    """What an answer says of the quorum. `leader_id` is -1 where no leader is known; one that has
    resigned is still named by it, but leads no more. A leader has one for long: it is itself."""

    leads: bool
    cluster_id: str
    leader_id: int
    epoch: int
    endpoints: tuple[NodeEndpoint, ...]
    snapshot: SnapshotId | None = None


def top_level_error(leadership: Leadership, request: FetchRequest) -> ErrorCode:
    """Refusals that name no partition: 104 for another cluster, 42 for another topic."""
    if request.cluster_id not in (None, leadership.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    topics = request.topics
    if len(topics) != 1 or topics[0].topic_id != METADATA_TOPIC_ID:
        return ErrorCode.INVALID_REQUEST
    if len(topics[0].partitions) != 1 or topics[0].partitions[0].partition != 0:
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def partition_error(leadership: Leadership, request: FetchRequest) -> ErrorCode:
    wanted = request.topics[0].partitions[0]
    if (
        request.max_wait_ms < 0
        or wanted.fetch_offset < 0
        or wanted.last_fetched_epoch < 0
        or wanted.last_fetched_epoch > wanted.current_leader_epoch
    ):
        return ErrorCode.INVALID_REQUEST
    if wanted.current_leader_epoch < leadership.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if wanted.current_leader_epoch > leadership.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not leadership.leads:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return ErrorCode.NONE


def answer(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: FetchRequest
) -> FetchResponse:
    """The whole answer as it stands now; `may_wait` says whether it is worth sending yet."""
    unfit = misfit(leadership, log, high_watermark, request)
    return unfit or fit(leadership, log, high_watermark, request)


def fit(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: FetchRequest
) -> FetchResponse:
    """The answer to a fetch that is no `misfit`: what stands in the log from there on."""
    fetch_offset = request.topics[0].partitions[0].fetch_offset
    if fetch_offset >= log.end_offset:
        return _nothing(leadership, log.start_offset, high_watermark)
    records = log.read(fetch_offset, BATCHES_MAX)
    return _found(leadership, log.start_offset, high_watermark, records)


def _found(
    leadership: Leadership, log_start_offset: int, high_watermark: int, records: Sequence[Batch]
) -> FetchResponse:
    return _response(
        leadership,
        FetchPartitionData(
            partition_index=0,
            high_watermark=high_watermark,
            log_start_offset=log_start_offset,
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=records,
        ),
    )


@lru_cache(maxsize=NOTHINGS_MAX)
def _nothing(leadership: Leadership, log_start_offset: int, high_watermark: int) -> FetchResponse:
    """Half of all fetches wait with this answer: all who do so at one time share it."""
    return _found(leadership, log_start_offset, high_watermark, ())


def misfit(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: FetchRequest
) -> FetchResponse | None:
    """The answer to a fetch that acknowledges nothing: one that is refused, or whose place is not
    in our log (5.32). None: it fits."""
    if _is_usual(leadership, log, request):
        return None
    error = top_level_error(leadership, request)
    if error:
        return FetchResponse(error_code=error)
    error = partition_error(leadership, request)
    if error:
        return refused(leadership, error)
    wanted = request.topics[0].partitions[0]
    snapshot = _snapshot_instead(leadership.snapshot, log, wanted)
    diverging = None if snapshot is not None else _diverging(log, wanted)
    if diverging is None and snapshot is None:
        return None
    return _response(
        leadership,
        FetchPartitionData(
            partition_index=0,
            high_watermark=high_watermark,
            log_start_offset=log.start_offset,
            diverging_epoch=diverging or EpochEndOffset(),
            snapshot_id=snapshot or SnapshotId(),
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=(),
        ),
    )


def _is_usual(leadership: Leadership, log: MetadataLog, request: FetchRequest) -> bool:
    """Nearly every fetch: of one that follows in our epoch, and has something of it. There is
    nothing to refuse then, and nowhere where its log could part from ours."""
    if len(request.topics) != 1 or len(request.topics[0].partitions) != 1:
        return False
    topic = request.topics[0]
    wanted = topic.partitions[0]
    return (
        wanted.current_leader_epoch == leadership.epoch
        and wanted.last_fetched_epoch == leadership.epoch == log.last_epoch
        and log.start_offset < wanted.fetch_offset <= log.end_offset
        and leadership.leads
        and request.cluster_id == leadership.cluster_id
        and request.max_wait_ms >= 0
        and topic.topic_id == METADATA_TOPIC_ID
        and wanted.partition == 0
    )


def place_of(request: FetchRequest) -> object:
    """All that the answer to a request that waits depends on, but for who asks: its epoch is the
    leader's, and it is willing to wait."""
    wanted = request.topics[0].partitions[0]
    return wanted.fetch_offset, wanted.last_fetched_epoch, wanted.high_watermark


def refused(leadership: Leadership, error: ErrorCode) -> FetchResponse:
    """Nothing but the error, and who leads: that is how leaders are found (rule 10.38)."""
    return _response(
        leadership,
        FetchPartitionData(
            partition_index=0,
            error_code=error,
            log_start_offset=0,
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=(),
        ),
    )


def may_wait(request: FetchRequest, response: FetchResponse) -> bool:
    """Nothing to tell yet: no error, no divergence, no record, no watermark that is news."""
    if response.error_code or request.max_wait_ms == 0:
        return False
    data = response.responses[0].partitions[0]
    fits = not data.error_code and data.diverging_epoch.epoch < 0 and data.snapshot_id.epoch < 0
    if data.records or not fits:
        return False
    known = request.topics[0].partitions[0].high_watermark
    return known == HIGH_WATERMARK_UNKNOWN or data.high_watermark <= known


def _snapshot_instead(
    snapshot: SnapshotId | None, log: MetadataLog, wanted: FetchPartition
) -> SnapshotId | None:
    """The snapshot, for one who has nothing yet or whose place is no longer in the log (10.34)."""
    if snapshot is None:
        return None
    offset, epoch = wanted.fetch_offset, wanted.last_fetched_epoch
    at_start = offset == log.start_offset and epoch != log.start_epoch
    if offset == 0 or offset < log.start_offset or (log.start_offset > 0 and at_start):
        return snapshot
    return snapshot if epoch < log.start_epoch else None


def _diverging(log: MetadataLog, wanted: FetchPartition) -> EpochEndOffset | None:
    """Where the follower's log parts from ours; None while it is a prefix of it."""
    if wanted.fetch_offset == 0:
        return None
    epoch, end_offset = log.end_offset_for_epoch(wanted.last_fetched_epoch)
    if epoch != wanted.last_fetched_epoch or end_offset < wanted.fetch_offset:
        return EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return None


def _leader(leadership: Leadership) -> LeaderIdAndEpoch:
    return LeaderIdAndEpoch(leader_id=leadership.leader_id, leader_epoch=leadership.epoch)


def _response(leadership: Leadership, data: FetchPartitionData) -> FetchResponse:
    topic = FetchTopicData(topic_id=METADATA_TOPIC_ID, partitions=(data,))
    return FetchResponse(responses=(topic,), node_endpoints=leadership.endpoints)
