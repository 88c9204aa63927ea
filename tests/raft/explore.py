"""Every interleaving of a small quorum, breadth first, up to what is said at the end.

Time stands still: a time that is over "fires now", in any order. One step is one message that
arrives or is lost, one patience that ends, one write, one crash with its restart. What is on its
way has no order. States that look the same are the same (`fingerprint`), with what `Safety`
remembers.
"""

from collections import deque
from copy import copy
from dataclasses import dataclass, replace

from kraftsim.controller.core.rpc import FetchRequest, FetchResponse
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct, elections, leading
from kraftsim.controller.raft.protocol import Answered, Channel
from kraftsim.controller.raft.roles import Leader, Unattached
from tests.raft.replicas import Replicas
from tests.raft.safety import Safety

TIMELESS = Settings(controller_quorum_retry_backoff_ms=0)


@dataclass(frozen=True)
class Limits:
    """What a history may have in it."""

    epoch: int = 2
    writes: int = 1
    crashes: int = 1


@dataclass(frozen=True)
class Explored:
    """`bound`: what ended the search before all within the limits was seen; None: nothing did."""

    states: int
    depth: int
    limits: Limits
    bound: str | None

    @property
    def is_exhaustive(self):
        return self.bound is None


class World(Replicas):
    """A quorum that can be forked: what a step touches is copied before it does."""

    def __init__(self, ids, *, is_quiet=False, **options):
        self.safety = Safety()
        self.is_quiet = is_quiet
        super().__init__(ids, settings=TIMELESS, **options)
        self.writes = self.crashes = 0
        self.interned = {}

    def draw(self):
        return 0.0

    def fork(self):
        twin = copy(self)
        twin.safety = self.safety.fork()
        twin.quorums, twin.disks, twin.lives = (
            dict(self.quorums),
            dict(self.disks),
            dict(self.lives),
        )
        twin.in_flight, twin.due_ms, twin.replies = list(self.in_flight), dict(self.due_ms), []
        return twin

    def touch(self, node_id):
        self.quorums[node_id] = copy_of(self.quorums[node_id])
        self.disks[node_id] = copy(self.disks[node_id])

    def step(self, node_id, what, *arguments):
        super().step(node_id, what, *arguments)
        self.safety.check(self, node_id)

    # What may happen

    def moves(self, limits):
        """Each a function of a fork."""
        for message in {self.key(one): one for one in self.in_flight}.values():
            yield lambda world, one=message: world.arrive(one)
            yield lambda world, one=message: world.go_astray(one)
        for node_id, quorum in self.quorums.items():
            yield lambda world, one=node_id: world.lose_patience(one)
            yield from (
                lambda world, one=node_id, peer=peer: world.give_up(one, peer)
                for peer in self.waited_for(node_id)
            )
            if self.writes < limits.writes and quorum.is_leader:
                yield lambda world, one=node_id: world.append_at(one)
            if self.crashes < limits.crashes:
                yield lambda world, one=node_id: world.crash_and_restart(one)

    def arrive(self, message):
        self.touch(message.receiver)
        self.deliver(message)

    def go_astray(self, message):
        self.touch(message.receiver if message.is_answer else message.sender)
        self.lose(message)

    def lose_patience(self, node_id):
        self.touch(node_id)
        self.step(node_id, patience_lost)

    def waited_for(self, node_id):
        """Whose answers it waits for that are not on their way: they are kept waiting there."""
        on_their_way = {
            (one.sender, one.receiver) for one in self.in_flight if one.life == self.lives[node_id]
        }
        for peer, line in self.quorums[node_id].peers._lines.items():
            is_moving = {(node_id, peer), (peer, node_id)} & on_their_way
            if line.request is not None and not is_moving:
                yield peer

    def give_up(self, node_id, peer_id):
        self.touch(node_id)
        number = self.quorums[node_id].peers._lines[peer_id].number
        self.step(node_id, conduct.on_answer, Answered(Channel.RAFT, peer_id, number, None))

    def append_at(self, node_id):
        self.touch(node_id)
        self.writes += 1
        self.write_at(node_id)

    def crash_and_restart(self, node_id):
        self.touch(node_id)
        self.crashes += 1
        self.restart(node_id)

    # What there is to see

    def key(self, message):
        """Known by what it says, not by its number; one that nobody waits for is not to be seen."""
        known = message.__dict__.get("known")
        if known is None:
            said = (message.sent.request, response_key(message.response))
            known = self.interned.setdefault(said, len(self.interned))
            message.__dict__["known"] = known
        asker = message.receiver if message.is_answer else message.sender
        other = message.sender if message.is_answer else message.receiver
        line = self.quorums[asker].peers._lines.get(other)
        is_awaited = (
            message.life == self.lives[asker]
            and line is not None
            and line.request is not None
            and line.number == message.sent.number
        )
        return message.sender, message.receiver, known, is_awaited

    def forget_the_unheard(self):
        """Answers that nobody waits for change nothing, nor do fetches that wait for such."""
        self.in_flight = [one for one in self.in_flight if not one.is_answer or self.key(one)[3]]
        for node_id, quorum in list(self.quorums.items()):
            parked = quorum.parked._parked.items()
            unheard = [number for number, (token, *_) in parked if not self.key(token)[3]]
            if unheard:
                self.touch(node_id)
            for number in unheard:
                del self.quorums[node_id].parked._parked[number]
        if self.is_quiet:
            self.forget_who_asks_around()

    def forget_who_asks_around(self):
        """Whoever knows no leader waits to be told (as in 3.9.1, rule 10.37)."""
        for message in self.in_flight[:]:
            quorum = self.quorums[message.sender]
            is_fetch = isinstance(message.sent.request, FetchRequest) and not message.is_answer
            if is_fetch and isinstance(quorum.role, Unattached) and self.key(message)[3]:
                self.in_flight.remove(message)
                self.touch(message.sender)
                self.quorums[message.sender].peers.take(message.receiver, message.sent.number)

    def fingerprint(self):
        return (
            tuple(self.print_of(quorum) for quorum in self.quorums.values()),
            tuple(sorted(self.key(one) for one in self.in_flight)),
            tuple(self.safety.leaders.items()),
            frozenset(self.safety.votes.items()),
            frozenset(self.safety.committed.items()),
            self.writes,
            self.crashes,
        )

    def print_of(self, quorum):
        """The replica's own fingerprint, and its conversations by what they are about."""
        waiting = tuple(
            sorted(
                (token.sender, self.key(token)[2:], watermark_of(kept))
                for token, _, kept in quorum.parked._parked.values()
            )
        )
        lines = tuple(
            (peer, self.intern(line.request)) for peer, line in quorum.peers._lines.items()
        )
        return quorum.fingerprint(), waiting, lines

    def intern(self, request):
        return -1 if request is None else self.interned.setdefault(request, len(self.interned))


