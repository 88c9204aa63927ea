"""Our voter in the place of a recorded one: it hears what that one heard, in the order of the wire.

What the recorded voter did of its own accord (its elections, its End- and BeginQuorumEpochs, its
appends, its restarts) is made to happen in ours at the same moment; what it answered is not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kraftsim.controller.core.batch import Batch, VoterEndpoint
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    Request,
    Response,
    VoteRequest,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft import conduct, leading
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.peers import Peers
from kraftsim.controller.raft.protocol import Answered, Channel, ElectionState, Send, Turn
from kraftsim.controller.raft.quorum import LISTENER, Identity, Quorum
from kraftsim.controller.raft.roles import Follower, Leader
from kraftsim.controller.raft.snapshots import by_reference
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from kraftsim.controller.timeline import NEVER_MS
from kraftsim.controller.wire.frames import decode_request, decode_response, read_request_header
from kraftsim.controller.wire.record_batch import decode_batches
from tests.golden import recordings
from tests.golden.recordings import Frame

# Frames that crossed on the wire: the one takes effect just before the other's moment.
MOVED: dict[tuple[str, str, int], dict[int, int]] = {
    ("4.3.1", "A2-quorum3", 3000): {1638: 1644},
    ("4.3.1", "A2-quorum3", 3001): {362: 368, 366: 368, 368: 373, 1500: 1497},
    ("4.3.1", "A2-quorum3", 3002): {885: 882},
    ("4.3.1", "A3-dynamic", 3000): {667: 666},
}
VOTER_IDS = (3000, 3001, 3002)
FIRST_PORTS = {"A2-quorum3": 29600, "A3-dynamic": 29800}
QUORUM_APIS = {1, 52, 53, 54, 55, 59, 80, 81, 82}
API_VERSIONS, FETCH = 18, 1


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request on the wire and what came of it; `response` is None where nothing did."""

    receiver: int
    asked: Frame
    told: Frame | None
    request: Request
    response: Response | None

    @property
    def sender(self) -> int | None:
        """The voter whose raft channel it came by; None: somebody else's."""
        match = re.fullmatch(r"raft-client-(3\d\d\d)", self.asked.client_id or "")
        return int(match[1]) if match else None


def exchanges(release: str, run: str) -> Iterator[Exchange]:
    """All that was said to controllers about the quorum, and a new voter's ApiVersions."""
    frames = [one for one in recordings.frames(release, run) if one.connection[0] == "c"]
    told = {(f.connection, f.correlation_id): f for f in frames if f.direction == "rsp"}
    for asked in frames:
        if asked.direction == "rsp" or asked.api_key not in QUORUM_APIS | {API_VERSIONS}:
            continue
        request = decode_request(read_request_header(asked.data), asked.data)
        if isinstance(request, FetchRequest) and request.topics[0].topic_id != METADATA_TOPIC_ID:
            continue
        answer = told.get((asked.connection, asked.correlation_id))
        response = answer and decode_response(answer.api_key, answer.api_version, answer.data)[1]
        yield Exchange(int(asked.connection[1:5]), asked, answer, request, response or None)


class Happening(NamedTuple):
    """`kind`: an event of the harness, or how a frame concerns the voter."""

    seq: int
    kind: str
    exchange: Exchange | None = None


def happenings(release: str, run: str, node_id: int) -> list[Happening]:
    """What concerns one voter, in the order of the wire; what came while it was stopped, after."""
    told = []
    for one in exchanges(release, run):
        heard = one.receiver == node_id and one.asked.api_key != API_VERSIONS
        asked, answered = ("heard", "answered") if heard else ("asked", "told")
        if heard or one.sender == node_id != one.receiver:
            told.append(Happening(one.asked.seq, asked, one))
            if one.told is not None:
                told.append(Happening(one.told.seq, answered, one))
    for event in recordings.events(release, run):
        if str(node_id) in event["event"] and re.match(r"start|send", event["event"]):
            told.append(Happening(event["next_seq"], event["event"].split(f" c{node_id}")[0]))
    moved = MOVED.get((release, run, node_id), {})
    told.sort(key=lambda one: (moved.get(one.seq, one.seq), one.exchange is not None, one.seq not in moved))
    return list(_without_pauses(told))


def _without_pauses(told: list[Happening]) -> Iterator[Happening]:
    held: list[Happening] | None = None
    for one in told:
        if one.kind == "send SIGSTOP to":
            held = []
        elif one.kind == "send SIGCONT to":
            yield from held or ()
            held = None
        elif held is not None:
            held.append(one)
        else:
            yield one
    yield from held or ()


