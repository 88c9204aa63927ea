"""A voter in a search: only the quorum and its log, without a controller that uses them.

Each step works on a copy of the quorum.
"""

from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import FetchRequest, Request
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.identity import Identity
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.parked import ParkedFetches
from kraftsim.controller.raft.peers import Peers
from kraftsim.controller.raft.protocol import Answered, Channel, Send, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader, Unattached
from kraftsim.controller.raft.snapshot import by_reference
from kraftsim.controller.raft.voters import VoterHistory

from . import quorum_events
from .identities import Disk
from .keys import disk_key, log_key, response_key, role_key, without_grants, without_successors
from .lone import Answer, Arrival, Requester, Sent, Step

TIMELESS = Settings(controller_quorum_retry_backoff_ms=0)
NO_SNAPSHOTS = by_reference()

Part = TypeVar("Part")


class LoneReplica:
    """An immutable replica: `apply` returns a new replica.

    Without `asks_around` a replica that knows no leader waits for the leader's request instead
    of fetching from other voters. `next_peer` is the index, among the other voters, of the
    voter that the replica fetches from next.
    """

    quorum: Quorum
    deferred: frozenset[Requester] = frozenset()

    def __init__(
        self,
        identity: Identity,
        disk: Disk,
        quorum: Quorum | None = None,
        *,
        asks_around: bool = True,
        next_peer: int = 0,
    ) -> None:
        self.identity, self.disk = identity, disk
        if quorum is not None:
            self.quorum = quorum
        self.asks_around, self.next_peer = asks_around, next_peer

    def apply(self, event: str, *arguments: Any, next_peer: int = 0) -> Step:
        """Returns the result of an event, named as a method below.

        A search tries every index `next_peer` of the voter that the replica fetches from next.
        """
        twin, turn = self._copied(next_peer), Turn(0, 0)
        getattr(twin, event)(turn, *arguments)
        sends = twin._settled(turn)
        waiting = {} if event == "restarts" else twin._lines
        ended = {peer for peer, line in self._lines.items() if line != waiting.get(peer)}
        sent = tuple(Sent(send.peer_id, send.request) for send in sends)
        return Step(twin, sent, turn.replies, frozenset(ended))

    def _copied(self, next_peer: int) -> "LoneReplica":
        quorum = copy_of(self.quorum, next_peer) if self._is_up else None
        return LoneReplica(
            self.identity,
            copy(self.disk),
            quorum,
            asks_around=self.asks_around,
            next_peer=next_peer,
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
        quorum_events.drop_unawaited_fetches(quorum)
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
        """Starts a process that reads the disk."""
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
        self.quorum.fetch_next_from(self.next_peer)
        conduct.start(self.quorum, turn)

    def receives(self, turn: Turn, requester: Requester, request: Request) -> None:
        """Handles a request whose sender waits for the reply."""
        conduct.on_request(self.quorum, request, Arrival(requester, request, True), turn)

    def receives_late(self, turn: Turn, requester: Requester, request: Request) -> None:
        """Handles a request whose sender has given up, or already has its reply."""
        conduct.on_request(self.quorum, request, Arrival(requester, request, False), turn)

    def receives_response(self, turn: Turn, peer: int, response: Any) -> None:
        """Handles the response of the voter `peer`; None means that the request failed."""
        answered = Answered(
            channel=Channel.RAFT, peer_id=peer, number=self._lines[peer].number, response=response
        )
        conduct.on_answer(self.quorum, answered, turn)

    def times_out_on(self, turn: Turn, peer: int) -> None:
        """Handles the timeout of the open request to `peer`."""
        self.receives_response(turn, peer, None)

    def answers_parked_fetch_of(self, turn: Turn, requester: Requester) -> None:
        """Replies to the parked fetch of `requester`: its maximum wait is over (rule 10.35)."""
        turn.replies += quorum_events.unpark(self.quorum, requester)

    def forgets_request_of(self, turn: Turn, requester: Requester) -> None:
        """Forgets the parked fetch of `requester`, which no longer waits for the reply."""
        quorum_events.unpark(self.quorum, requester)

    def role_times_out(self, turn: Turn) -> None:
        """Handles the timeout of the current role: a leader resigns, others start an election."""
        quorum_events.time_out_role(self.quorum, turn)

    def announces_again_to(self, turn: Turn, peer: int) -> None:
        """Sends BeginQuorumEpoch again to the voter `peer`, which has not fetched."""
        quorum_events.announce_again(self.quorum, peer, turn)

    def writes(self, turn: Turn) -> None:
        """Appends a NoOpRecord as leader."""
        self.quorum.append((NoOpRecord(),), (0,), turn)

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """The events that can happen to the node without a message: (event, *arguments)."""
        always: tuple[tuple[Any, ...], ...] = (("role_times_out",), ("restarts",))
        if not self.is_leader:
            return always
        again = (("announces_again_to", voter.voter_id) for voter in self.quorum.other_voters)
        return (*always, ("writes",), *again)

    # State

    @property
    def _lines(self) -> dict[Requester, quorum_events.Line]:
        return quorum_events.lines(self.quorum) if self._is_up else {}

    @property
    def awaited(self) -> Mapping[Requester, Sent]:
        """The open requests to other voters, by the id of the receiver."""
        return {peer: Sent(int(peer), line.request) for peer, line in self._lines.items()}

    @property
    def waiting(self) -> dict[Requester, tuple[Request, Answer]]:
        """The parked fetches by requester, each with the reply that is due at its deadline."""
        return quorum_events.parked(self.quorum)

    @property
    def parked(self) -> frozenset[Requester]:
        """The voters whose fetches this replica has parked."""
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
        """Hashable key of the durable state; disks with equal keys restart alike."""
        return disk_key(self.disk)

    @property
    def key(self) -> Hashable:
        """A hashable summary of the node; nodes with equal keys have equal continuations."""
        quorum = self.quorum
        return (
            quorum.me,
            role_key(quorum.role),
            (quorum.epoch, quorum.leader_id, quorum.voted, quorum.leader_endpoint),
            log_key(quorum.log.batches),
            (quorum.high_watermark, quorum.leader_high_watermark, quorum.persisted_offset),
            self.disk_key,
            frozenset(
                (peer, without_successors(line.request)) for peer, line in self._lines.items()
            ),
            frozenset(
                (number, arrival, response_key(response))
                for number, (arrival, response) in self.waiting.items()
            ),
        )


def copy_of(quorum: Quorum, next_peer: int) -> Quorum:
    """Returns a copy of the quorum, including values that a step changes in place.

    `next_peer` is the index of the voter that the copy fetches from next.
    """
    twin: Quorum = _filled(_new(quorum), quorum)
    twin.fetch_next_from(next_peer)
    twin.log = _filled(MetadataLog(), quorum.log)
    twin.history = _filled(VoterHistory(quorum.identity.voters), quorum.history)
    peers = Peers(Channel.RAFT, request_timeout_ms=0, retry_backoff_ms=0)
    twin.peers = _filled(peers, quorum.peers)
    twin.peers._lines = {peer: replace(line) for peer, line in quorum.peers._lines.items()}
    twin.parked = ParkedFetches()  # without expiries: time stands still
    twin.parked._number, twin.parked._parked = quorum.parked._number, dict(quorum.parked._parked)
    if isinstance(quorum.role, Leader):
        role = quorum.role
        twin.role = replace(role, progress=dict(role.progress), begin_ms=dict(role.begin_ms))
    return twin


def _new(quorum: Quorum) -> Quorum:
    return Quorum(
        quorum.identity,
        settings=quorum.settings,
        random=quorum.random,
        snapshot_format=quorum.snapshot_format,
        log=MetadataLog(),
        stored=quorum.durable,
    )


def _filled(new: Part, original: Part) -> Part:
    """Gives `new` the attributes of `original`, with copies of its lists; returns `new`.

    Compiled classes (`tools/native.py`) have neither `__dict__` nor empty objects.
    """
    names: tuple[str, ...] = getattr(original, "__mypyc_attrs__", None) or tuple(vars(original))
    for name in names:
        value = getattr(original, name)
        setattr(new, name, value[:] if isinstance(value, list) else value)
    return new
