"""Our voter in the place of a recorded one: it hears what that one heard, in the order of the wire.

What the recorded voter did by its own clock, dice and controller (when it stood for election,
resigned, appended, let a fetch that waits run out of time, was started again) is made to happen in
ours at that moment; what it answered, and what it asked, is ours.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import VoterEndpoint
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    Request,
    Response,
    UpdateRaftVoterRequest,
    VoteRequest,
    VoteResponse,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct, elections, leading
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.peers import Peers
from kraftsim.controller.raft.protocol import Answered, Channel, ElectionState, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Follower, Leader
from kraftsim.controller.raft.snapshot import by_reference
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.golden import recordings
from tests.golden.exchanges import Exchange, Happening, Place, happenings, identity

NOT_LEADER = 6


class RecordedLines(Peers):
    """Lines to the others that are free exactly while the recorded voter sends by them."""

    def __init__(self) -> None:
        super().__init__(Channel.RAFT, request_timeout_ms=NEVER_MS, retry_backoff_ms=0)
        self.free: int | None = None
        self.sent: Request | None = None
        self.asked: dict[int, Request] = {}

    def is_free(self, peer_id: int, now_ms: int) -> bool:
        return peer_id == self.free and self.sent is None

    def awaits(self, *kinds: type) -> bool:
        return False

    def send(
        self, peer_id: int, endpoint: VoterEndpoint | None, request: Request, turn: Turn
    ) -> None:
        self.sent = request

    def take(self, peer_id: int, number: int) -> Request | None:
        return self.asked.pop(number, None)

    def sent_ms(self, peer_id: int) -> int:
        return 0

    def forget(self) -> None:
        self.asked.clear()

    def failed(self, peer_id: int, now_ms: int) -> None:
        """When it is asked again is recorded too."""


class StandIn:
    """`answers` and `requests` are ours, each with the recorded exchange that it belongs to;
    `urged` is what was made to happen: (seq, what)."""

    def __init__(self, place: Place, moved: dict[int, int]) -> None:
        self.place = place
        self.told = happenings(place, moved)
        self.exchanges = {
            exchange.exchange.seq: exchange.exchange for exchange in self.told if exchange.exchange
        }
        self.answers: list[tuple[Exchange, Response | None]] = []
        self.requests: list[tuple[Exchange, Request | None]] = []
        self.urged: list[tuple[int, str]] = []
        self.recorded = _recorded_log(place)
        self.replies: dict[int, Any] = {}
        self.seq = self.now_ms = 0
        self.lines = RecordedLines()
        self.running: Quorum | None = None
        self.stored, self.log = ElectionState(), MetadataLog()

    def run(self) -> "StandIn":
        for exchange in self.told:
            self.now_ms += 1
            self.seq = exchange.seq
            self._meet(exchange)
        return self

    def _meet(self, happening: Happening) -> None:
        match happening:
            case Happening(kind="start"):
                self._start()
            case Happening(kind="send SIGKILL to"):
                self._end()
            case Happening(exchange=Exchange() as exchange) if self.running is not None:
                steps = {"heard": self._hear, "answered": self._answer, "asked": self._ask}
                steps.get(happening.kind, self._be_told)(exchange)

    # The process

    @property
    def quorum(self) -> Quorum:
        assert self.running is not None, f"{self.place} is not running at {self.seq}"
        return self.running

    def _start(self) -> None:
        self._end()
        self.lines = RecordedLines()
        self.running = Quorum(
            identity(self.place),
            settings=Settings(controller_quorum_retry_backoff_ms=0),  # it lets nobody go first
            random=lambda: 0.5,
            snapshot_format=by_reference(),
            log=self.log,
            stored=self.stored,
        )
        self.running.peers = self.lines
        self._step(conduct.start)

    def _end(self) -> None:
        if self.running is not None:
            self.log, self.stored = self.running.log, self.running.durable
        self.running = None

    def _step(self, what: Callable[..., object], *arguments: Any) -> None:
        """One step, and what a driver does after it."""
        quorum = self.quorum
        turn = Turn(self.now_ms, self._wall_ms())
        what(quorum, *arguments, turn)
        self.replies.update(turn.replies)
        if quorum.persisted_offset < quorum.log.end_offset:
            self._step(conduct.on_persisted, quorum.log.end_offset)

    def _wall_ms(self) -> int:
        """The time of the next control batch of the recorded log: ours writes none but these."""
        end_offset = self.quorum.log.end_offset
        later = (
            exchange
            for exchange in self.recorded
            if exchange.base_offset >= end_offset and exchange.is_control
        )
        return next((batch.timestamp_ms for batch in later), 0)

    # What it hears

    def _hear(self, exchange: Exchange) -> None:
        """Again, if the recorded voter had appended more by the time at which it answered."""
        request, end_offset = exchange.request, end_of(exchange.response)
        self._ring(exchange)
        if isinstance(request, FetchRequest):
            self._append_up_to(request.topics[0].partitions[0].fetch_offset)
        self._step(conduct.on_request, request, exchange.seq)
        if exchange.seq in self.replies and end_of(self.replies[exchange.seq]) < end_offset:
            self._append_up_to(end_offset)
            self._step(conduct.on_request, request, exchange.seq)

    def _answer(self, exchange: Exchange) -> None:
        """By now ours has answered, or it does when what the recorded one did has been done."""
        if exchange.seq not in self.replies:
            self._append_up_to(end_of(exchange.response))
        if exchange.seq not in self.replies:
            data = fetched(exchange.response)
            own_id = self.place.node_id
            if data and (data.error_code, data.current_leader.leader_id) == (NOT_LEADER, own_id):
                self._resign()
            self._run_out(exchange.seq)
        self.answers.append((exchange, self.replies.pop(exchange.seq, None)))

    def _append_up_to(self, end_offset: int) -> None:
        """As many batches at once as the answers to those who wait tell of; who was told of none
        of them had run out of time before."""
        while self.quorum.is_leader and (start := self.quorum.log.end_offset) < end_offset:
            ends = (self._promised_end(seq) for seq in self._waiting())
            cut = min(offset for offset in (*ends, end_offset) if offset > start)
            self._let_run_out(start)
            self._step(
                _append,
                [exchange for exchange in self.recorded if start <= exchange.base_offset < cut],
            )

    def _let_run_out(self, end_offset: int) -> None:
        """Those who wait, and are told of nothing that lies at `end_offset` or behind it."""
        for seq in self._waiting():
            if self._promised_end(seq) <= end_offset:
                self._run_out(seq)

    def _promised_end(self, seq: int) -> int:
        return end_of(self.exchanges[seq].response)

    def _waiting(self) -> list[int]:
        return [seq for seq, *_ in self.quorum.parked._parked.values()]

    def _run_out(self, seq: int) -> None:
        """The time of a fetch that waits is over."""
        parked = self.quorum.parked._parked
        for number, (waiting, _, response) in list(parked.items()):
            if waiting == seq:
                del parked[number]
                self.replies[seq] = response

    def _ring(self, exchange: Exchange) -> None:
        """Where the answer tells a higher epoch than it heard, the voter's own clock had rung."""
        told, asked = epoch_told(exchange.response), epoch_asked(exchange.request)
        for _ in range(3):
            if told > max(asked, self.quorum.epoch):
                self._stand()

    # What it asks

    def _ask(self, exchange: Exchange) -> None:
        """What ours sends by the line by which the recorded one sent; urged only if need be."""
        self.lines.asked[exchange.seq] = exchange.request
        sent = self._offered(exchange)
        for _ in range(3):
            if type(sent) is type(exchange.request):
                break
            self._urge(exchange.request)
            sent = self._offered(exchange)
        self.requests.append((exchange, sent))

    def _offered(self, exchange: Exchange) -> Request | None:
        self.lines.free, self.lines.sent = exchange.receiver, None
        self._time_description(exchange.request)
        self._step(conduct.poll)
        self.lines.free = None
        return self.lines.sent

    def _time_description(self, request: Request) -> None:
        """When a voter describes itself to its leader is recorded; before 4.1 none did."""
        quorum = self.quorum
        if not isinstance(request, UpdateRaftVoterRequest):
            quorum.update_voter_ms = max(quorum.update_voter_ms, self.now_ms + 1)
        elif quorum.update_voter_ms < NEVER_MS:
            quorum.update_voter_ms = self.now_ms

    def _be_told(self, exchange: Exchange) -> None:
        event = Answered(
            channel=Channel.RAFT,
            peer_id=exchange.receiver,
            number=exchange.seq,
            response=exchange.response,
        )
        batches = self._appended_with_voters()

        def append_and_answer(quorum: Quorum, turn: Turn) -> None:
            _append(quorum, batches, turn)
            conduct.on_answer(quorum, event, turn)

        self._step(append_and_answer)

    def _appended_with_voters(self) -> list[Batch]:
        """What the recorded leader wrote before it wrote of a new voter, and made safe with it."""
        role, start = self.quorum.role, self.quorum.log.end_offset
        if not isinstance(role, Leader) or role.change is None or role.change.offset >= 0:
            return []
        self._let_run_out(start)
        later = (exchange for exchange in self.recorded if exchange.base_offset >= start)
        return list(itertools.takewhile(lambda batch: not batch.is_control, later))

    # What it does by its own clock

    def _urge(self, request: Request) -> None:
        role = self.quorum.role
        match request:
            case VoteRequest() if not isinstance(role, Leader):
                if self.place.release != "3.9.1" or self.quorum.epoch < epoch_asked(request):
                    self._stand()
            case EndQuorumEpochRequest() if isinstance(role, Leader):
                self._resign()
            case BeginQuorumEpochRequest() if isinstance(role, Leader):
                _forget_begins(role, self.now_ms)

    def _resign(self) -> None:
        if self.quorum.is_leader:
            self.urged.append((self.seq, "resigns"))
            self._step(leading.resign)
            self._step(conduct.poll)

    def _stand(self) -> None:
        """3.9 has no pre-vote."""
        if self.place.release == "3.9.1" and self.quorum.is_voter:
            self.urged.append((self.seq, "stands"))
            self._step(_stand_without_asking)
        else:
            self._make_due()

    def _make_due(self) -> None:
        self.urged.append((self.seq, "rings"))
        role = self.quorum.role
        due = "fetch_ms" if isinstance(role, Follower) else "election_ms"
        assert getattr(role, due) < NEVER_MS, f"{role} waits for ever"
        self.quorum.role = replace(role, **{due: self.now_ms})
        self._step(conduct.on_deadline)