class RecordedLines(Peers):
    """Lines to the others that are free exactly while the recorded voter sends by them."""

    def __init__(self) -> None:
        super().__init__(Channel.RAFT, request_timeout_ms=1 << 40, retry_backoff_ms=0)
        self.free: int | None = None
        self.sent: Send | None = None
        self.requests: dict[int, Request] = {}

    def is_free(self, peer_id: int, now_ms: int) -> bool:
        return peer_id == self.free and self.sent is None

    def awaits(self, kind: type) -> bool:
        return False

    def send(self, peer_id: int, endpoint: Any, request: Request, turn: Turn) -> None:
        self.sent = Send(Channel.RAFT, peer_id, endpoint, 0, request)

    def take(self, peer_id: int, number: int) -> Request | None:
        return self.requests.pop(number, None)

    def failed(self, peer_id: int, now_ms: int) -> None:
        """When it is asked again is recorded too."""


@dataclass
class StandIn:
    release: str
    run: str
    node_id: int
    answers: dict[int, tuple[Exchange, Response | None]] = field(default_factory=dict)
    asked: dict[int, tuple[Exchange, Request | None]] = field(default_factory=dict)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.told = happenings(self.release, self.run, self.node_id)
        self.promised = {
            one.exchange.asked.seq: one.exchange.response for one in self.told if one.exchange
        }
        (log,) = (
            one
            for one in recordings.metadata_logs(self.release)
            if (one.run, one.node) == (self.run, f"c{self.node_id}") and one.name.endswith("0.log")
        )
        self.recorded = decode_batches(log.data)
        self.log, self.stored = MetadataLog(), ElectionState()
        self.quorum: Quorum | None = None
        self.replies: dict[int, Response] = {}

    def run_until(self, seq: int = 1 << 40) -> None:
        for one in self.told:
            if one.seq >= seq:
                break
            self.now_ms += 1
            self._meet(one)

    def _meet(self, one: Happening) -> None:
        match one.kind:
            case "start":
                self._start()
            case "send SIGKILL to":
                self._end()
            case "heard":
                self._hear(one.exchange)
            case "answered":
                self._compare(one.exchange)
            case "asked":
                self._ask(one.exchange)
            case "told":
                self._be_told(one.exchange)

    # The process

    def _start(self) -> None:
        self._end()
        self.quorum = Quorum(
            identity(self.release, self.run, self.node_id),
            settings=Settings(),
            random=lambda: 0.5,
            snapshot_format=by_reference(),
            log=self.log,
            stored=self.stored,
        )
        self.quorum.peers = self.lines = RecordedLines()
        self._step(conduct.start)

    def _end(self) -> None:
        if self.quorum is not None:
            self.log, self.stored = self.quorum.log, self.quorum.durable
        self.quorum = None

    def _step(self, what: Any, *arguments: Any) -> None:
        """One step, and what a driver does after it; wall time is that of the recorded log."""
        quorum = self.quorum
        assert quorum is not None
        self._carry_out(lambda turn: what(quorum, *arguments, turn))

    def _carry_out(self, step: Any) -> None:
        turn = Turn(self.now_ms, self._wall_ms())
        step(turn)
        self.replies.update(turn.replies)
        quorum = self.quorum
        if quorum.persisted_offset < quorum.log.end_offset:
            self._step(conduct.on_persisted, quorum.log.end_offset)

    def _wall_ms(self) -> int:
        end_offset = self.quorum.log.end_offset
        return next((b.timestamp_ms for b in self.recorded if b.base_offset >= end_offset), 0)

    # What it hears

    def _hear(self, exchange: Exchange) -> None:
        """Again, if the recorded voter had appended more by the time at which it answered."""
        if self.quorum is None:
            return
        token, end_offset = exchange.asked.seq, end_of(exchange.response)
        request = exchange.request
        if isinstance(request, FetchRequest):
            self._ring(exchange.response)
            self._append_up_to(request.topics[0].partitions[0].fetch_offset)
        self._step(conduct.on_request, request, token)
        if token in self.replies and end_of(self.replies[token]) < end_offset:
            self._append_up_to(end_offset)
            self._step(conduct.on_request, request, token)

    def _ring(self, response: Response | None) -> None:
        """No fetch raises an epoch: where its answer tells a higher one, a clock had rung before."""
        for _ in range(3):
            if isinstance(response, FetchResponse) and response.responses:
                said = response.responses[0].partitions[0].current_leader
                if said.leader_epoch > self.quorum.epoch:
                    self._make_due()

    def _compare(self, exchange: Exchange) -> None:
        token = exchange.asked.seq
        if token not in self.replies:
            self._append_up_to(end_of(exchange.response))
        if token not in self.replies and self.quorum is not None:
            if self._has_resigned(exchange.response):
                self._step(leading.resign)
                self._step(conduct.poll)
            self._run_out(token)
        self.answers[token] = (exchange, self.replies.pop(token, None))

    def _has_resigned(self, response: Response | None) -> bool:
        """Whoever waited is refused in its own name: that it resigns shows here first."""
        quorum = self.quorum
        if not quorum.is_leader or not isinstance(response, FetchResponse):
            return False
        data = response.responses[0].partitions[0]
        return (data.error_code, data.current_leader.leader_id) == (6, self.node_id)

    def _append_up_to(self, end_offset: int) -> None:
        """As many batches at once as the answers to those who wait allow; who was told nothing of
        them had run out of time before."""
        quorum = self.quorum
        if quorum is None or not quorum.is_leader:
            return
        ends = {end_of(self.promised.get(token)) for token in self._waiting()}
        while quorum.log.end_offset < end_offset:
            start = quorum.log.end_offset
            cut = min(one for one in {*ends, end_offset} if one > start)
            for token in self._waiting():
                if end_of(self.promised.get(token)) <= start:
                    self._run_out(token)
            self._append([one for one in self.recorded if start <= one.base_offset < cut])

    def _append(self, batches: list[Batch]) -> None:
        def accept(turn: Turn) -> None:
            for batch in batches:
                self.quorum.accept(batch, turn)

        assert {one.epoch for one in batches} == {self.quorum.epoch}
        self._carry_out(accept)

    def _waiting(self) -> list[int]:
        return [token for token, _ in self.quorum.parked._parked.values()]

    def _run_out(self, token: int) -> None:
        """The time of a fetch that waits is over."""
        parked = self.quorum.parked._parked
        number = next((one for one, (waiting, _) in parked.items() if waiting == token), None)
        if number is not None:
            _, request = parked.pop(number)
            self.replies[token] = leading._answered(self.quorum, request)

    # What it asks

    def _ask(self, exchange: Exchange) -> None:
        if self.quorum is None:
            return
        self.lines.requests[exchange.asked.seq] = exchange.request
        for urge in (lambda _: None, self._urge, self._urge, self._urge):
            urge(exchange.request)
            self.lines.free, self.lines.sent = exchange.receiver, None
            self._step(lambda quorum, turn: conduct.poll(quorum, turn))
            self.lines.free = None
            if self.lines.sent and type(self.lines.sent.request) is type(exchange.request):
                break
        sent = self.lines.sent
        self.asked[exchange.asked.seq] = (exchange, sent and sent.request)

    def _urge(self, request: Request) -> None:
        """Its own clock told the recorded voter to do so: so does ours."""
        quorum, role = self.quorum, self.quorum.role
        if not isinstance(role, Leader):
            if isinstance(request, VoteRequest):
                self._make_due()
        elif isinstance(request, EndQuorumEpochRequest):
            self._step(leading.resign)
        elif isinstance(request, BeginQuorumEpochRequest):
            role.begin_ms = {one.voter_id: self.now_ms for one in quorum.others}
            role.progress = {
                one: replace(progress, fetched_ms=-1) for one, progress in role.progress.items()
            }

    def _make_due(self) -> None:
        quorum, role = self.quorum, self.quorum.role
        due = "fetch_ms" if isinstance(role, Follower) else "election_ms"
        assert getattr(role, due) < NEVER_MS, role
        quorum.role = replace(role, **{due: self.now_ms})
        self._step(conduct.on_deadline)

    def _be_told(self, exchange: Exchange) -> None:
        if self.quorum is None:
            return
        number = exchange.asked.seq
        event = Answered(Channel.RAFT, exchange.receiver, number, exchange.response)
        self._step(conduct.on_answer, event)


