"""Fetch (1): what a broker reads of its logs for consumers (rules B4.1-B4.37)."""

from collections.abc import Callable, Iterable

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey, Topic
from kraftsim.controller.core.mutations import Limit
from kraftsim.controller.core.rpc import (
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
)
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import encoder

from ..leading import leader
from ..log.log import Instant
from ..log.waits import FetchWaits
from .fetch_sessions import TOPIC_IDS_SINCE, FetchSessions, Opened, Session, Wanted
from .fetched import (
    Read,
    by_topic,
    data_of,
    divergence,
    failed,
    readable_end,
    redirected,
    replica_id,
    stored,
)
from .patience import Patience, PollClock
from .quotas import CONSUMER_RATE, ByteQuotas
from .replicas import NOT_LEADER, UNKNOWN, Replica, Replicas

NEWEST = 18
ANY_REPLICA_SINCE = 11  # older versions of a consumer's Fetch are for the leader (B4.3)
LEADERS_SINCE = 16
STORAGE_ERROR_SINCE = 6
FETCH_BYTES_MAX = 57_671_680  # fetch.max.bytes
FETCH = 1  # the key of the API
_SIZE_BYTES = 4  # before a response: they count for the quota

Reply = Callable[[FetchResponse], None]


class Fetching:
    """Answers the Fetch requests at one listener of a broker.

    `instant()` returns the time, `poll_clock()` the clock of those who poll.
    `selects_by_rack`: consumers are sent to a replica in their rack (KIP-392).
    """

    def __init__(
        self,
        replicas: Replicas,
        waits: FetchWaits,
        sessions: FetchSessions,
        quotas: ByteQuotas,
        listener: str,
        instant: Callable[[], Instant],
        poll_clock: Callable[[], PollClock],
        *,
        selects_by_rack: bool,
    ) -> None:
        self._selects_by_rack = selects_by_rack
        self._replicas, self._waits, self._sessions = replicas, waits, sessions
        self._quotas = quotas
        self._listener, self._instant, self._poll_clock = listener, instant, poll_clock

    def answer(self, request: FetchRequest, reply_to: Reply) -> None:
        """Answers a request at once, or when data or its time have come."""
        version = request.requester.version_or(NEWEST)
        opened = self._sessions.open(request, version)
        if opened.error:
            response = FetchResponse(error_code=opened.error)
            throttle_ms = self.throttle_ms(request, version, response)
            reply_to(FetchResponse(throttle_time_ms=throttle_ms) if throttle_ms else response)
            return
        _Waiting(self, request, version, opened, reply_to).look_first()

    def read(self, request: FetchRequest, version: int, wanted: Iterable[Wanted]) -> list[Read]:
        """Returns what is to be read now; behind it unknown ids, then unknown partitions.

        To a follower both come in the order of its request.
        """
        at, left = self._instant(), self.bytes_max(request)
        reads_one = True
        known: list[Read] = []
        unknown: dict[bool, list[Read]] = {True: [], False: []}  # by whether they come first
        is_follower = replica_id(request) >= 0
        for asked in wanted:
            try:
                topic = self._topic(asked, by_id=version >= TOPIC_IDS_SINCE)
            except ApiError as error:
                is_first = is_follower or error.code == ErrorCode.UNKNOWN_TOPIC_ID
                unknown[is_first].append(Read(asked, failed(asked, error.code, aborted=())))
                continue
            read = self._partition(request, version, asked, topic, left, reads_one, at)
            known.append(read)
            reads_one = reads_one and not read.size
            left = max(left - read.size, 0)
        return known + unknown[True] + unknown[False]

    def _topic(self, wanted: Wanted, *, by_id: bool) -> Topic:
        """Returns the topic of a partition that the metadata knows; raises ApiError (B4.20)."""
        if by_id and wanted.known_name:
            name = wanted.known_name  # a session keeps id and name together (B4.19)
        elif by_id:
            name = self._replicas.topic("", wanted.topic_id, by_id=True).name
            wanted.known_name = name
        else:
            name = wanted.topic
        topic = self._replicas.topic(name, wanted.topic_id, by_id=False)
        if wanted.position.partition not in topic.partitions:
            raise ApiError(UNKNOWN, "")
        return topic

    def _partition(
        self,
        request: FetchRequest,
        version: int,
        wanted: Wanted,
        topic: Topic,
        bytes_max: int,
        reads_one: bool,
        at: Instant,
    ) -> Read:
        index = wanted.position.partition
        key, partition = (topic.topic_id, index), topic.partitions[index]
        try:
            if version >= TOPIC_IDS_SINCE and wanted.topic_id != topic.topic_id:
                raise ApiError(ErrorCode.INCONSISTENT_TOPIC_ID, "")
            replica = self._replicas.find(topic, index, at)
            self.check(request, version, wanted, replica)
            preferred = self._preferred(request, version, wanted, replica)
            if preferred is not None:
                return Read(wanted, redirected(wanted, replica.log, preferred), key=key)
            return self._data(request, wanted, replica, bytes_max, reads_one)
        except ApiError as error:
            code = error.code
        if code == ErrorCode.KAFKA_STORAGE_ERROR and version < STORAGE_ERROR_SINCE:
            code = NOT_LEADER
        current, leader = LeaderIdAndEpoch(), None
        if version >= LEADERS_SINCE and code in (NOT_LEADER, ErrorCode.FENCED_LEADER_EPOCH):
            current = LeaderIdAndEpoch(
                leader_id=partition.leader, leader_epoch=partition.leader_epoch
            )
            found = self._replicas.leader_of(partition, self._listener)
            if found is not None and replica_id(request) < 0:  # B4.22
                host, port, rack = found
                leader = NodeEndpoint(node_id=partition.leader, host=host, port=port, rack=rack)
        return Read(wanted, failed(wanted, code, current=current), key=key, leader=leader)

    def _preferred(
        self, request: FetchRequest, version: int, wanted: Wanted, replica: Replica
    ) -> int | None:
        """Returns the replica that a consumer should read from instead, if there is one (B4.42)."""
        is_asked = version >= ANY_REPLICA_SINCE and replica_id(request) < 0
        if not (self._selects_by_rack and is_asked and request.rack_id):
            return None
        offset = wanted.position.fetch_offset
        return self._replicas.preferred(replica, request.rack_id, offset, self._listener)

    def check(self, request: FetchRequest, version: int, wanted: Wanted, replica: Replica) -> None:
        """Raises ApiError for an epoch or a requester that the replica does not serve (B4.21)."""
        partition, epoch = replica.partition, wanted.position.current_leader_epoch
        self._replicas.check_epoch(partition, epoch)
        follower = replica_id(request)
        is_led = partition.leader == self._replicas.broker_id
        if not is_led and (follower >= 0 or version < ANY_REPLICA_SINCE):
            raise ApiError(NOT_LEADER, "")
        if follower >= 0 and (
            follower not in partition.replicas or follower == self._replicas.broker_id
        ):  # B5.44
            raise ApiError(NOT_LEADER if epoch < 0 else ErrorCode.UNKNOWN_LEADER_EPOCH, "")
        if follower >= 0 and self._is_of_a_former_process(request):  # B5.45
            raise ApiError(NOT_LEADER, "")

    def _is_of_a_former_process(self, request: FetchRequest) -> bool:
        """True if a follower names a broker epoch below the one that is registered."""
        registered = self._replicas.image.brokers.get(replica_id(request))
        epoch = request.replica_state.replica_epoch
        return registered is not None and 0 <= epoch < registered.broker_epoch

    def _data(
        self,
        request: FetchRequest,
        wanted: Wanted,
        replica: Replica,
        bytes_max: int,
        reads_one: bool,
    ) -> Read:
        log, position, offset = replica.log, wanted.position, wanted.position.fetch_offset
        diverging = divergence(log, position.last_fetched_epoch, offset)
        if diverging is None and not log.start_offset <= offset <= log.end_offset:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, "")  # B4.24
        records: list[bytes] = []
        end, is_cut = readable_end(request, log), False
        if (
            diverging is None
            and offset < end
            and not self._replicas.holds_back(replica, replica_id(request))
        ):
            limit = min(bytes_max, position.partition_max_bytes)
            records = stored(log, offset, end, limit, reads_one=reads_one)
            is_cut = limit > 0 and not records
        data = data_of(
            request,
            wanted,
            log.high_watermark,
            log.start_offset,
            records,
            diverging=diverging,
            is_cut=is_cut,
        )
        return Read(
            wanted,
            data,
            sum(map(len, records)),
            replica.key,
            segments=(log.segment_at(offset).base_offset, log.segment_at(end).base_offset),
            is_behind_end=offset > end,
        )

    def note_sent(self, request: FetchRequest, reads: Iterable[Read]) -> None:
        """Counts what a follower gets of throttled partitions (B5.52)."""
        for read in reads if replica_id(request) >= 0 else ():
            if read.key is not None and read.size:
                self._replicas.note_sent(read.key, read.size)

    def note_follower(self, request: FetchRequest, reads: Iterable[Read]) -> None:
        """Counts the Fetch of a follower, but not where it fails or the logs part (B6.20)."""
        follower = replica_id(request)
        for read in reads if follower >= 0 else ():
            data = read.data
            if read.key is not None and not data.error_code and data.diverging_epoch.epoch < 0:
                offset = read.wanted.position.fetch_offset
                epoch = request.replica_state.replica_epoch
                leader.note_fetch(self._replicas.hosted, read.key, follower, offset, epoch)

    # Quotas

    def bytes_max(self, request: FetchRequest) -> int:
        """Returns the most bytes of a response (B4.30)."""
        bytes_max, limit = min(request.max_bytes, FETCH_BYTES_MAX), self.limit(request)
        return bytes_max if limit is None else min(bytes_max, self._quotas.bytes_max(limit))

    def limit(self, request: FetchRequest) -> Limit | None:
        """Returns the quota of a consumer; followers have none."""
        if replica_id(request) >= 0:
            return None
        return self._quotas.limit(CONSUMER_RATE, request.requester)

    def throttle_ms(self, request: FetchRequest, version: int, response: FetchResponse) -> int:
        """Counts the bytes of a response; for a throttled client, which does not get it, none."""
        limit = self.limit(request)
        if limit is None:
            return 0
        size = _SIZE_BYTES + len(encoder(APIS[FETCH].response, version)(response))
        throttle_ms = self._quotas.note(CONSUMER_RATE, limit, size)
        if throttle_ms:
            self._quotas.note(CONSUMER_RATE, limit, -size)
        return throttle_ms

    def end_session(self, session: Session) -> None:
        """Ends a session whose first reply was not given."""
        self._sessions.forget(session)

    # Waits

    def wait(self, keys: list[PartitionKey], look: Callable[[], None]) -> None:
        """Lets `look` be called at each append to one of the partitions."""
        self._waits.wait(keys, look)

    def stop(self, keys: list[PartitionKey], look: Callable[[], None]) -> None:
        """Ends such a wait."""
        self._waits.stop(keys, look)

    def after(self, wait_ms: int, action: Callable[[], None]) -> None:
        """Runs an action after a wait."""
        self._poll_clock().after(wait_ms * 1000, action)

    def patience(self, action: Callable[[], None]) -> Patience:
        """Returns what runs an action after each of many waits, one after the other."""
        return Patience(self._poll_clock, action)