def _append(quorum: Quorum, batches: list[Batch], turn: Turn) -> None:
    for batch in batches:
        assert batch.epoch == quorum.epoch, f"{batch} in epoch {quorum.epoch}"
        quorum.accept(batch, turn)


def _stand_without_asking(quorum: Quorum, turn: Turn) -> None:
    quorum.become_candidate(turn)
    elections.count(quorum, turn)


def _forget_begins(role: Leader, now_ms: int) -> None:
    """Nobody has fetched for so long that all must be told again who leads."""
    role.begin_ms = dict.fromkeys(role.begin_ms, now_ms)


def epoch_told(response: Response | None) -> int:
    match response:
        case FetchResponse(responses=(topic,)):
            return topic.partitions[0].current_leader.leader_epoch
        case VoteResponse(topics=(voted,)):
            return voted.partitions[0].leader_epoch
        case _:
            return -1


def epoch_asked(request: Request) -> int:
    """What a request makes its receiver believe; a fetch tells nothing."""
    return request.topics[0].partitions[0].replica_epoch if isinstance(request, VoteRequest) else -1


def fetched(response: Response | None) -> FetchPartitionData | None:
    if not isinstance(response, FetchResponse) or not response.responses:
        return None
    return response.responses[0].partitions[0]


def end_of(response: Response | None) -> int:
    """Where the records of a fetch's answer end; 0: it has none."""
    data = fetched(response)
    return data.records[-1].last_offset + 1 if data and data.records else 0


def _recorded_log(place: Place) -> list[Batch]:
    (log,) = (
        log
        for log in recordings.metadata_logs(place.release)
        if (log.run, log.node) == (place.run, f"c{place.node_id}") and log.name.endswith(".log")
    )
    return decode_batches(log.data)
