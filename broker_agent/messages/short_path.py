"""The short path from the bytes of a request to a log: without decoding, without a response object.

A client that produces to one partition, or fetches from one, repeats its request: only the batch or
the offset changes, and the correlation id. So a connection learns, from a request that took the
general path, the bytes around those, in the request and in its reply. The next request with the
same bytes there is answered from its batch or its offset.

There are no rules here. The partition is looked up each time, and the replica and its log are asked
as on the general path. Whatever is refused, fails or is unusual is left to the general path, which
finds it again, because nothing was changed before it was found.
"""

from collections.abc import Callable
from dataclasses import replace
from struct import Struct
from typing import Any

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse, FetchTopicData, Request
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.varints import read_unsigned, unsigned
from kraftsim.controller.wire.frames import Exchange, encode_request, encode_response

from ..log.batch import HEADER_BYTES, BadBatch
from ..log.log import Instant
from ..log.producers import OutOfOrder, StaleEpoch
from ..log.validation import ZSTD_SINCE, Refused, is_plain
from .fetch import FETCH_BYTES_MAX, Fetching
from .fetch_sessions import Wanted
from .fetched import data_of, readable_end
from .produce import ALL, LEADER, Producing
from .quotas import PRODUCER_RATE, ByteQuotas
from .replicas import Replica, Replicas

Send = Callable[[list[bytes]], None]  # sends the pieces of a frame
ReplyTo = Callable[[Reply], None]

JOINED_BYTES_MAX = 32 * 1024  # of the records of a reply that is sent as one piece
FETCH_SINCE = 5  # an older reply has no log start
_LENGTH, _NUMBER, _NUMBERS = Struct(">i"), Struct(">q"), Struct(">qqq")
_CORRELATION = slice(4, 8)  # in a request, without its length
_BODY = 8  # in a request: of the client id and what follows
_REPLY_BODY = 8  # in a reply, with its length
# What stands in the place of a batch and of three numbers, while a frame is taken apart.
_MARK = bytes(range(100, 164))
_MARKS = (0x6B72_6166_7473_696D, 0x6B72_6166_7473_696D, 0x686D_6172_6B65_6421)


class _Unusual(Exception):
    """The general path has to answer."""


_LEFT_TO_GENERAL_PATH = (ApiError, Refused, OutOfOrder, StaleEpoch, BadBatch, _Unusual)


class _Format:
    """How the version of an exchange encodes requests, replies, and the lengths of records."""

    def __init__(self, exchange: Exchange) -> None:
        self._header = exchange.header
        self._is_flexible = APIS[exchange.header.api_key].is_flexible(exchange.version)
        self.mark_bytes = len(self.length(len(_MARK)))

    def length(self, size: int) -> bytes:
        """Returns a length of records."""
        return unsigned(size + 1) if self._is_flexible else _LENGTH.pack(size)

    def read_length(self, frame: bytes, position: int) -> tuple[int, int]:
        """Returns the length of records at a position, and the position behind it."""
        if self._is_flexible:
            size, position = read_unsigned(frame, position)
            return size - 1, position
        size = _LENGTH.unpack_from(frame, position)[0]
        return size, position + _LENGTH.size

    def request(self, request: Request, value: bytes) -> tuple[bytes, bytes]:
        """Returns what stands before a value in a request, from the client id on, and behind it."""
        key, version, number, client_id, _ = self._header
        frame = encode_request(key, version, number, client_id, request)[_LENGTH.size :]
        head, _, tail = frame[_BODY:].partition(value)
        return head, tail

    def reply(self, response: Any, value: bytes) -> tuple[bytes, bytes]:
        """Returns what stands before a value in a reply, from its correlation id on, and behind."""
        frame = encode_response(self._header.api_key, self._header.api_version, 0, response)
        head, _, tail = frame[_REPLY_BODY:].partition(value)
        return head, tail


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
        self._producing, self._replicas, self._now = producing, replicas, now
        self._quotas = quotas
        self._name, self._topic_id, self._index = topic.name, topic.topic_id, part.index
        self._format = _Format(exchange)
        marked = _with(topic, partition_data=(_with(part, records=_MARK),))
        head, self._tail = self._format.request(_with(request, topic_data=(marked,)), _MARK)
        self._head = head[: -self._format.mark_bytes]
        self._start = _BODY + len(self._head)
        base_offset, append_time_ms, log_start = _MARKS
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
        self._before, self._after = self._format.reply(reply, _NUMBERS.pack(*_MARKS))
        self._reply_bytes = _LENGTH.pack(
            len(self._before) + len(self._after) + _NUMBERS.size + _LENGTH.size
        )

    def matches(self, frame: bytes) -> bool:
        """True if the frame is alike."""
        return (
            frame.startswith(self._head, _BODY)
            and frame.startswith(self.exchange.start)
            and frame.endswith(self._tail)
            and len(frame) > self._start + HEADER_BYTES + len(self._tail)
            and self._batch_start(frame) > 0
        )

    def _batch_start(self, frame: bytes) -> int:
        """Returns where the batch begins; 0 if it is not as long as the frame says."""
        size, start = self._format.read_length(frame, self._start)
        return start if start + size == len(frame) - len(self._tail) else 0

    def answer(self, frame: bytes, send: Send, reply_to: ReplyTo) -> bool:
        """Appends the batch and replies; False if the general path has to answer."""
        at = self._now()
        try:
            batch = frame[self._batch_start(frame) : len(frame) - len(self._tail)]
            if not is_plain(batch, 0, len(batch)) or self._quotas.limit(PRODUCER_RATE, self.request.requester):
                return False
            topic = self._replicas.topic(self._name, self._topic_id, by_id=not self._name)
            if topic.name in INTERNAL_TOPICS:
                return False
            replica = self._replicas.led(topic, self._index, at)
            placed = self._producing.store(replica, batch, self.request.acks, at)
        except _LEFT_TO_GENERAL_PATH:
            return False
        numbers = _NUMBERS.pack(*placed)
        parts = (self._reply_bytes, frame[_CORRELATION], self._before, numbers, self._after)
        send([b"".join(parts)])
        return True


