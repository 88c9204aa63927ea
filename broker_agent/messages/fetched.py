"""Parts of the responses to Fetch: who asks, what a log gives, and what an error looks like."""

from collections.abc import Iterator
from typing import NamedTuple

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.log.batch import Batch, opaque
from kraftsim.controller.core.rpc import (
    EpochEndOffset,
    FetchPartitionData,
    FetchRequest,
    FetchTopicData,
    LeaderIdAndEpoch,
    NodeEndpoint,
)

from ..log.batch import BadBatch
from ..log.epochs import UNDEFINED
from ..log.log import Log
from .fetch_sessions import Wanted

FUTURE_REPLICA = -3
READ_COMMITTED = 1


class Read(NamedTuple):
    """What was read of one partition; `key` is None if the broker does not know it."""

    wanted: Wanted
    data: FetchPartitionData
    size: int = 0
    key: PartitionKey | None = None
    leader: NodeEndpoint | None = None
    segments: tuple[int, int] = (0, 0)
    """Base offsets of the segments of the fetch offset and of the end that may be read."""
    is_behind_end: bool = False

    @property
    def ends_wait(self) -> bool:
        """True if the reply is sent whatever else was read (B4.34)."""
        data = self.data
        return data.preferred_read_replica >= 0 or (
            bool(data.error_code) or data.diverging_epoch.epoch >= 0 or self.is_behind_end
        )


def replica_id(request: FetchRequest) -> int:
    """Returns the id of a follower, or a negative number for a consumer (B4.2)."""
    return max(request.replica_id, request.replica_state.replica_id)


def readable_end(request: FetchRequest, log: Log) -> int:
    """Returns the offset up to which the requester may read (B4.25)."""
    return log.high_watermark if is_consumer(request) else log.end_offset


def is_consumer(request: FetchRequest) -> bool:
    ids = (request.replica_id, request.replica_state.replica_id)
    return max(ids) < 0 and FUTURE_REPLICA not in ids


def data_of(
    request: FetchRequest,
    wanted: Wanted,
    high_watermark: int,
    log_start: int,
    records: list[bytes],
    *,
    diverging: EpochEndOffset | None = None,
    is_cut: bool = False,
) -> FetchPartitionData:
    """Returns what a reply says of a partition without an error."""
    is_committed = request.isolation_level == READ_COMMITTED and is_consumer(request)
    has_aborted = is_committed and diverging is None and not is_cut  # B4.27
    return FetchPartitionData(
        partition_index=wanted.position.partition,
        high_watermark=high_watermark,
        last_stable_offset=high_watermark,
        log_start_offset=log_start,
        diverging_epoch=EpochEndOffset() if diverging is None else diverging,
        aborted_transactions=() if has_aborted else None,
        records=served(records),
    )


def stored(log: Log, offset: int, end: int, limit: int, *, reads_one: bool) -> list[bytes]:
    """Returns the bytes of a log in pieces.

    Raises ApiError for a bad limit, or a torn batch (rule B4.38).
    """
    if limit < 0:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")  # B4.32
    try:
        return log.read(offset, end, limit, reads_one=reads_one)
    except BadBatch:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, "") from None


def divergence(log: Log, epoch: int, offset: int) -> EpochEndOffset | None:
    """Returns where the log of the requester departs from this one, if it does (B5.10)."""
    if epoch < 0:
        return None
    found = log.epochs.end_of(epoch, log.end_offset)
    if found == UNDEFINED or offset < log.start_offset:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, "")
    if found[0] < epoch or found[1] < offset:
        return EpochEndOffset(epoch=found[0], end_offset=found[1])
    return None


def redirected(wanted: Wanted, log: Log, replica_id: int) -> FetchPartitionData:
    """Returns what a leader says of a partition that is to be read from a follower (B4.43)."""
    return FetchPartitionData(
        partition_index=wanted.position.partition,
        high_watermark=log.high_watermark,
        last_stable_offset=log.high_watermark,
        log_start_offset=log.start_offset,
        preferred_read_replica=replica_id,
        aborted_transactions=None,
        records=(),
    )


def failed(
    wanted: Wanted,
    code: ErrorCode,
    *,
    aborted: tuple[()] | None = None,
    current: LeaderIdAndEpoch | None = None,
) -> FetchPartitionData:
    return FetchPartitionData(
        partition_index=wanted.position.partition,
        error_code=code,
        current_leader=LeaderIdAndEpoch() if current is None else current,
        aborted_transactions=aborted,
        records=(),
    )


def served(records: list[bytes]) -> tuple[Batch, ...]:
    """Returns bytes as the wire encodes them: as one batch that is encoded already."""
    if not records:
        return ()
    return (opaque(records if len(records) == 1 else [b"".join(records)]),)


def by_topic(reads: list[Read]) -> Iterator[FetchTopicData]:
    """Groups neighbours of one topic, as Kafka does."""
    start = 0
    for end in range(1, len(reads) + 1):
        first = reads[start].wanted
        if end < len(reads) and reads[end].wanted.key[:2] == first.key[:2]:
            continue
        yield FetchTopicData(
            topic=first.topic,
            topic_id=first.topic_id,
            partitions=tuple(read.data for read in reads[start:end]),
        )
        start = end
