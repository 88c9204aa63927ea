"""Produce (0): from the bytes of a request to the leader's log (rules B2.1-B2.47)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import Partition, PartitionKey, Topic
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
from kraftsim.controller.core.uuid import Uuid

from ..log.batch import Data
from ..log.log import Instant, Log
from ..log.producers import OutOfOrder, StaleEpoch
from ..log.validation import (
    ZSTD_SINCE,
    Refused,
    check,
    find_refusal,
    has_unknown_codec,
    only_batch,
)
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


TIMED_OUT = ErrorCode.REQUEST_TIMED_OUT


class Placed(NamedTuple):
    """Where a batch is: what a reply says of it."""

    base_offset: int
    append_time_ms: int
    log_start_offset: int


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

    def unacknowledged(self, response: ProduceResponse) -> list[PartitionKey]:
        """Returns the partitions whose batch some replica of the ISR has not fetched (B2.42)."""
        image = self._replicas.image
        return [
            (image.topic_ids.get(topic.name, topic.topic_id), part.index)
            for topic in response.responses
            for part in topic.partition_responses
            if part.error_code == TIMED_OUT
        ]

    def look_again(
        self, request: ProduceRequest, response: ProduceResponse, at: Instant
    ) -> ProduceResponse:
        """Returns the response as it is now; who has lost the leadership says so (B2.42, B6.60)."""
        asked = _Asked(self, request, request.requester.version_or(NEWEST), at)
        topics = tuple(
            replace(
                topic,
                partition_responses=tuple(
                    asked.looked_again(topic, part) if part.error_code == TIMED_OUT else part
                    for part in topic.partition_responses
                ),
            )
            for topic in response.responses
        )
        endpoints = (*response.node_endpoints, *asked.endpoints.values())
        return replace(response, responses=topics, node_endpoints=endpoints)

    def acknowledgement(self, topic: Topic, index: int, offset: int, at: Instant) -> ErrorCode:
        """Returns NONE once all of the ISR hold what was appended at `offset`; raises ApiError."""
        log = self._replicas.led(topic, index, at).log
        return TIMED_OUT if log.high_watermark <= offset else ErrorCode.NONE

    def append(
        self, asked: "_Asked", topic: Topic, index: int, entries: list[bytes | None]
    ) -> PartitionProduceResponse:
        """Appends the batch of the last good entry for one partition (B2.6).

        Raises ApiError, or Refused, which the last bad entry is even beside a good one.
        """
        if index not in topic.partitions:
            raise ApiError(UNKNOWN, "")
        batches: list[bytes] = []
        refused: Refused | None = None
        for records in entries:
            try:
                batches.append(only_batch(records, asked.version))  # before leadership (B1.13)
            except Refused as refusal:
                refused = refusal
        if refused is None:
            return self._append(asked, topic, index, batches[-1])
        if batches:
            with suppress(ApiError):
                self._append(asked, topic, index, batches[-1])
        raise refused

    def _append(
        self, asked: "_Asked", topic: Topic, index: int, batch: bytes
    ) -> PartitionProduceResponse:
        request, at = asked.request, asked.at
        if request.acks not in (ALL, LEADER, NOBODY):
            raise ApiError(ErrorCode.INVALID_REQUIRED_ACKS, "")
        if topic.name in INTERNAL_TOPICS and request.requester.client_id != ADMIN_CLIENT:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "")
        replica = self._replicas.led(topic, index, at)
        try:
            in_step = self._replicas.in_step(replica)
            placed = self.store(replica, request.acks, at, batch, 0, len(batch), in_step)
            is_waiting = request.acks == ALL and replica.log.high_watermark <= placed.base_offset
            return PartitionProduceResponse(
                index=index,
                error_code=TIMED_OUT if is_waiting else ErrorCode.NONE,
                base_offset=placed.base_offset,
                log_append_time_ms=placed.append_time_ms,
                log_start_offset=placed.log_start_offset,
            )
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

    def store(
        self,
        replica: Replica,
        acks: int,
        at: Instant,
        data: Data,
        start: int,
        end: int,
        in_step: list[Log] | None,
    ) -> Placed:
        """Appends the batch in `data` to the log of a replica that the broker leads.

        `in_step` is what `Replicas.in_step` returns.
        Raises ApiError, Refused, OutOfOrder or StaleEpoch, and has appended nothing then.
        """
        key, _, partition, log, settings, name, has_enough = replica
        if acks == ALL and not has_enough:
            raise Refused(ErrorCode.NOT_ENOUGH_REPLICAS)  # before anything is appended (B2.23)
        accepted = check(data, settings, name, at.wall_ms, start, end)
        self._replicas.check_writes(partition)
        from_offset = log.end_offset
        appended, stored = log.append(accepted, partition.leader_epoch, at, settings)
        append_time_ms = appended.timestamp if stored is None or settings.is_stamped else -1
        if stored is not None:
            self._replicas.replicate(replica, stored, from_offset, at, in_step)
            self._waits.appended(key, len(stored))
        # The time is that of a duplicate on any topic (B2.32).
        values = (appended.base_offset, append_time_ms, log.start_offset)
        return tuple.__new__(Placed, values)  # takes half the time of Placed(...)

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
        self._refusal = self._find_refusal()

    def topics(self) -> Iterator[TopicProduceResponse]:
        """Yields the results by topic."""
        asked: dict[tuple[str, Uuid], dict[int, list[bytes | None]]] = {}
        for data in self.request.topic_data:
            parts = asked.setdefault((data.name, data.topic_id), {})
            for part in data.partition_data:
                parts.setdefault(part.index, []).append(part.records)
        for (name, topic_id), parts in asked.items():
            data = TopicProduceData(name=name, topic_id=topic_id)
            yield TopicProduceResponse(
                name=name,
                topic_id=topic_id,
                partition_responses=tuple(
                    self._partition(data, index, entries) for index, entries in parts.items()
                ),
            )

    def _partition(
        self, data: TopicProduceData, index: int, entries: list[bytes | None]
    ) -> PartitionProduceResponse:
        refusal = self._refusal
        topic: Topic | None = None
        if refusal is None:
            try:
                topic = self._producing.topic(data, by_id=self.version >= TOPIC_IDS_SINCE)
                return self._producing.append(self, topic, index, entries)
            except ApiError as error:
                refusal = Refused(error.code)
            except Refused as refused:
                refusal = refused
        return PartitionProduceResponse(
            index=index,
            error_code=refusal.code,
            base_offset=-1,
            error_message=refusal.message,
            current_leader=self._leader(refusal.code, topic, index),
        )

    def looked_again(
        self, found: TopicProduceResponse, part: PartitionProduceResponse
    ) -> PartitionProduceResponse:
        """Returns the result of a partition that was not acknowledged before."""
        data = TopicProduceData(name=found.name, topic_id=found.topic_id)
        topic: Topic | None = None
        try:
            topic = self._producing.topic(data, by_id=self.version >= TOPIC_IDS_SINCE)
            offset = part.base_offset
            code = self._producing.acknowledgement(topic, part.index, offset, self.at)
        except ApiError as error:
            code = error.code
        return replace(part, error_code=code, current_leader=self._leader(code, topic, part.index))

    def _find_refusal(self) -> Refused | None:
        """Returns why every partition of the request is refused (B1.10, B1.11, B2.2)."""
        request = self.request
        parts = [(data, part) for data in request.topic_data for part in data.partition_data]
        for _, part in parts:
            refusal = find_refusal(part.records)
            if refusal is not None and refusal.code == ErrorCode.CORRUPT_MESSAGE:
                return refusal
            if refusal is not None:
                if request.transactional_id is None:
                    return refusal
                break
        for data, part in parts if self.version < ZSTD_SINCE else ():
            if has_unknown_codec(part.records, self.version) and self._knows(data, part.index):
                return Refused(ErrorCode.UNKNOWN_SERVER_ERROR)
        return None

    def _knows(self, data: TopicProduceData, index: int) -> bool:
        try:
            return index in self._producing.topic(data, by_id=False).partitions
        except ApiError:
            return False

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