def end_of(response: Response | None) -> int:
    """Where the records of a fetch's answer end; 0: it has none."""
    if not isinstance(response, FetchResponse) or not response.responses:
        return 0
    records: Any = response.responses[0].partitions[0].records
    return records[-1].last_offset + 1 if records else 0


def identity(release: str, run: str, node_id: int) -> Identity:
    """As it was formatted: A2 names the voters (of unknown directories) by configuration, A3 begins
    with one voter and joins the others to it."""
    alone = Identity(
        key=ReplicaKey(node_id, directory_of(release, run, node_id)),
        cluster_id=cluster_id_of(release, run),
        endpoint=endpoint_of(release, run, node_id),
        voters=VoterSet(),
        kraft_version=int(run == "A3-dynamic" and node_id == 3000),
    )
    if run == "A3-dynamic":
        return alone.with_voters((alone.as_voter,) if node_id == 3000 else ())
    voters = (
        replace(
            alone.as_voter,
            voter_id=one,
            voter_directory_id=ZERO_UUID,
            endpoints=(endpoint_of(release, run, one),),
        )
        for one in VOTER_IDS
    )
    return alone.with_voters(tuple(voters))


def endpoint_of(release: str, run: str, node_id: int) -> VoterEndpoint:
    first = FIRST_PORTS[run] - 100 * (release == "3.9.1")
    port = first + 2 * (node_id - VOTER_IDS[0])
    return VoterEndpoint(name=LISTENER, host="127.0.0.1", port=port)


def directory_of(release: str, run: str, node_id: int) -> bytes:
    """As it said of itself in its own fetches."""
    return next(
        one.request.topics[0].partitions[0].replica_directory_id
        for one in exchanges(release, run)
        if isinstance(one.request, FetchRequest) and one.sender == node_id
    )


def cluster_id_of(release: str, run: str) -> str | None:
    return next(
        one.request.cluster_id
        for one in exchanges(release, run)
        if isinstance(one.request, FetchRequest) and one.sender
    )