class ShortFetch:
    """Fetch requests of a consumer for one partition, without a session, alike but for the offset.

    They are answered as soon as there is anything behind the offset.
    """

    def __init__(
        self,
        fetching: Fetching,
        replicas: Replicas,
        now: Callable[[], Instant],
        exchange: Exchange,
        request: FetchRequest,
    ) -> None:
        (topic,) = request.topics
        (position,) = topic.partitions
        self.exchange, self.request, self.fetching = exchange, request, fetching
        self._replicas, self._now = replicas, now
        self._wanted = Wanted(topic.topic, topic.topic_id, position)
        self._bytes_max = min(request.max_bytes, position.partition_max_bytes, FETCH_BYTES_MAX)
        self._format = _Format(exchange)
        mark, _, log_start = _MARKS
        self._head, self._tail = self._format.request(self._at(mark), _NUMBER.pack(mark))
        self._start = _BODY + len(self._head)
        data = data_of(request, self._wanted, mark, log_start, [_MARK])
        found = FetchTopicData(topic=topic.topic, topic_id=topic.topic_id, partitions=(data,))
        before, self._after = self._format.reply(FetchResponse(responses=(found,)), _MARK)
        before = before[: -self._format.mark_bytes]
        self._before, _, self._between = before.partition(_NUMBERS.pack(*_MARKS))

    def matches(self, frame: bytes) -> bool:
        """True if the frame is alike."""
        return (
            frame.startswith(self._head, _BODY)
            and frame.startswith(self.exchange.start)
            and frame.endswith(self._tail)
            and len(frame) == self._start + _NUMBER.size + len(self._tail)
        )

    def answer(self, frame: bytes, send: Send, reply_to: ReplyTo) -> bool:
        """Replies with what is behind the offset, or waits; False if the general path has to."""
        offset: int = _NUMBER.unpack_from(frame, self._start)[0]
        try:
            replica, found = self.read(offset)
        except _LEFT_TO_GENERAL_PATH:
            return False
        if found:
            send(self.framed(frame, replica, found))
        elif self.request.max_wait_ms > 0:
            _Poll(self, frame, offset, replica, send, reply_to).begin()
        else:
            return False
        return True

    def read(self, offset: int) -> tuple[Replica, list[bytes]]:
        """Returns the replica, and what its log has from an offset on; nothing at its end.

        Raises what is `_LEFT_TO_GENERAL_PATH`.
        """
        wanted = self._wanted
        topic = self._replicas.topic(wanted.topic, wanted.topic_id, by_id=not wanted.topic)
        replica = self._replicas.find(topic, wanted.position.partition, self._now())
        self.fetching.check(self.request, self.exchange.version, wanted, replica)
        if self.fetching.limit(self.request):
            raise _Unusual
        log, end = replica.log, readable_end(self.request, replica.log)
        if offset == end:
            return replica, []
        if not log.start_offset <= offset < end:
            raise _Unusual
        found = log.read(offset, end, self._bytes_max, reads_one=True)
        if not found:
            raise _Unusual
        return replica, found

    def framed(self, frame: bytes, replica: Replica, found: list[bytes]) -> list[bytes]:
        """Returns the pieces of the reply to a frame."""
        log, size = replica.log, sum(map(len, found))
        numbers = _NUMBERS.pack(log.high_watermark, log.high_watermark, log.start_offset)
        before = (
            *(frame[_CORRELATION], self._before, numbers, self._between),
            self._format.length(size),
        )
        reply_bytes = sum(map(len, before)) + size + len(self._after)
        pieces = [b"".join((_LENGTH.pack(reply_bytes), *before)), *found, self._after]
        return [b"".join(pieces)] if size <= JOINED_BYTES_MAX else pieces

    def answer_at_once(self, offset: int, reply_to: ReplyTo) -> None:
        """Replies on the general path, without a wait."""
        self.fetching.answer(_with(self._at(offset), max_wait_ms=0), reply_to)

    def _at(self, offset: int) -> FetchRequest:
        """Returns the request for another offset."""
        (topic,) = self.request.topics
        moved = _with(self._wanted.position, fetch_offset=offset)
        request: FetchRequest = _with(self.request, topics=(_with(topic, partitions=(moved,)),))
        return request


