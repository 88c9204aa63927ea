"""One replica with its disk, and what it does when something happens to it: a new one, and what it
said. Nothing else decides what it does, so whoever asks twice gets the same.

Time stands still: a time that is over is an event like the others, and nothing that only tells
times apart is part of what a replica is (`key`).
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from kraftsim.controller.core.batch import LeaderChange
from kraftsim.controller.core.records import NoOpRecord
from kraftsim.controller.core.rpc import EndQuorumEpochRequest, FetchRequest, FetchResponse
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct, elections, leading
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
)
from kraftsim.controller.raft.snapshots import by_reference

TIMELESS = Settings(controller_quorum_retry_backoff_ms=0)
NO_SNAPSHOTS = by_reference()


class Asked(NamedTuple):
    """Somebody's request; `is_awaited`: it still waits for the answer."""

    sender: int
    request: object
    is_awaited: bool


@dataclass
class Step:
    """`ended`: those whose answers it does not wait for any more."""

    replica: "LoneReplica"
    sends: tuple
    replies: tuple
    ended: frozenset


class LoneReplica:
    """Never changed: `meet` makes another one."""

    def __init__(self, identity, disk, quorum=None, *, asks_around=True, next_asked=0):
        """`next_asked`: whom it asks next if it asks anybody, by place among the others."""
        self.identity, self.disk, self.quorum = identity, disk, quorum
        self.asks_around, self.next_asked = asks_around, next_asked

    def meet(self, event, *arguments, next_asked=0):
        """Nobody knows whose turn it is to be asked: `next_asked` is anything."""
        twin, turn = self._copied(next_asked), Turn(0, 0)
        getattr(twin, event)(turn, *arguments)
        sends = twin._settled(turn)
        waiting = {} if event == "restarts" else twin.awaited
        ended = {peer for peer, line in self.awaited.items() if line != waiting.get(peer)}
        return Step(twin, sends, turn.replies, frozenset(ended))

    def _copied(self, next_asked):
        quorum = None if self.quorum is None else copy_of(self.quorum, next_asked)
        return LoneReplica(
            self.identity,
            copy(self.disk),
            quorum,
            asks_around=self.asks_around,
            next_asked=next_asked,
        )

    def _settled(self, turn):
        """What it sends, when all that it has is on its disk."""
        quorum = self.quorum
        self._carry_out(turn)
        if quorum.persisted_offset < quorum.log.end_offset:
            conduct.on_persisted(quorum, quorum.log.end_offset, turn)
            self._carry_out(turn)
        self._forget_the_unheard()
        if self.asks_around or not isinstance(quorum.role, Unattached):
            return turn.sends
        return self._without_fetches(turn.sends)

    def _without_fetches(self, sends):
        fetches = [one for one in sends if isinstance(one.request, FetchRequest)]
        for one in fetches:
            self.quorum.peers.take(one.peer_id, one.number)
        return [one for one in sends if one not in fetches]

    def _carry_out(self, turn):
        """What a driver makes safe before it lets anything out."""
        if turn.election is not None:
            self.disk.election = turn.election
        log = self.quorum.log
        log.batches[:] = [without_grants(one) for one in log.batches]
        self.disk.batches = [
            one for one in log.batches if one.last_offset < self.quorum.persisted_offset
        ]

    def _forget_the_unheard(self):
        """An answer that nobody waits for changes nothing, nor does a fetch that waits for it."""
        parked = self.quorum.parked
        for number, (asked, *_) in list(parked._parked.items()):
            if not asked.is_awaited:
                del parked._parked[number]
        parked._expiries.clear()

    # What may happen to it

    def restarts(self, turn):
        """Over what is on its disk."""
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
        self.quorum.next_asked = self.next_asked
        conduct.start(self.quorum, turn)

    def hears(self, turn, sender, request):
        conduct.on_request(self.quorum, request, Asked(sender, request, True), turn)

    def hears_late(self, turn, sender, request):
        """Its sender waits no more, or has been answered already."""
        conduct.on_request(self.quorum, request, Asked(sender, request, False), turn)

    def is_told(self, turn, peer, response):
        number, _ = self.awaited[peer]
        answered = Answered(Channel.RAFT, peer, number, response)
        conduct.on_answer(self.quorum, answered, turn)

    def gives_up_on(self, turn, peer):
        self.is_told(turn, peer, None)

    def lets_go(self, turn, sender):
        """The fetch of `sender` has waited for as long as it may (10.35)."""
        turn.replies += self._unparked(sender)

    def is_left_by(self, turn, sender):
        """`sender` does not wait for its fetch any more."""
        self._unparked(sender)

    def _unparked(self, sender):
        """The fetch of `sender` that waited here, with its answer."""
        parked = self.quorum.parked._parked
        numbers = [number for number, (asked, *_) in parked.items() if asked.sender == sender]
        waiting = [parked.pop(number) for number in numbers]
        return tuple((asked, response) for asked, _, response in waiting)

    def loses_patience(self, turn):
        if self.quorum.is_leader:
            leading.resign(self.quorum, turn)
        else:
            elections.on_patience_lost(self.quorum, turn)
        conduct.poll(self.quorum, turn)

    def says_again_that_it_leads(self, turn, peer):
        """`peer` has not fetched for too long (10.22)."""
        role, peers = self.quorum.role, self.quorum.peers
        if peers.is_free(peer, turn.now_ms):
            role.begin_ms[peer] = turn.now_ms
            conduct.poll(self.quorum, turn)

    def writes(self, turn):
        self.quorum.append((NoOpRecord(),), (0,), turn)

    # What it is

    @property
    def awaited(self):
        """By peer: (number, request) of what it waits for."""
        if self.quorum is None:
            return {}
        lines = self.quorum.peers._lines.items()
        return {peer: (one.number, one.request) for peer, one in lines if one.request is not None}

    @property
    def parked(self):
        """By sender: the fetch that waits, and what it will be told if nothing comes."""
        waiting = self.quorum.parked._parked.values()
        return {asked.sender: (asked.request, response) for asked, _, response in waiting}

    @property
    def key(self):
        """Two with the same key do the same from here on."""
        quorum = self.quorum
        return (
            quorum.me,
            role_key(quorum.role),
            (quorum.epoch, quorum.leader_id, quorum.voted, quorum.leader_endpoint),
            log_key(quorum.log.batches),
            (quorum.high_watermark, quorum.leader_high_watermark, quorum.persisted_offset),
            disk_key(self.disk),
            frozenset((peer, heard(request)) for peer, (_, request) in self.awaited.items()),
            frozenset(
                (one, asked, response_key(kept)) for one, (asked, kept) in self.parked.items()
            ),
        )


