"""ListOffsets (2), OffsetForLeaderEpoch (23), DeleteRecords (21) (rules B7.1-B7.34)."""

from collections import Counter

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc.stored_messages import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
    OffsetForLeaderEpochEpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS
from kraftsim.controller.core.uuid import ZERO_UUID

from ..log.batch import BadBatch, BadRecord
from ..log.codecs import CannotDecompress
from ..log.log import Instant, Log
from ..log.offsets import NOTHING, Found, first_since, largest
from .replicas import Replicas

NEWEST = 11
LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, PENDING_UPLOAD = range(-1, -7, -1)
SINCE = {
    **{LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9},
    PENDING_UPLOAD: 11,
}
"""The first version of ListOffsets with each special timestamp (B7.5)."""
SINCE_OFFSET_NOT_AVAILABLE = 5
DEBUGGING, CLIENT = -2, -1  # ids of replicas that are none
HIGH_WATERMARK = -1  # as an offset of DeleteRecords


def list_offsets(
    replicas: Replicas, request: ListOffsetsRequest, at: Instant
) -> ListOffsetsResponse:
    """Returns the offsets that a request asks for."""
    version = request.requester.version_or(NEWEST)
    topics: list[ListOffsetsTopicResponse] = []
    for topic in request.topics:
        counts = Counter(of.partition_index for of in topic.partitions)
        repeats = version and len(set(counts)) < len(topic.partitions)
        wanted = {of.partition_index: of for of in topic.partitions} if repeats else None
        partitions = topic.partitions if wanted is None else tuple(wanted.values())
        results: list[ListOffsetsPartitionResponse] = []
        for partition in partitions:
            index = partition.partition_index
            try:
                if counts[index] > 1:  # B7.1
                    raise ApiError(ErrorCode.INVALID_REQUEST, "")
                found = _offset(replicas, request, version, topic.name, partition, at)
            except ApiError as error:
                failed = ListOffsetsPartitionResponse(partition_index=index, error_code=error.code)
                results.append(failed)
            else:
                results.append(
                    ListOffsetsPartitionResponse(
                        partition_index=index,
                        offset=found.offset,
                        timestamp=found.timestamp,
                        leader_epoch=found.epoch,
                    )
                )
        topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=tuple(results)))
    return ListOffsetsResponse(topics=tuple(topics))


def _offset(
    replicas: Replicas,
    request: ListOffsetsRequest,
    version: int,
    name: str,
    wanted: ListOffsetsPartition,
    at: Instant,
) -> Found:
    timestamp, index = wanted.timestamp, wanted.partition_index
    if timestamp < 0 and not version >= SINCE.get(timestamp, NEWEST + 1):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "")
    topic = replicas.topic(name, ZERO_UUID, by_id=False)
    replica = replicas.find(topic, index, at)
    replicas.check_epoch(replica.partition, wanted.current_leader_epoch)
    if request.replica_id != DEBUGGING:
        replicas.check_leads(replica.partition)
    log, is_client = replica.log, request.replica_id == CLIENT
    end = log.high_watermark if is_client else log.end_offset
    if timestamp == LATEST:
        if is_client:
            _check_knows_end(log, version)
        return Found(end, -1, replica.partition.leader_epoch)
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return Found(log.start_offset, -1, log.epochs.epoch_at(log.start_offset))
    if timestamp in (LATEST_TIERED, PENDING_UPLOAD):
        return NOTHING
    try:
        found = largest(log) if timestamp == MAX_TIMESTAMP else first_since(log, timestamp)
    except BadBatch:  # as measured at 4.3.1
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, "") from None
    except BadRecord:
        raise ApiError(ErrorCode.INVALID_RECORD, "") from None
    except CannotDecompress:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "") from None
    if found.offset < end:
        return found
    if is_client:
        _check_knows_end(log, version)
    return NOTHING


def _check_knows_end(log: Log, version: int) -> None:
    """Raises ApiError while a leader does not know how far its log is committed (B7.6).

    Its high watermark may be below that of the leader before, so it could seem to go back.
    """
    if log.high_watermark >= log.epochs.led_from:
        return
    is_new = version >= SINCE_OFFSET_NOT_AVAILABLE
    raise ApiError(ErrorCode.OFFSET_NOT_AVAILABLE if is_new else ErrorCode.LEADER_NOT_AVAILABLE, "")


def ends_of_epochs(
    replicas: Replicas, request: OffsetForLeaderEpochRequest, at: Instant
) -> OffsetForLeaderEpochResponse:
    """Returns where leader epochs end (B7.20)."""
    return OffsetForLeaderEpochResponse(
        topics=tuple(
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=tuple(_end(replicas, topic.topic, of, at) for of in topic.partitions),
            )
            for topic in request.topics
        )
    )


def _end(
    replicas: Replicas, name: str, wanted: OffsetForLeaderPartition, at: Instant
) -> OffsetForLeaderEpochEpochEndOffset:
    index = wanted.partition
    try:
        topic = replicas.topic(name, ZERO_UUID, by_id=False)
        replica = replicas.find(topic, index, at)
        replicas.check_epoch(replica.partition, wanted.current_leader_epoch)
        replicas.check_leads(replica.partition)
    except ApiError as error:
        return OffsetForLeaderEpochEpochEndOffset(partition=index, error_code=error.code)
    epoch, end = replica.log.epochs.end_of(wanted.leader_epoch, replica.log.end_offset)
    return OffsetForLeaderEpochEpochEndOffset(
        partition=index, error_code=ErrorCode.NONE, leader_epoch=epoch, end_offset=end
    )


def delete_records(
    replicas: Replicas, request: DeleteRecordsRequest, at: Instant
) -> DeleteRecordsResponse:
    """Raises the starts of logs (B7.30); followers in the ISR raise theirs at once."""
    return DeleteRecordsResponse(
        topics=tuple(
            DeleteRecordsTopicResult(
                name=topic.name,
                partitions=tuple(
                    _deleted(replicas, topic.name, of, at)
                    for of in {of.partition_index: of for of in topic.partitions}.values()
                ),
            )
            for topic in request.topics
        )
    )


def _deleted(
    replicas: Replicas, name: str, wanted: DeleteRecordsPartition, at: Instant
) -> DeleteRecordsPartitionResult:
    index, offset = wanted.partition_index, wanted.offset
    try:
        topic = replicas.topic(name, ZERO_UUID, by_id=False)
        if index not in topic.partitions:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
        if name in INTERNAL_TOPICS:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "")
        replica = replicas.led(topic, index, at)
        log, policies = replica.log, replica.settings.policies
        if "compact" in policies and "delete" not in policies:
            raise ApiError(ErrorCode.POLICY_VIOLATION, "")
        until = log.high_watermark if offset == HIGH_WATERMARK else offset
        if not 0 <= until <= log.high_watermark:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, "")
    except ApiError as error:
        return DeleteRecordsPartitionResult(
            partition_index=index, low_watermark=-1, error_code=error.code
        )
    log.delete_before(until, at.now_ms)
    replicas.delete_on_followers(replica, at)
    if replicas.lacks_a_follower(replica):  # Kafka waits for the followers until the timeout
        return DeleteRecordsPartitionResult(
            partition_index=index, low_watermark=-1, error_code=ErrorCode.REQUEST_TIMED_OUT
        )
    return DeleteRecordsPartitionResult(
        partition_index=index, low_watermark=log.start_offset, error_code=ErrorCode.NONE
    )
