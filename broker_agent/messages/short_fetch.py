"""The short path of Fetch: from the bytes of a request to those of a log (`short_path.py`)."""

from collections.abc import Callable, Sequence

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse, FetchTopicData
from kraftsim.controller.wire.frames import Exchange

from ..log.batch import Data
from ..log.log import Instant
from .fetch import FETCH_BYTES_MAX, Fetching
from .fetch_sessions import Wanted
from .fetched import data_of, is_consumer, replica_id
from .known_replica import KnownReplica
from .replicas import Replica, Replicas
from .short_format import (
    BODY,
    CORRELATION,
    LEFT_TO_GENERAL_PATH,
    LENGTH,
    MARK,
    MARKS,
    NUMBER,
    NUMBERS,
    Client,
    Format,
    Unusual,
    changed,
)

JOINED_BYTES_MAX = 32 * 1024  # of the records of a reply that is sent as one piece
FETCH_SINCE = 5  # an older reply has no log start
LATER: Sequence[bytes] = ()


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
        self._now, self._is_consumer = now, is_consumer(request)
        self._known = KnownReplica(replicas, topic.topic, topic.topic_id, position.partition)
        self._checked: Replica | None = None  # serves the requester
        self._wanted = Wanted(topic.topic, topic.topic_id, position)
        self._bytes_max = min(request.max_bytes, position.partition_max_bytes, FETCH_BYTES_MAX)
        self._format = Format(exchange)
        mark, _, log_start = MARKS
        self._head, self._tail = self._format.request(self._at(mark), NUMBER.pack(mark))
        self._start = BODY + len(self._head)
        self._size = self._start + NUMBER.size + len(self._tail)
        data = data_of(request, self._wanted, mark, log_start, [MARK])
        found = FetchTopicData(topic=topic.topic, topic_id=topic.topic_id, partitions=(data,))
        before, self._after = self._format.reply(FetchResponse(responses=(found,)), MARK)
        before = before[: -self._format.mark_bytes]
        self._before, _, self._between = before.partition(NUMBERS.pack(*MARKS))
        around = (self._before, self._between, self._after)
        self._around_bytes = LENGTH.size + NUMBERS.size + sum(map(len, around))
        self._poll = _Poll(self)

    def matches(self, frame: Data) -> bool:
        """True if the frame is alike."""
        return (
            len(frame) == self._size
            and frame.startswith(self._head, BODY)
            and frame.startswith(self.exchange.start, LENGTH.size)
            and frame.endswith(self._tail)
        )

    def answer(self, frame: Data, client: Client) -> Sequence[bytes] | None:
        """Returns the reply with what is behind the offset, or LATER, if there is nothing yet.

        Returns None if the general path has to answer.
        """
        offset: int = NUMBER.unpack_from(frame, self._start)[0]
        try:
            replica, found = self.read(offset)
        except LEFT_TO_GENERAL_PATH:
            return None
        number = bytes(frame[CORRELATION])
        if found:
            return self.framed(number, replica, found)
        if self.request.max_wait_ms <= 0:
            return None
        self._poll.begin(client, number, offset, replica)
        return LATER

    def read(self, offset: int) -> tuple[Replica, list[bytes]]:
        """Returns the replica, and what its log has from an offset on; nothing at its end.

        Raises what is in LEFT_TO_GENERAL_PATH.
        """
        replica = self._known.at(self._now())
        if replica is not self._checked:
            self.fetching.check(self.request, self.exchange.version, self._wanted, replica)
            self._checked = replica
        if self._known.has_quotas and self.fetching.limit(self.request):
            raise Unusual
        log = replica.log
        end = log.high_watermark if self._is_consumer else log.end_offset
        if offset == end:
            return replica, []
        if not log.start_offset <= offset < end:
            raise Unusual
        found = log.read(offset, end, self._bytes_max, reads_one=True)
        if not found:
            raise Unusual
        return replica, found

    def framed(self, number: bytes, replica: Replica, found: list[bytes]) -> Sequence[bytes]:
        """Returns the pieces of the reply to the request with a correlation id."""
        log = replica.log
        size = len(found[0]) if len(found) == 1 else sum(map(len, found))
        high_watermark = log.high_watermark
        length = self._format.length(size)
        before = (
            LENGTH.pack(self._around_bytes + len(length) + size),
            number,
            self._before,
            NUMBERS.pack(high_watermark, high_watermark, log.start_offset),
            self._between,
            length,
        )
        if size <= JOINED_BYTES_MAX:
            return (b"".join((*before, *found, self._after)),)
        return [b"".join(before), *found, self._after]

    def answer_at_once(self, offset: int, client: Client) -> None:
        """Replies on the general path, without a wait."""
        self.fetching.answer(changed(self._at(offset), max_wait_ms=0), client.reply)

    def _at(self, offset: int) -> FetchRequest:
        """Returns the request for another offset."""
        (topic,) = self.request.topics
        moved = changed(self._wanted.position, fetch_offset=offset)
        request: FetchRequest = changed(self.request, topics=(changed(topic, partitions=(moved,)),))
        return request


class _Poll:
    """The request of a connection that waits for data, if one does; one after the other."""

    def __init__(self, short: ShortFetch) -> None:
        self._short = short
        self._client: Client | None = None
        self._number = b""
        self._offset = self._segment = 0
        self._keys: list[PartitionKey] = []
        self._look = self.look_again
        self._patience = short.fetching.patience(self._reply_as_it_is)

    def begin(self, client: Client, number: bytes, offset: int, replica: Replica) -> None:
        """Waits for an append, or until the time is up."""
        self._client, self._number, self._offset = client, number, offset
        self._segment = replica.log.segment_at(offset).base_offset
        self._keys = [replica.key]
        self._short.fetching.wait(self._keys, self._look)
        self._patience.begin(self._short.request.max_wait_ms)

    def look_again(self) -> None:
        """Replies if there is data, or something else that ends the wait (B4.34)."""
        short = self._short
        try:
            replica, found = short.read(self._offset)
        except LEFT_TO_GENERAL_PATH:
            self._reply_as_it_is()
            return
        if found:
            self._end().send(short.framed(self._number, replica, found))
        elif replica.log.segment_at(self._offset).base_offset > self._segment:
            self._reply_as_it_is()

    def _reply_as_it_is(self) -> None:
        self._short.answer_at_once(self._offset, self._end())

    def _end(self) -> Client:
        """Ends the wait; returns the client that has waited."""
        client, self._client = self._client, None
        if client is None:
            raise Impossible("the wait has ended before")
        self._patience.end()
        self._short.fetching.stop(self._keys, self._look)
        return client


def is_short_fetch(request: FetchRequest, version: int) -> bool:
    """True for a request that `ShortFetch` can repeat."""
    return (
        version >= FETCH_SINCE
        and replica_id(request) < 0
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