def copy_of(quorum, next_asked):
    """Deep where steps change things in place."""
    twin = copy(quorum)
    twin.next_asked = next_asked
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


def role_key(role):
    match role:
        case Leader():
            ends = frozenset((peer, one.end_offset) for peer, one in role.progress.items())
            untold = frozenset(peer for peer, one in role.begin_ms.items() if one <= 0)
            return "leader", role.epoch_start, ends, untold
        case Prospective() | Candidate():
            return type(role).__name__, role.granted, role.refused
        case Follower():
            return "follower", role.has_fetched
        case Resigned():
            return "resigned", role.acknowledged
        case _:
            return "unattached"


def log_key(batches):
    return tuple((one.base_offset, one.epoch, leader_in(one)) for one in batches)


def disk_key(disk):
    return disk.election, log_key(disk.batches)


def leader_in(batch):
    first = batch.records[0]
    return first.leader_id if isinstance(first, LeaderChange) else None


def without_grants(batch):
    """Who granted is told for people to read; it decides nothing."""
    first = batch.records[0]
    if not isinstance(first, LeaderChange) or not first.granting_voters:
        return batch
    first = replace(first, granting_voters=())
    return replace(batch, records=(first, *batch.records[1:]))


def heard(request):
    """What its receiver goes by; whom a leader names first matters for times only (10.40)."""
    if not isinstance(request, EndQuorumEpochRequest):
        return request
    topic = request.topics[0]
    said = replace(topic.partitions[0], preferred_successors=(), preferred_candidates=())
    return replace(request, topics=(replace(topic, partitions=(said,)),))


def response_key(response):
    """Batches are known by where they stand."""
    if not isinstance(response, FetchResponse) or not response.responses:
        return response
    data = response.responses[0].partitions[0]
    return replace(data, records=log_key(data.records or ())), response.node_endpoints
