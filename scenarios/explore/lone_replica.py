"""A replica of the quorum in a search, without a controller above it.

The quorum is copied before every step.
"""

from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import FetchRequest, Request
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.identity import Identity
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, Send, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader, Unattached
from kraftsim.controller.raft.snapshot import by_reference

from . import quorum_events
from .identities import Disk
from .keys import disk_key, heard, log_key, response_key, role_key, without_grants
from .lone import Answer, Asked, Asker, Sent, Step

TIMELESS = Settings(controller_quorum_retry_backoff_ms=0)
NO_SNAPSHOTS = by_reference()


class LoneReplica:
    """A replica, which is never changed: `meet` returns another one.

    Without `asks_around` it waits for the leader's request instead of fetching from other
    voters. `next_asked` is the place of the voter that it asks next.
    """

    quorum: Quorum
    deferred: frozenset[Asker] = frozenset()

    def __init__(
        self,
        identity: Identity,
        disk: Disk,
        quorum: Quorum | None = None,
        *,
        asks_around: bool = True,
        next_asked: int = 0,
    ) -> None:
        self.identity, self.disk = identity, disk
        if quorum is not None:
            self.quorum = quorum
        self.asks_around, self.next_asked = asks_around, next_asked

    def meet(self, event: str, *about: Any, next_asked: int = 0) -> Step:
        """Returns the result of an event; a search tries every value of `next_asked`."""
        twin, turn = self._copied(next_asked), Turn(0, 0)
        getattr(twin, event)(turn, *about)
        sends = twin._settled(turn)
        waiting = {} if event == "restarts" else twin._lines
        ended = {peer for peer, line in self._lines.items() if line != waiting.get(peer)}
        sent = tuple(Sent(send.peer_id, send.request) for send in sends)
        return Step(twin, sent, turn.replies, frozenset(ended))

    def _copied(self, next_asked: int) -> "LoneReplica":
        quorum = copy_of(self.quorum, next_asked) if self._is_up else None
        return LoneReplica(
            self.identity,
            copy(self.disk),
            quorum,
            asks_around=self.asks_around,
            next_asked=next_asked,
        )

    @property
    def _is_up(self) -> bool:
        return hasattr(self, "quorum")

    def _settled(self, turn: Turn) -> tuple[Send, ...]:
        """Makes all writes durable and returns the requests of the step."""
        quorum = self.quorum
        self._carry_out(turn)
        if quorum.persisted_offset < quorum.log.end_offset:
            conduct.on_persisted(quorum, quorum.log.end_offset, turn)
            self._carry_out(turn)
        quorum_events.forget_the_unheard(quorum)
        if self.asks_around or not isinstance(quorum.role, Unattached):
            return turn.sends
        return self._without_fetches(turn.sends)

    def _without_fetches(self, sends: tuple[Send, ...]) -> tuple[Send, ...]:
        fetches = [send for send in sends if isinstance(send.request, FetchRequest)]
        for fetch in fetches:
            self.quorum.peers.take(fetch.peer_id, fetch.number)
        return tuple(send for send in sends if send not in fetches)

    def _carry_out(self, turn: Turn) -> None:
        """Makes the turn's election and log durable, as a driver does before it sends anything."""
        if turn.election is not None:
            self.disk.election = turn.election
        log = self.quorum.log
        log.batches[:] = [without_grants(batch) for batch in log.batches]
        self.disk.batches = [
            batch for batch in log.batches if batch.last_offset < self.quorum.persisted_offset
        ]

    # Events

    def restarts(self, turn: Turn) -> None:
        """Starts a process over the disk."""
        log = MetadataLog()
        for batch in self.disk.batches:
            log.append(batch)
        self.quorum = Quorum(
            self.identity,
            settings=TIMELESS,
            random=lambda: 0.0,
            snapshot_format=NO_SNAPSHOTS,
            log=log,
            stored=self.disk.election,
        )
        self.quorum.fetch_next_from(self.next_asked)
        conduct.start(self.quorum, turn)

    def hears(self, turn: Turn, asker: Asker, request: Request) -> None:
        """Handles a request whose sender waits for the reply."""
        conduct.on_request(self.quorum, request, Asked(asker, request, True), turn)

    def hears_late(self, turn: Turn, asker: Asker, request: Request) -> None:
        """Handles a request whose sender no longer waits, or has its reply already."""
        conduct.on_request(self.quorum, request, Asked(asker, request, False), turn)

    def is_told(self, turn: Turn, peer: int, response: Any) -> None:
        """Handles a peer's response; None: the request failed."""
        answered = Answered(
            channel=Channel.RAFT, peer_id=peer, number=self._lines[peer].number, response=response
        )
        conduct.on_answer(self.quorum, answered, turn)

    def gives_up_on(self, turn: Turn, peer: int) -> None:
        """Handles a request timeout."""
        self.is_told(turn, peer, None)

    def lets_go(self, turn: Turn, asker: Asker) -> None:
        """Answers a parked fetch whose wait time is over (10.35)."""
        turn.replies += quorum_events.unpark(self.quorum, asker)

    def is_left_by(self, turn: Turn, asker: Asker) -> None:
        """Forgets a parked fetch, because its sender no longer waits."""
        quorum_events.unpark(self.quorum, asker)

    def loses_patience(self, turn: Turn) -> None:
        """Handles the timeout of the present role."""
        quorum_events.lose_patience(self.quorum, turn)

    def says_again_that_it_leads_to(self, turn: Turn, peer: int) -> None:
        """Sends BeginQuorumEpoch again to a voter that has not fetched."""
        quorum_events.say_again(self.quorum, peer, turn)

    def writes(self, turn: Turn) -> None:
        """Appends a NoOpRecord as leader."""
        self.quorum.append((NoOpRecord(),), (0,), turn)

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """The events that need no message."""
        always: tuple[tuple[Any, ...], ...] = (("loses_patience",), ("restarts",))
        if not self.is_leader:
            return always
        again = (
            ("says_again_that_it_leads_to", voter.voter_id) for voter in self.quorum.other_voters
        )
        return (*always, ("writes",), *again)

    # State

    @property
    def _lines(self) -> dict[Asker, quorum_events.Line]:
        return quorum_events.lines(self.quorum) if self._is_up else {}

    @property
    def awaited(self) -> Mapping[Asker, Sent]:
        """The open requests, by peer."""
        return {peer: Sent(int(peer), line.request) for peer, line in self._lines.items()}

    @property
    def waiting(self) -> dict[Asker, tuple[Request, Answer]]:
        """The parked fetches and their replies, by peer."""
        return quorum_events.parked(self.quorum)

    @property
    def parked(self) -> frozenset[Asker]:
        """The peers whose fetches wait here."""
        return frozenset(self.waiting)

    @property
    def epoch(self) -> int:
        """The epoch of the quorum."""
        return self.quorum.epoch

    @property
    def is_leader(self) -> bool:
        """True if the replica leads the quorum."""
        return self.quorum.is_leader

    @property
    def disk_key(self) -> Hashable:
        """Key of the disk."""
        return disk_key(self.disk)

    @property
    def key(self) -> Hashable:
        """Nodes with equal keys behave alike from here on."""
        quorum = self.quorum
        return (
            quorum.me,
            role_key(quorum.role),
            (quorum.epoch, quorum.leader_id, quorum.voted, quorum.leader_endpoint),
            log_key(quorum.log.batches),
            (quorum.high_watermark, quorum.leader_high_watermark, quorum.persisted_offset),
            self.disk_key,
            frozenset((peer, heard(line.request)) for peer, line in self._lines.items()),
            frozenset(
                (number, asked, response_key(kept))
                for number, (asked, kept) in self.waiting.items()
            ),
        )


def copy_of(quorum: Quorum, next_asked: int) -> Quorum:
    """Returns a copy of the quorum, deep where steps change values in place."""
    twin = copy(quorum)
    twin.fetch_next_from(next_asked)
    for name in ("log", "history"):
        part = copy(getattr(quorum, name))
        for inner, value in vars(part).items():
            if isinstance(value, list):
                setattr(part, inner, value[:])
        setattr(twin, name, part)
    twin.peers = copy(quorum.peers)
    twin.peers._lines = {peer: copy(line) for peer, line in quorum.peers._lines.items()}
    twin.parked = copy(quorum.parked)
    twin.parked._parked = dict(quorum.parked._parked)
    twin.parked._expiries = []
    if isinstance(quorum.role, Leader):
        role = quorum.role
        twin.role = replace(role, progress=dict(role.progress), begin_ms=dict(role.begin_ms))
    return twin
