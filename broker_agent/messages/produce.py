"""Produce (0): from the bytes of a request to the leader's log (rules B2.1-B2.47)."""

from collections.abc import Iterator

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import Partition, Topic
from kraftsim.controller.core.rpc.stored_messages import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceLeaderIdAndEpoch,
    ProduceNodeEndpoint,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS

from ..log.batch import HEADER_BYTES, TRANSACTIONAL, header_of
from ..log.log import Instant
from ..log.producers import OutOfOrder, StaleEpoch
from ..log.validation import Refused, check, only_batch
from ..log.waits import FetchWaits
from .replicas import NOT_LEADER, UNKNOWN, Replica, Replicas

TOPIC_IDS_SINCE, LEADERS_SINCE = 13, 10
NEWEST = 13
ADMIN_CLIENT = "__admin_client"
ALL, LEADER, NOBODY = -1, 1, 0  # values of acks
_WITHOUT_START = (
    *(ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.CORRUPT_MESSAGE),
    *(ErrorCode.KAFKA_STORAGE_ERROR, UNKNOWN, NOT_LEADER, ErrorCode.UNKNOWN_TOPIC_ID),
)
"""Errors whose reply has no log start although the log is known (B1.23)."""


class Producing:
    """Answers the Produce requests at one listener of a broker."""

    def __init__(self, replicas: Replicas, waits: FetchWaits, listener: str) -> None:
        self._replicas, self._waits, self._listener = replicas, waits, listener

    def answer(self, request: ProduceRequest, at: Instant) -> ProduceResponse:
        """Returns the response to a request, all of whose batches are appended or refused.

        Raises ApiError for a request with acks=0 that has an error: its connection ends (B2.33).
        """
        version = request.requester.version_or(NEWEST)
        asked = _Asked(self, request, version, at)
        topics = tuple(asked.topics())
        if request.acks == NOBODY:
            for topic in topics:
                for partition in topic.partition_responses:
                    if partition.error_code:
                        raise ApiError(ErrorCode(partition.error_code), "")
        return ProduceResponse(responses=topics, node_endpoints=tuple(asked.endpoints.values()))

    def append(
        self, asked: "_Asked", topic: Topic, index: int, records: bytes | None
    ) -> PartitionProduceResponse:
        """Appends the batch for one partition; raises ApiError or Refused."""
        request, at = asked.request, asked.at
        if index not in topic.partitions:
            raise ApiError(UNKNOWN, "")
        batch = only_batch(records, asked.version)  # before leadership (B1.13)
        if request.acks not in (ALL, LEADER, NOBODY):
            raise ApiError(ErrorCode.INVALID_REQUIRED_ACKS, "")
        if topic.name in INTERNAL_TOPICS and request.requester.client_id != ADMIN_CLIENT:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "")
        replica = self._replicas.led(topic, index, at)
        try:
            return self._stored(replica, batch, request.acks, at)
        except OutOfOrder:
            refused = Refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
        except StaleEpoch:
            refused = Refused(ErrorCode.INVALID_PRODUCER_EPOCH)
        except Refused as refusal:
            refused = refusal
        return PartitionProduceResponse(
            index=index,
            error_code=refused.code,
            base_offset=-1,
            log_start_offset=-1 if refused.code in _WITHOUT_START else replica.log.start_offset,
            record_errors=tuple(
                BatchIndexAndErrorMessage(batch_index=place, batch_index_error_message=text)
                for place, text in refused.record_errors
            ),
            error_message=refused.message,
        )

    def _stored(
        self, replica: Replica, batch: bytes, acks: int, at: Instant
    ) -> PartitionProduceResponse:
        log, partition, settings = replica.log, replica.partition, replica.settings
        if acks == ALL and len(partition.isr) < replica.effective_min_isr:
            raise Refused(ErrorCode.NOT_ENOUGH_REPLICAS)  # before anything is appended (B2.23)
        accepted = check(batch, settings, replica.name, at.wall_ms)
        self._replicas.check_writes(partition)
        from_offset = log.end_offset
        appended, stored = log.append(accepted, partition.leader_epoch, at, settings)
        append_time_ms = appended.timestamp if stored is None or settings.is_stamped else -1
        if stored is not None:
            if len(partition.isr) >= replica.effective_min_isr:
                log.high_watermark = log.end_offset
            self._replicas.replicate(replica, stored, from_offset, at)
            self._waits.appended(replica.key, len(stored))
        return PartitionProduceResponse(
            index=replica.key[1],
            base_offset=appended.base_offset,
            log_append_time_ms=append_time_ms,  # of a duplicate on any topic (B2.32)
            log_start_offset=log.start_offset,
        )

    def node_of(self, partition: Partition) -> ProduceNodeEndpoint | None:
        """Returns the address of a partition's leader; None if it is unknown."""
        found = self._replicas.leader_of(partition, self._listener)
        if found is None:
            return None
        host, port, rack = found
        return ProduceNodeEndpoint(node_id=partition.leader, host=host, port=port, rack=rack)

    def topic(self, data: TopicProduceData, *, by_id: bool) -> Topic:
        """Returns the topic of a request; raises ApiError."""
        return self._replicas.topic(data.name, data.topic_id, by_id=by_id)


class _Asked:
    """One request, while it is answered; `endpoints` are the leaders that its reply names."""

    def __init__(
        self, producing: Producing, request: ProduceRequest, version: int, at: Instant
    ) -> None:
        self.request, self.version, self.at = request, version, at
        self.endpoints: dict[int, ProduceNodeEndpoint] = {}
        self._producing = producing
        self._is_refused = request.transactional_id is None and _is_transactional(request)

    def topics(self) -> Iterator[TopicProduceResponse]:
        """Yields the results by topic."""
        for data in self.request.topic_data:
            last = {part.index: part.records for part in data.partition_data}  # B2.6
            yield TopicProduceResponse(
                name=data.name,
                topic_id=data.topic_id,
                partition_responses=tuple(
                    self._partition(data, index, records) for index, records in last.items()
                ),
            )

    def _partition(
        self, data: TopicProduceData, index: int, records: bytes | None
    ) -> PartitionProduceResponse:
        code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        message: str | None = None
        topic: Topic | None = None
        if not self._is_refused:  # B1.45, B2.2
            try:
                topic = self._producing.topic(data, by_id=self.version >= TOPIC_IDS_SINCE)
                return self._producing.append(self, topic, index, records)
            except ApiError as error:
                code = error.code
            except Refused as refused:
                code, message = refused.code, refused.message
        return PartitionProduceResponse(
            index=index,
            error_code=code,
            base_offset=-1,
            error_message=message,
            current_leader=self._leader(code, topic, index),
        )

    def _leader(self, code: ErrorCode, topic: Topic | None, index: int) -> ProduceLeaderIdAndEpoch:
        """Returns who leads instead, from the version on that has room for it (B2.24)."""
        if code != NOT_LEADER or topic is None or self.version < LEADERS_SINCE:
            return ProduceLeaderIdAndEpoch()
        partition = topic.partitions[index]
        node = self._producing.node_of(partition)
        if node is not None:
            self.endpoints[node.node_id] = node
        return ProduceLeaderIdAndEpoch(
            leader_id=partition.leader, leader_epoch=partition.leader_epoch
        )


def _is_transactional(request: ProduceRequest) -> bool:
    """True if a batch has the bit of transactions."""
    return any(
        part.records is not None
        and len(part.records) >= HEADER_BYTES
        and bool(header_of(part.records).attributes & TRANSACTIONAL)
        for topic in request.topic_data
        for part in topic.partition_data
    )