def patience_lost(quorum, turn):
    if quorum.is_leader:
        leading.resign(quorum, turn)
    else:
        elections.on_patience_lost(quorum, turn)
    conduct.poll(quorum, turn)


def watermark_of(response):
    """All that differs between two answers that a fetch in vain may get."""
    return response.responses[0].partitions[0].high_watermark


def copy_of(quorum):
    """Deep where steps change things in place."""
    twin = copy(quorum)
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
    twin.parked._expiries = quorum.parked._expiries[:]
    if isinstance(quorum.role, Leader):
        role = quorum.role
        twin.role = replace(
            role,
            progress=dict(role.progress),
            observers=dict(role.observers),
            begin_ms=dict(role.begin_ms),
        )
    return twin


def response_key(response):
    """Batches are known by where they stand."""
    if not isinstance(response, FetchResponse) or not response.responses:
        return response
    data = response.responses[0].partitions[0]
    records = tuple((one.base_offset, one.epoch) for one in data.records or ())
    return replace(data, records=records), response.node_endpoints


def explore(world, *, limits=Limits(), states_max=20_000, depth_max=1_000):
    """All that can become of `world`."""
    world.forget_the_unheard()
    seen = {world.fingerprint()}
    waiting = deque([(0, world)])
    depth = 0
    while waiting:
        depth, here = waiting.popleft()
        if depth == depth_max:
            return Explored(len(seen), depth, limits, f"depth {depth_max}")
        for move in here.moves(limits):
            there = here.fork()
            move(there)
            there.forget_the_unheard()
            if any(one.epoch > limits.epoch for one in there.quorums.values()):
                continue
            mark = there.fingerprint()
            if mark in seen:
                continue
            if len(seen) == states_max:
                return Explored(len(seen), depth, limits, f"states {states_max}")
            seen.add(mark)
            waiting.append((depth + 1, there))
    return Explored(len(seen), depth, limits, None)
