"""A quorum in a test: replicas, the messages between them, and what each has on its disk.

Nothing moves by itself: a test delivers, drops, fires deadlines and crashes, in any order it likes.
"""

import random as randomness
from dataclasses import dataclass, field, replace

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, VoterEndpoint, Voters
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    ApiVersionsResponse,
    SnapshotId,
    SupportedFeatureKey,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft import conduct, leading
from kraftsim.controller.raft.identity import LISTENER, Identity
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, ElectionState, Send, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.snapshot import Snapshot, by_reference
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from tests.builders import CLUSTER_ID, uuid_of

WALL_START_MS = 1_000_000
MESSAGES_MAX = 10_000  # at one moment
SUPPORTED = ApiVersionsResponse(
    supported_features=(SupportedFeatureKey(name="kraft.version", min_version=0, max_version=1),)
)


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
    life: int  # of the process that asked: when it ends, its connections do
    response: object = None

    @property
    def request(self):
        return self.sent.request

    @property
    def is_answer(self) -> bool:
        return self.response is not None

    def answered(self, response):
        return replace(self, sender=self.receiver, receiver=self.sender, response=response)


def key_of(node_id, *, directories=True):
    return ReplicaKey(node_id, uuid_of(f"directory-{node_id}") if directories else ZERO_UUID)


def endpoint_of(node_id):
    return VoterEndpoint(name=LISTENER, host="127.0.0.1", port=9000 + node_id)


def identity_of(node_id, voter_ids, *, kraft_version=1, may_have_lost_log=False):
    """Static voters (kraft.version 0) know no directories of each other."""
    directories = kraft_version > 0
    voters = []
    for voter_id in voter_ids:
        bare = Identity(
            key=key_of(voter_id, directories=directories),
            cluster_id=CLUSTER_ID,
            endpoint=endpoint_of(voter_id),
            voters=VoterSet(),
        )
        voters.append(bare.as_voter)
    return Identity(
        key=key_of(node_id),
        cluster_id=CLUSTER_ID,
        endpoint=endpoint_of(node_id),
        voters=VoterSet(tuple(voters)),
        kraft_version=kraft_version,
        may_have_lost_log=may_have_lost_log,
    )