class _Poll:
    """A request that waits for data."""

    def __init__(
        self,
        short: ShortFetch,
        frame: bytes,
        offset: int,
        replica: Replica,
        send: Send,
        reply_to: ReplyTo,
    ) -> None:
        self._short, self._frame, self._offset = short, frame, offset
        self._send, self._reply_to = send, reply_to
        self._keys = [replica.key]
        self._segment = replica.log.segment_at(offset).base_offset
        self._look = self.look_again
        self._is_answered = False

    def begin(self) -> None:
        """Waits for an append, or until the time is up."""
        self._short.fetching.wait(self._keys, self._look)
        self._short.fetching.after(self._short.request.max_wait_ms, self._reply_as_it_is)

    def look_again(self) -> None:
        """Replies if there is data, or something else that ends the wait (B4.34)."""
        try:
            replica, found = self._short.read(self._offset)
        except _LEFT_TO_GENERAL_PATH:
            self._reply_as_it_is()
            return
        if found:
            self._stop()
            self._send(self._short.framed(self._frame, replica, found))
        elif replica.log.segment_at(self._offset).base_offset > self._segment:
            self._reply_as_it_is()

    def _reply_as_it_is(self) -> None:
        if not self._is_answered:
            self._stop()
            self._short.answer_at_once(self._offset, self._reply_to)

    def _stop(self) -> None:
        self._is_answered = True
        self._short.fetching.stop(self._keys, self._look)


def may_be_short(request: Request, version: int) -> bool:
    """True for a request that the classes here can repeat."""
    if isinstance(request, ProduceRequest):
        return (
            version >= ZSTD_SINCE
            and request.acks in (ALL, LEADER)
            and request.transactional_id is None
            and len(request.topic_data) == 1
            and len(request.topic_data[0].partition_data) == 1
        )
    return (
        isinstance(request, FetchRequest)
        and version >= FETCH_SINCE
        and request.session_id == 0
        and request.session_epoch == -1
        and request.min_bytes == 1
        and request.max_bytes > 0
        and not request.rack_id
        and not request.forgotten_topics_data
        and len(request.topics) == 1
        and len(request.topics[0].partitions) == 1
        and request.topics[0].partitions[0].last_fetched_epoch < 0
        and request.topics[0].partitions[0].partition_max_bytes > 0
    )


def _with(value: Any, **changes: object) -> Any:
    """Returns a copy of a request, or of a part of it, with other values."""
    return replace(value, **changes)
