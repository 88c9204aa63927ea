"""The short path of Produce: from the bytes of a request to a log (`short_path.py`)."""

from collections.abc import Callable, Sequence

from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS
from kraftsim.controller.wire.frames import Exchange

from ..log.batch import HEADER_BYTES, Data
from ..log.log import Instant
from ..log.validation import ZSTD_SINCE, is_plain
from .known_replica import KnownReplica
from .produce import ALL, LEADER, Producing
from .quotas import PRODUCER_RATE, ByteQuotas
from .replicas import Replicas
from .short_format import (
    BODY,
    CORRELATION,
    LEFT_TO_GENERAL_PATH,
    LENGTH,
    MARK,
    MARKS,
    NUMBERS,
    Client,
    Format,
    changed,
)


class ShortProduce:
    """Produce requests with one batch for one partition, alike but for the batch."""

    def __init__(
        self,
        producing: Producing,
        replicas: Replicas,
        quotas: ByteQuotas,
        now: Callable[[], Instant],
        exchange: Exchange,
        request: ProduceRequest,
    ) -> None:
        (topic,) = request.topic_data
        (part,) = topic.partition_data
        self.exchange, self.request = exchange, request
        self._producing, self._quotas, self._now = producing, quotas, now
        self._replicas, self._broker_id = replicas, replicas.broker_id
        self._known = KnownReplica(replicas, topic.name, topic.topic_id, part.index)
        self._format = Format(exchange)
        marked = changed(topic, partition_data=(changed(part, records=MARK),))
        head, self._tail = self._format.request(changed(request, topic_data=(marked,)), MARK)
        self._head = head[: -self._format.mark_bytes]
        self._start = BODY + len(self._head)
        self._last_size, self._last_length = 0, b""  # of the frame before, and of its batch
        self._least = self._start + HEADER_BYTES + len(self._tail)
        base_offset, append_time_ms, log_start = MARKS
        placed = PartitionProduceResponse(
            index=part.index,
            base_offset=base_offset,
            log_append_time_ms=append_time_ms,
            log_start_offset=log_start,
        )
        named = TopicProduceResponse(
            name=topic.name, topic_id=topic.topic_id, partition_responses=(placed,)
        )
        reply = ProduceResponse(responses=(named,))
        self._before, self._after = self._format.reply(reply, NUMBERS.pack(*MARKS))
        self._reply_bytes = LENGTH.pack(
            LENGTH.size + len(self._before) + NUMBERS.size + len(self._after)
        )

    def matches(self, frame: Data) -> bool:
        """True if the frame is alike."""
        return (
            len(frame) > self._least
            and frame.startswith(self._head, BODY)
            and frame.startswith(self.exchange.start, LENGTH.size)
            and frame.endswith(self._tail)
        )

    def answer(self, frame: Data, client: Client) -> Sequence[bytes] | None:
        """Appends the batch, and returns the reply; None if the general path has to answer."""
        end = len(frame) - len(self._tail)
        if len(frame) != self._last_size or not frame.startswith(self._last_length, self._start):
            size, start = self._format.read_length(frame, self._start)
            if start + size != end:
                return None
            self._last_size, self._last_length = len(frame), bytes(frame[self._start : start])
        start = self._start + len(self._last_length)
        if not is_plain(frame, start, end):
            return None
        at = self._now()
        try:
            replica = self._known.at(at)
            in_step = self._replicas.in_step(replica)
            if (
                (self._known.has_quotas and self._is_limited)
                or replica.partition.leader != self._broker_id
                or not self._replicas.hosted.is_in_service
                or self._replicas.hosted.disk.is_slow
                or replica.topic.name in INTERNAL_TOPICS
                or (self.request.acks == ALL and in_step is None)
            ):
                return None
            acks = self.request.acks
            placed = self._producing.store(replica, acks, at, frame, start, end, in_step)
        except LEFT_TO_GENERAL_PATH:
            return None
        number, numbers = frame[CORRELATION], NUMBERS.pack(*placed)
        return (b"".join((self._reply_bytes, number, self._before, numbers, self._after)),)

    @property
    def _is_limited(self) -> bool:
        """True if the client has a quota."""
        return self._quotas.limit(PRODUCER_RATE, self.request.requester) is not None


def is_short_produce(request: ProduceRequest, version: int) -> bool:
    """True for a request that `ShortProduce` can repeat."""
    return (
        version >= ZSTD_SINCE
        and request.acks in (ALL, LEADER)
        and request.transactional_id is None
        and len(request.topic_data) == 1
        and len(request.topic_data[0].partition_data) == 1
    )