class Replicas:
    """`ids` are the voters; `now_ms` moves only by `run_for` and `fire`."""

    def __init__(
        self,
        ids,
        *,
        seed=0,
        settings=None,
        kraft_version=1,
        may_have_lost_log=False,
        has_pre_votes=True,
        bounds_fetches=True,
        has_slow_disks=False,
        watch=lambda replicas, node_id: None,
    ):
        self.ids = tuple(ids)
        self.has_slow_disks = has_slow_disks
        self.watch = watch  # is shown every step
        self.settings = settings or Settings()
        self.random = randomness.Random(seed)
        self.kraft_version = kraft_version
        self.may_have_lost_log = may_have_lost_log
        self.of_release = {"has_pre_votes": has_pre_votes, "bounds_fetches": bounds_fetches}
        self.snapshot_format = by_reference()
        self.now_ms = 0
        self.disks = {}
        self.quorums = {}
        self.in_flight = []
        self.replies = []
        self.cut = set()
        self.due_ms = {}  # when each must be stepped next, as of its last step
        self.lives = {}
        self.directories = {}  # of those that were reborn
        self.ports = {}  # of those that moved
        self.requests_sent = 0
        for node_id in self.ids:
            self.add(node_id)

    def draw(self):
        return self.random.random()

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
            may_have_lost_log=self.may_have_lost_log,
        )
        identity = replace(identity, **self.of_release)
        if node_id in self.directories:
            key = ReplicaKey(node_id, self.directories[node_id])
            identity = replace(identity, key=key)
        if node_id in self.ports:
            endpoint = replace(identity.endpoint, port=self.ports[node_id])
            identity = replace(identity, endpoint=endpoint)
        self.lives[node_id] = self.lives.get(node_id, 0) + 1
        self.quorums[node_id] = Quorum(
            identity,
            settings=self.settings,
            random=self.draw,
            snapshot_format=self.snapshot_format,
            log=log,
            stored=disk.election,
            snapshot=disk.snapshot,
        )
        self.step(node_id, conduct.start)

    def crash(self, node_id, *, loses_disk=False):
        """The process ends. What it asked may still arrive, as may what others asked it; answers
        to it do not. Where the disk is lost, so is what was on its way to it."""
        del self.quorums[node_id]
        self.in_flight = [
            send
            for send in self.in_flight
            if send.receiver != node_id or not (send.is_answer or loses_disk)
        ]
        if loses_disk:
            self.disks[node_id] = Disk()

    def restart(self, node_id, *, loses_disk=False):
        self.crash(node_id, loses_disk=loses_disk)
        self.start(node_id)

    def step(self, node_id, what, *arguments):
        """One step, and what a driver does after it: persist, then send, then reply."""
        quorum = self.quorums[node_id]
        turn = self.turn()
        what(quorum, *arguments, turn)
        self.due_ms[node_id] = conduct.deadline_ms(quorum, self.now_ms)
        self.carry_out(node_id, turn)
        self.watch(self, node_id)

    def turn(self):
        return Turn(self.now_ms, WALL_START_MS + self.now_ms)

    def carry_out(self, node_id, turn):
        disk = self.disks[node_id]
        if turn.election is not None:
            disk.election = turn.election
        if turn.snapshot is not None:
            disk.snapshot = turn.snapshot
        self.keep_what_is_safe(node_id)
        self.requests_sent += len(turn.sends)
        for send in turn.sends:
            self.in_flight.append(Message(node_id, send.peer_id, send, self.lives[node_id]))
        for token, response in turn.replies:
            if isinstance(token, Message):
                self.in_flight.append(token.answered(response))
            else:
                self.replies.append((token, response))
        if not self.has_slow_disks:
            self.flush(node_id)

    def keep_what_is_safe(self, node_id):
        quorum = self.quorums[node_id]
        self.disks[node_id].batches = [
            batch for batch in quorum.log.batches if batch.last_offset < quorum.persisted_offset
        ]

    def flush(self, node_id):
        """What the log has is on disk now."""
        quorum = self.quorums[node_id]
        if quorum.persisted_offset < quorum.log.end_offset:
            self.step(node_id, conduct.on_persisted, quorum.log.end_offset)

    def deliver(self, message):
        """Let it arrive, unless nobody is there; either way it is no longer in flight."""
        if message in self.in_flight:
            self.in_flight.remove(message)
        quorum = self.quorums.get(message.receiver)
        if quorum is None or (message.sender, message.receiver) in self.cut:
            return
        if message.is_answer and message.life != self.lives[message.receiver]:
            return
        if message.is_answer:
            event = Answered(
                channel=Channel.RAFT,
                peer_id=message.sender,
                number=message.sent.number,
                response=message.response,
            )
            self.step(message.receiver, conduct.on_answer, event)
        else:
            self.step(message.receiver, conduct.on_request, message.sent.request, message)

    def ask(self, node_id, request):
        """The one reply to `request`, which comes at once."""
        token = object()
        self.step(node_id, conduct.on_request, request, token)
        (reply,) = [response for asked, response in self.replies if asked is token]
        return reply

    def submit(self, node_id, request, token):
        """Ask, and look into `answers` later."""
        self.step(node_id, conduct.on_request, request, token)

    def answers(self, token):
        return [response for asked, response in self.replies if asked == token]

    def requests(self, kind, *, sender=None):
        """What is on its way of that kind."""
        return [
            send
            for send in self.in_flight
            if not send.is_answer
            and isinstance(send.sent.request, kind)
            and sender in (None, send.sender)
        ]

    def answer(self, message, response):
        """The test itself answers what was asked; None: it is lost."""
        self.in_flight.remove(message)
        event = Answered(
            channel=Channel.RAFT,
            peer_id=message.receiver,
            number=message.sent.number,
            response=response,
        )
        self.step(message.sender, conduct.on_answer, event)

    def lose(self, message):
        """The connection breaks, and whoever asked sees it."""
        self.in_flight.remove(message)
        asker = message.receiver if message.is_answer else message.sender
        other = message.sender if message.is_answer else message.receiver
        if asker in self.quorums and message.life == self.lives[asker]:
            event = Answered(
                channel=Channel.RAFT, peer_id=other, number=message.sent.number, response=None
            )
            self.step(asker, conduct.on_answer, event)

    def lose_everything(self):
        """Whatever is on its way; then time enough for every line to be free again."""
        while self.in_flight:
            self.lose(self.in_flight[0])
        self.now_ms += self.settings.controller_quorum_retry_backoff_ms

    def resign(self, node_id, successor_id=-1):
        def give_up(quorum, turn):
            leading.resign(quorum, turn, successor_id)
            conduct.poll(quorum, turn)

        self.step(node_id, give_up)

    def fire(self, node_id):
        """Time passes up to what `node_id` waits for, for everybody."""
        self.now_ms = max(self.now_ms, self.due_ms[node_id])
        self.step(node_id, conduct.on_deadline)

    def run_for(self, milliseconds):
        """Everything arrives at once, in order; deadlines ring when they are due."""
        end_ms = self.now_ms + milliseconds
        while True:
            for _ in range(MESSAGES_MAX):
                if not self.in_flight:
                    break
                self.deliver(self.in_flight[0])
            assert not self.in_flight, f"they talk without end: {self.in_flight[0]}"
            waiting = [(self.due_ms[node_id], node_id) for node_id in self.quorums]
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
        leaders = [quorum for quorum in self.quorums.values() if quorum.is_leader]
        return max(leaders, key=lambda leader: leader.epoch, default=None)

    def write(self, count=1):
        """The leader appends `count` records; where they end."""
        return self.write_at(self.leader.me.node_id, count)

    def write_at(self, node_id, count=1):
        quorum, turn = self.quorums[node_id], self.turn()
        quorum.append((NoOpRecord(),) * count, (0,) * count, turn)
        self.carry_out(node_id, turn)
        return quorum.log.end_offset

    def take_snapshot(self, node_id):
        """Of everything that is committed there: its voters, and so many records."""
        quorum = self.quorums[node_id]
        end_offset = quorum.high_watermark
        control = (
            KRaftVersion(kraft_version=quorum.history.version_at(end_offset)),
            Voters(voters=quorum.history.at(end_offset).voters),
        )
        batch = Batch(
            base_offset=0,
            epoch=quorum.log.last_epoch,
            timestamp_ms=0,
            records=control,
            versions=(0, 0),
            is_control=True,
        )
        epoch = next(
            batch.epoch for batch in reversed(quorum.log.batches) if batch.base_offset < end_offset
        )
        snapshot = Snapshot(
            SnapshotId(end_offset=end_offset, epoch=epoch),
            (batch,),
            self.snapshot_format.encode((batch,)),
        )
        turn = self.turn()
        quorum.take_snapshot(snapshot, turn)
        self.carry_out(node_id, turn)
        return snapshot

    def isolate(self, node_id):
        for other in set(self.disks) - {node_id}:
            self.cut |= {(node_id, other), (other, node_id)}

    def heal(self):
        self.cut.clear()