class _Waiting:
    """One request until it is answered."""

    def __init__(
        self,
        fetching: Fetching,
        request: FetchRequest,
        version: int,
        opened: Opened,
        reply_to: Reply,
    ) -> None:
        self._fetching, self._request, self._version = fetching, request, version
        self._opened, self._reply_to = opened, reply_to
        self._keys: list[PartitionKey] = []
        self._segments: dict[PartitionKey, int] = {}  # of the fetch offsets when the wait began
        self._look = self.look_again
        self._is_answered = False

    def look_first(self) -> None:
        """Replies at once, or begins to wait (B4.34)."""
        reads = self._read()
        self._fetching.note_follower(self._request, reads)  # once, and not when it is answered
        self._segments = {read.key: read.segments[0] for read in reads if read.key is not None}
        if self._request.max_wait_ms <= 0 or self._is_enough(reads):
            self._reply(reads)
            return
        self._keys = list(self._segments)
        self._fetching.wait(self._keys, self._look)
        self._fetching.after(self._request.max_wait_ms, self._time_is_up)

    def look_again(self) -> None:
        """Replies if there is enough by now."""
        reads = self._read()
        if self._is_enough(reads):
            self._reply(reads)

    def _time_is_up(self) -> None:
        if not self._is_answered:
            self._reply(self._read())

    def _read(self) -> list[Read]:
        return self._fetching.read(self._request, self._version, self._opened.wanted)

    def _is_enough(self, reads: list[Read]) -> bool:
        known = {read.key: read for read in reads if read.key is not None}
        bytes_min = min(self._request.min_bytes, self._fetching.bytes_max(self._request))
        return (
            not known
            or len(known) < len(self._segments)  # one was deleted
            or sum(read.size for read in known.values()) >= bytes_min
            or any(read.ends_wait for read in known.values())
            or any(self._segments[key] < read.segments[1] for key, read in known.items())
        )

    def _reply(self, reads: list[Read]) -> None:
        self._is_answered = True
        self._fetching.stop(self._keys, self._look)
        session, leaders = self._opened.session, {}
        listed = [read for read in reads if self._lists(read)]
        for read in reads:
            if read.leader is not None:
                leaders[read.leader.node_id] = read.leader
        response = FetchResponse(
            session_id=0 if session is None else session.session_id,
            responses=tuple(by_topic(listed)),
            node_endpoints=tuple(leaders.values()),
        )
        self._fetching.note_sent(self._request, reads)
        throttle_ms = self._fetching.throttle_ms(self._request, self._version, response)
        if throttle_ms:
            response = self._throttled(throttle_ms)
        elif session is not None:
            self._note(session, reads)
        self._reply_to(response)

    def _throttled(self, throttle_ms: int) -> FetchResponse:
        """Returns an empty response; it goes on with a session, and begins none (B4.50)."""
        session = self._opened.session
        if session is not None and self._opened.is_full:
            self._fetching.end_session(session)
            session = None
        return FetchResponse(
            throttle_time_ms=throttle_ms, session_id=0 if session is None else session.session_id
        )

    def _lists(self, read: Read) -> bool:
        """True if the reply lists the partition: in a session only what is news."""
        is_full = self._opened.session is None or self._opened.is_full
        return is_full or read.wanted.has_news(read.data, read.size)

    def _note(self, session: Session, reads: list[Read]) -> None:
        """Notes in the session what the reply tells."""
        for read in reads:
            if self._opened.is_full:
                session.partitions[read.wanted.key] = read.wanted
            elif read.size:
                session.move_to_end(read.wanted.key)
            read.wanted.note(read.data)
