"""A quorum in a test: replicas, the messages between them, and what each has on its disk.

Nothing moves by itself: a test delivers, drops, fires deadlines and crashes, in any order it likes.
"""

import random as randomness
from dataclasses import dataclass, field

from kraftsim.controller.core.batch import Batch, VoterEndpoint
from kraftsim.controller.core.records import NoOpRecord
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft import conduct, leading
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, ElectionState, Send, Turn
from kraftsim.controller.raft.quorum import LISTENER, Identity, Quorum
from kraftsim.controller.raft.snapshots import Snapshot, by_reference
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from tests.builders import CLUSTER_ID, uuid_of

WALL_START_MS = 1_000_000


@dataclass
class Disk:
    """What a crash leaves."""

    election: ElectionState = field(default_factory=ElectionState)
    batches: list[Batch] = field(default_factory=list)
    snapshot: Snapshot | None = None


@dataclass
class Message:
    """A request on its way to `receiver`, or an answer on its way back."""

    sender: int
    receiver: int
    sent: Send
    response: object = None

    @property
    def is_answer(self) -> bool:
        return self.response is not None


def key_of(node_id, *, directories=True):
    return ReplicaKey(node_id, uuid_of(f"directory-{node_id}") if directories else ZERO_UUID)


def endpoint_of(node_id):
    return VoterEndpoint(name=LISTENER, host="127.0.0.1", port=9000 + node_id)


def identity_of(node_id, voter_ids, *, kraft_version=1, is_volatile=False):
    """Static voters (kraft.version 0) know no directories of each other."""
    directories = kraft_version > 0
    voters = []
    for one in voter_ids:
        bare = Identity(
            key=key_of(one, directories=directories),
            cluster_id=CLUSTER_ID,
            endpoint=endpoint_of(one),
            voters=VoterSet(),
        )
        voters.append(bare.as_voter)
    return Identity(
        key=key_of(node_id),
        cluster_id=CLUSTER_ID,
        endpoint=endpoint_of(node_id),
        voters=VoterSet(tuple(voters)),
        kraft_version=kraft_version,
        is_volatile=is_volatile,
    )


class Replicas:
    """`ids` are the voters; `now_ms` moves only by `run_for` and `fire`."""

    def __init__(self, ids, *, seed=0, settings=None, kraft_version=1, is_volatile=False):
        self.ids = tuple(ids)
        self.settings = settings or Settings()
        self.random = randomness.Random(seed)
        self.kraft_version = kraft_version
        self.is_volatile = is_volatile
        self.snapshot_format = by_reference()
        self.now_ms = 0
        self.disks = {}
        self.quorums = {}
        self.in_flight = []
        self.replies = []
        self.cut = set()
        for node_id in self.ids:
            self.add(node_id)

    def add(self, node_id):
        """A replica with an empty disk, started."""
        self.disks[node_id] = Disk()
        self.start(node_id)

    def start(self, node_id):
        """Start from what is on the disk."""
        disk = self.disks[node_id]
        log = MetadataLog()
        if disk.snapshot is not None:
            log.restart(disk.snapshot.snapshot_id.end_offset, disk.snapshot.snapshot_id.epoch)
        for batch in disk.batches:
            log.append(batch)
        identity = identity_of(
            node_id,
            self.ids,
            kraft_version=self.kraft_version,
            is_volatile=self.is_volatile,
        )
        self.quorums[node_id] = Quorum(
            identity,
            settings=self.settings,
            random=self.random.random,
            snapshot_format=self.snapshot_format,
            log=log,
            stored=disk.election,
        )
        self.step(node_id, conduct.start)

    def crash(self, node_id, *, loses_disk=False):
        """The process ends; what was on its way to it or from it may still arrive."""
        del self.quorums[node_id]
        if loses_disk:
            self.disks[node_id] = Disk()

    def step(self, node_id, what, *arguments):
        """One step, and what a driver does after it: persist, then send, then reply."""
        quorum = self.quorums[node_id]
        turn = self.turn()
        what(quorum, *arguments, turn)
        self.carry_out(node_id, turn)

    def turn(self):
        return Turn(self.now_ms, WALL_START_MS + self.now_ms)

    def carry_out(self, node_id, turn):
        quorum, disk = self.quorums[node_id], self.disks[node_id]
        if turn.election is not None:
            disk.election = turn.election
        if turn.snapshot is not None:
            disk.snapshot = turn.snapshot
        disk.batches = list(quorum.log.batches)
        for send in turn.sends:
            self.in_flight.append(Message(node_id, send.peer_id, send))
        for token, response in turn.replies:
            if isinstance(token, Message):
                self.in_flight.append(Message(token.receiver, token.sender, token.sent, response))
            else:
                self.replies.append((token, response))
        if quorum.persisted_offset < quorum.log.end_offset:
            self.step(node_id, conduct.on_persisted, quorum.log.end_offset)

    def deliver(self, message):
        """Let it arrive, unless nobody is there; either way it is no longer in flight."""
        if message in self.in_flight:
            self.in_flight.remove(message)
        quorum = self.quorums.get(message.receiver)
        if quorum is None or (message.sender, message.receiver) in self.cut:
            return
        if message.is_answer:
            event = Answered(Channel.RAFT, message.sender, message.sent.number, message.response)
            self.step(message.receiver, conduct.on_answer, event)
        else:
            self.step(message.receiver, conduct.on_request, message.sent.request, message)

    def fire(self, node_id):
        """Time passes up to what `node_id` waits for, for everybody."""
        deadline_ms = conduct.deadline_ms(self.quorums[node_id], self.now_ms)
        self.now_ms = max(self.now_ms, deadline_ms)
        self.step(node_id, conduct.on_deadline)

    def run_for(self, milliseconds):
        """Everything arrives at once, in order; deadlines ring when they are due."""
        end_ms = self.now_ms + milliseconds
        while True:
            while self.in_flight:
                self.deliver(self.in_flight[0])
            waiting = [
                (conduct.deadline_ms(quorum, self.now_ms), node_id)
                for node_id, quorum in self.quorums.items()
            ]
            soonest_ms, node_id = min(waiting, default=(end_ms + 1, -1))
            if soonest_ms > end_ms:
                self.now_ms = end_ms
                return
            self.fire(node_id)

    def elect(self):
        """Run until somebody leads and has committed something of its own epoch."""
        for _ in range(100):
            leader = self.leader
            if leader is not None and leading.known_high_watermark(leader) > 0:
                return leader
            self.run_for(100)
        raise AssertionError("nobody leads after ten seconds")

    @property
    def leader(self):
        leaders = [one for one in self.quorums.values() if one.is_leader]
        return max(leaders, key=lambda one: one.epoch, default=None)

    def write(self, count=1):
        """The leader appends `count` records; where they end."""
        leader = self.leader
        turn = self.turn()
        leader.append((NoOpRecord(),) * count, (0,) * count, turn)
        self.carry_out(leader.me.node_id, turn)
        return leader.log.end_offset

    def isolate(self, node_id):
        for other in set(self.ids) - {node_id}:
            self.cut |= {(node_id, other), (other, node_id)}

    def heal(self):
        self.cut.clear()
