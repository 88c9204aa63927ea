"""Fetch of the metadata log, as a leader answers it to those who follow (interop 2.3, 10F).

Checks come in Kafka's order. Records go out up to the end of the log, uncommitted ones included,
with the high watermark beside them; a follower applies only what lies below that.
"""

from dataclasses import dataclass

from ..core.batch import Batch
from ..core.errors import ErrorCode
from ..core.rpc import (
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchTopicData,
    LeaderIdAndEpoch,
    NodeEndpoint,
)
from ..core.rpc.fetch import HIGH_WATERMARK_UNKNOWN
from ..core.uuid import METADATA_TOPIC_ID
from .log import MetadataLog

BATCHES_MAX = 4096  # of one answer; the wire's own bound is in bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Leadership:
    """What an answer says of the quorum. `leader_id` is -1 where no leader is known."""

    node_id: int
    cluster_id: str
    leader_id: int
    epoch: int
    endpoints: tuple[NodeEndpoint, ...]


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
    if leadership.leader_id != leadership.node_id:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return ErrorCode.NONE


def answer(
    leadership: Leadership, log: MetadataLog, high_watermark: int, request: FetchRequest
) -> FetchResponse:
    """The whole answer as it stands now; `may_wait` says whether it is worth sending yet."""
    error = top_level_error(leadership, request)
    if error:
        return FetchResponse(error_code=error)
    error = partition_error(leadership, request)
    if error:
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
    wanted = request.topics[0].partitions[0]
    diverging = _diverging(log, wanted)
    records: list[Batch] | tuple[()] = ()
    if diverging is None:
        records = list(log.read(wanted.fetch_offset, BATCHES_MAX))
    return _response(
        leadership,
        FetchPartitionData(
            partition_index=0,
            high_watermark=high_watermark,
            log_start_offset=0,
            diverging_epoch=diverging or EpochEndOffset(),
            current_leader=_leader(leadership),
            aborted_transactions=(),
            records=records,
        ),
    )


def may_wait(request: FetchRequest, response: FetchResponse) -> bool:
    """Nothing to tell yet: no error, no divergence, no record, no watermark that is news."""
    if response.error_code or request.max_wait_ms == 0:
        return False
    data = response.responses[0].partitions[0]
    if data.error_code or data.records or data.diverging_epoch.epoch >= 0:
        return False
    known = request.topics[0].partitions[0].high_watermark
    return known == HIGH_WATERMARK_UNKNOWN or data.high_watermark <= known


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
