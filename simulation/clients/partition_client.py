"""A client that writes a partition and reads it again, at the brokers of a world.

The producer is idempotent and has one request under way. The client learns the leader from the
committed metadata: anew once what it knows is too old, and after an error. No network lies between
client and broker, but a response may be lost.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, cast

from kraftsim.broker_agent.log.batch import LOG_OVERHEAD, header_of
from kraftsim.broker_agent.log.reading import split
from kraftsim.broker_agent.messages.lines import Line, Producer, batch_of
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.rpc import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    Response,
)
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from kraftsim.controller.core.rpc.transactions import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from kraftsim.controller.core.uuid import Uuid

from ..world import World
from .listeners import Listeners

ALL, LEADER = -1, 1  # acks
REQUEST_MS = 30_000  # request.timeout.ms
EARLIEST = -2
READ_BYTES = 1_048_576  # max.partition.fetch.bytes
RETRIABLE = (
    *(ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    *(ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.KAFKA_STORAGE_ERROR),
    *(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.REQUEST_TIMED_OUT),
)
"""Errors after which the producer repeats the batch; after any other it takes a new id."""


class Known(NamedTuple):
    """A partition as a client knows it since `learned_us`."""

    partition: Partition
    learned_us: int


class PartitionClient:
    """Writes batches of `records` records to one partition, and reads the partition.

    `waits_for_isr` is acks=all; otherwise acks=1. What the client knows of the leader is
    `refresh_us` old at most. `loses()` decides whether a response to Produce is lost.
    `acknowledged` counts records.
    """

    def __init__(
        self,
        world: World,
        listeners: Listeners,
        topic: str,
        index: int,
        *,
        records: int,
        size: int,
        loses: Callable[[], bool],
        waits_for_isr: bool = True,
        refresh_us: int = 0,
    ) -> None:
        self._world, self._listeners = world, listeners
        self._topic, self._index = topic, index
        self._records, self._size, self._loses = records, size, loses
        self._acks, self._refresh_us = ALL if waits_for_isr else LEADER, refresh_us
        self._known: Known | None = None
        self._producer: Producer | None = None
        self._is_asking = False
        self._waits_for: tuple[int, Uuid | None] | None = None  # a broker, and its process
        self._requests = 0
        self._pending: bytes | None = None
        self._written = 0
        self._position, self._epoch = 0, -1
        self.acknowledged = 0

    def write(self) -> None:
        """Sends the next batch, or again the one that was not acknowledged; waits for a reply."""
        waits_for = self._waits_for
        if waits_for is not None and self._listeners.process_of(waits_for[0]) == waits_for[1]:
            return
        leader = self._leader()
        if leader is None:
            return
        broker_id, messages, _ = leader
        if self._producer is None:
            self._ask_for_id(messages)
            return
        if self._pending is None:
            self._pending = self._next_batch(self._producer)
        request = self._produce_request(self._pending)
        self._waits_for = (broker_id, self._listeners.process_of(broker_id))
        self._requests += 1
        replied = partial(self._replied, self._requests)
        send = partial(messages.produce, request)
        self._listeners.exchange(broker_id, request, send, replied)

    def _replied(self, number: int, reply: Response) -> None:
        if number != self._requests:
            return  # to a request whose broker has ended
        self._waits_for = None
        if not self._loses():
            self._note(cast(ProduceResponse, reply))

    def read(self) -> None:
        """Reads on to the high watermark; from the log start if the leader has changed."""
        leader = self._leader()
        if leader is None:
            return
        broker_id, messages, partition = leader
        if self._epoch != partition.leader_epoch:
            start = self._start(messages)
            if start is None:
                return
            self._position, self._epoch = start, partition.leader_epoch
        while True:
            request, replies = self._fetch_request(), list[Response]()
            send = partial(messages.fetch, request)
            self._listeners.exchange(broker_id, request, send, replies.append)
            (reply,) = replies
            data = cast(FetchResponse, reply).responses[0].partitions[0]
            if data.error_code:
                self._known = None
            if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                self._epoch = -1  # begins anew at the next look
            records = b"".join(batch.encoded[0] for batch in data.records or ())
            if data.error_code or not records:
                return
            self._position = _end_of(records)

    def _leader(self) -> tuple[int, Messages, Partition] | None:
        """Returns the leader that the client knows, if it responds."""
        partition = self._partition()
        messages = None if partition is None else self._listeners.find(partition.leader)
        if partition is None or messages is None:
            self._known = None
            return None
        return partition.leader, messages, partition

    def _partition(self) -> Partition | None:
        """Returns the partition as the client knows it; None if there is none."""
        image, now_us = self._world.committed, self._world.timeline.now_us
        topic_id = image.topic_ids.get(self._topic)
        if topic_id is None:
            return None  # the topic was deleted
        known = self._known
        if known is not None and now_us < known.learned_us + self._refresh_us:
            return known.partition
        partition = image.topics[topic_id].partitions.get(self._index)
        self._known = None if partition is None else Known(partition, now_us)
        return partition

    def _ask_for_id(self, messages: Messages) -> None:
        if not self._is_asking:
            self._is_asking = True
            request = InitProducerIdRequest(
                transactional_id=None,
                transaction_timeout_ms=0,
                producer_id=-1,
                producer_epoch=-1,
            )
            messages.init_producer_id(request, self._got_id)

    def _got_id(self, reply: Response | ApiError) -> None:
        self._is_asking = False
        if isinstance(reply, InitProducerIdResponse) and not reply.error_code:
            self._producer, self._pending = (
                Producer(reply.producer_id, reply.producer_epoch, 0),
                None,
            )

    def _next_batch(self, producer: Producer) -> bytes:
        first, self._written = self._written, self._written + self._records
        lines = [
            Line(b"%d" % number, b"%0*d" % (self._size, number))
            for number in range(first, self._written)
        ]
        return batch_of(lines, self._world.timeline.wall_ms, producer)

    def _note(self, response: ProduceResponse) -> None:
        code = response.responses[0].partition_responses[0].error_code
        producer = self._producer
        if code:
            self._known = None
        if code == ErrorCode.NONE and producer is not None:
            self.acknowledged += self._records
            self._pending = None
            self._producer = producer._replace(sequence=producer.sequence + self._records)
        elif code not in RETRIABLE:
            self._producer = self._pending = None

    def _start(self, messages: Messages) -> int | None:
        wanted = ListOffsetsPartition(partition_index=self._index, timestamp=EARLIEST)
        topic = ListOffsetsTopic(name=self._topic, partitions=(wanted,))
        request = ListOffsetsRequest(replica_id=-1, topics=(topic,))

        response = cast(ListOffsetsResponse, messages.list_offsets(request))
        found = response.topics[0].partitions[0]
        return None if found.error_code else found.offset

    @property
    def _topic_id(self) -> bytes:
        return self._world.committed.topic_ids[self._topic]

    def _produce_request(self, batch: bytes) -> ProduceRequest:
        data = PartitionProduceData(index=self._index, records=batch)
        topic = TopicProduceData(name=self._topic, topic_id=self._topic_id, partition_data=(data,))
        return ProduceRequest(acks=self._acks, timeout_ms=REQUEST_MS, topic_data=(topic,))

    def _fetch_request(self) -> FetchRequest:
        wanted = FetchPartition(
            partition=self._index,
            fetch_offset=self._position,
            partition_max_bytes=READ_BYTES,
        )
        topic = FetchTopic(topic=self._topic, topic_id=self._topic_id, partitions=(wanted,))
        return FetchRequest(max_bytes=READ_BYTES, max_wait_ms=0, topics=(topic,))


def _end_of(records: bytes) -> int:
    """Returns the offset behind the whole batches of a response, whose bytes end anywhere."""
    *before, last = split(records)
    is_torn = last[8:LOG_OVERHEAD] != (len(last) - LOG_OVERHEAD).to_bytes(4, "big", signed=True)
    return header_of(before[-1] if is_torn and before else last).last_offset + 1
