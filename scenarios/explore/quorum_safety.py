"""Checks the rules that every quorum keeps at every moment (rules 9.36 to 9.45).

`Safety` records the leaders, votes, entries and commits that it observes; later observations must
agree. It does not use what a replica believes about other replicas.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.rpc import VoteResponse
from kraftsim.controller.raft import messages
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet

K = TypeVar("K")
V = TypeVar("V")


class Violation(Impossible):
    """A broken rule: its number, and the observation that contradicts it."""

    def __init__(self, rule: str, observed: str) -> None:
        super().__init__(f"{rule}: {observed}")
        self.rule = rule


class DiskView(Protocol):
    """The fields of a disk that `Safety` reads."""

    election: ElectionState
    batches: list[Batch]
    snapshot: Snapshot | None


class VoteMessage(Protocol):
    """A message in flight, of which `Safety` checks only replies to vote requests."""

    @property
    def sender(self) -> int: ...

    @property
    def response(self) -> Any: ...

    @property
    def request(self) -> Any: ...


class Replicas(Protocol):
    """The replicas that `Safety` checks, by id: quorums, disks, and messages in flight.

    `lives` is the number of processes that each replica has had.
    """

    @property
    def quorums(self) -> Mapping[int, Quorum]: ...

    @property
    def disks(self) -> Mapping[int, Any]: ...

    @property
    def lives(self) -> Mapping[int, int]: ...

    @property
    def in_flight(self) -> Iterable[Any]: ...


def agree(rule: str, known: dict[K, V], key: K, value: V) -> None:
    """Records the value of a key; raises `Violation` if another value is already recorded."""
    if known.setdefault(key, value) != value:
        raise Violation(rule, f"{key} was {known[key]}, and is {value}")


class Safety:
    """The observations of one history; call `check` after every step of a replica."""

    def __init__(self) -> None:
        self.leaders: dict[int, int] = {}  # epoch -> id
        self.votes: dict[tuple[ReplicaKey, int], ReplicaKey] = {}  # (voter, epoch) -> candidate
        # (offset, epoch) -> (the entry, the place of its predecessor)
        self.entries: dict[tuple[int, int], tuple[Batch, tuple[int, int]]] = {}
        # offset -> (epoch of the entry, epoch in which it was committed)
        self.committed: dict[int, tuple[int, int]] = {}
        self.epochs: dict[int, int] = {}  # id -> epoch, restarts included
        self.watermarks: dict[tuple[ReplicaKey, int], int] = {}  # (replica, life) -> watermark
        # (replica, epoch) -> (end offset, epoch of the last entry)
        self.tenures: dict[tuple[ReplicaKey, int], tuple[int, int]] = {}

    def fork(self) -> "Safety":
        """Returns a copy, to check another continuation of the same history."""
        twin = Safety()
        for name, known in vars(self).items():
            setattr(twin, name, dict(known))
        return twin

    def check(self, replicas: Replicas, node_id: int) -> None:
        """Records the state of a replica after a step; raises `Violation` if it breaks a rule."""
        quorum, disk = replicas.quorums[node_id], replicas.disks[node_id]
        self.check_epoch(quorum, disk)
        self.check_votes(replicas, quorum, disk)
        self.check_entries(quorum)
        self.check_watermark(quorum, replicas.lives[node_id])
        self.check_commits(replicas, quorum)
        if quorum.is_leader:
            self.check_tenure(quorum)
            self.check_voters(quorum)

    def check_epoch(self, quorum: Quorum, disk: DiskView) -> None:
        """Rules 9.37 and 9.38: the epoch never falls, and equals the epoch on disk."""
        node_id = quorum.me.node_id
        if quorum.epoch < self.epochs.get(node_id, 0):
            raise Violation("9.38", f"{node_id} at {quorum.epoch}, was at {self.epochs[node_id]}")
        self.epochs[node_id] = quorum.epoch
        if disk.election.epoch != quorum.epoch:
            raise Violation("9.38", f"{node_id} at {quorum.epoch}, its disk: {disk.election}")

    def check_votes(self, replicas: Replicas, quorum: Quorum, disk: DiskView) -> None:
        """Rules 9.36 and 9.37: one leader per epoch, and one vote of a voter per epoch."""
        state = disk.election
        if state.voted is not None:
            agree("9.37", self.votes, (quorum.me, state.epoch), state.voted)
        for message in replicas.in_flight:
            if message.sender == quorum.me.node_id and isinstance(message.response, VoteResponse):
                self.check_vote(quorum, state, message)
        if quorum.is_leader:
            agree("9.36", self.leaders, quorum.epoch, quorum.me.node_id)

    def check_vote(self, quorum: Quorum, state: ElectionState, message: VoteMessage) -> None:
        """Rule 9.37: a voter grants one vote per epoch, and the granted vote is on its disk."""
        vote = messages.vote_partition(message.request)
        answer = messages.vote_answer(message.response)
        if answer is not None and answer.vote_granted and not vote.pre_vote:
            candidate = ReplicaKey(vote.replica_id, vote.replica_directory_id)
            agree("9.37", self.votes, (quorum.me, vote.replica_epoch), candidate)
            if state.epoch == vote.replica_epoch and state.voted != candidate:
                raise Violation("9.37", f"{quorum.me} told a vote that is not on disk: {state}")

    def check_entries(self, quorum: Quorum) -> None:
        """Rule 9.41: entries of equal offset and epoch are equal, and so are their predecessors."""
        before = None
        for batch in quorum.log.batches:
            position = batch.base_offset, batch.epoch
            if before is not None:
                agree("9.41", self.entries, position, (batch, before))
            before = position

    def check_watermark(self, quorum: Quorum, life: int) -> None:
        """Rules 9.39 and 9.42: a process's high watermark never falls or exceeds its log end."""
        key, now = (quorum.me, life), quorum.high_watermark
        if now < self.watermarks.get(key, 0):
            raise Violation("9.39", f"{key} at {now}, was at {self.watermarks[key]}")
        self.watermarks[key] = now
        if quorum.log.end_offset < now:
            raise Violation("9.42", f"{key} has {quorum.log.end_offset} of {now}")

    def check_tenure(self, quorum: Quorum) -> None:
        """Rule 9.43: a leader does not lose entries."""
        key = quorum.me, quorum.epoch
        end_offset, epoch = self.tenures.get(key, (0, 0))
        if quorum.log.end_offset < end_offset or epoch_at(quorum.log, end_offset) != epoch:
            raise Violation("9.43", f"{key} had {end_offset} of epoch {epoch}")
        self.tenures[key] = quorum.log.end_offset, quorum.log.last_epoch

    def check_voters(self, quorum: Quorum) -> None:
        """Rule 9.45: the uncommitted part of the log adds or removes at most one voter."""
        end_offset = self.committed_end(quorum)
        sets = [quorum.history.at(end_offset), *voters_after(quorum, end_offset)]
        changes = sum(len(set(keys(a)) ^ set(keys(b))) for a, b in pairwise(sets))
        if changes > 1:
            raise Violation("9.45", f"{quorum.me.node_id}: {[members.ids for members in sets]}")

    def committed_end(self, quorum: Quorum) -> int:
        """Returns the end offset of the committed entries in the quorum's log.

        It may exceed the high watermark of a new leader, which does not know it yet.
        """
        ends = [
            batch.last_offset + 1
            for batch in quorum.log.batches
            if self.committed.get(batch.base_offset, (None,))[0] == batch.epoch
        ]
        return max(ends, default=quorum.high_watermark)

    def check_commits(self, replicas: Replicas, quorum: Quorum) -> None:
        """Rule 9.40: an offset has one committed entry, which every later leader's log has.

        When an entry is committed it is on the disks of a majority (rule 10.32).
        """
        for batch in quorum.log.batches:
            offset = batch.base_offset
            if offset >= quorum.high_watermark:
                break
            if offset not in self.committed:
                self.check_majority(replicas, quorum, batch)
                self.committed[offset] = batch.epoch, quorum.epoch
            elif self.committed[offset][0] != batch.epoch:
                raise Violation("9.40", f"{offset}: {self.committed[offset]} and {batch.epoch}")
        if quorum.is_leader:
            self.check_completeness(quorum)

    def check_majority(self, replicas: Replicas, quorum: Quorum, batch: Batch) -> None:
        """Rule 9.40: the leader commits first, when a majority has the entry on disk."""
        if quorum.leader_id != quorum.me.node_id:  # the leader may have resigned in this step
            raise Violation("9.40", f"{quorum.me.node_id} knows first of {batch.base_offset}")
        holding = [
            voter
            for voter in quorum.voters.voters
            if has_on_disk(replicas, voter.voter_id, batch.base_offset, batch.epoch)
        ]
        if len(holding) < quorum.voters.majority:
            raise Violation("9.40", f"{batch.base_offset} is only on {len(holding)} disks")

    def check_completeness(self, quorum: Quorum) -> None:
        """Rule 9.40: a leader has every entry that was committed up to its epoch."""
        for offset, (epoch, in_epoch) in self.committed.items():
            if in_epoch <= quorum.epoch and offset >= quorum.log.start_offset:
                found = epoch_at(quorum.log, offset + 1)
                if found != epoch:
                    observed = (
                        f"{quorum.me.node_id} leads {quorum.epoch} without {offset} of {epoch}"
                    )
                    raise Violation("9.40", observed)


def epoch_at(log: MetadataLog, end_offset: int) -> int | None:
    """Returns the epoch of the entry that ends at `end_offset`.

    Returns 0 if there is no entry before that offset, and None if the log ends before it.
    """
    if end_offset <= log.start_offset:
        return log.start_epoch if end_offset == log.start_offset else 0
    if end_offset > log.end_offset:
        return None
    return log.read(end_offset - 1, 1)[0].epoch


def has_on_disk(replicas: Replicas, node_id: int, offset: int, epoch: int) -> bool:
    """Returns True if the replica's disk has the entry, or a snapshot that includes it."""
    disk = replicas.disks.get(node_id)
    if disk is None:
        return False
    if disk.snapshot is not None and offset < disk.snapshot.snapshot_id.end_offset:
        return True
    return any(batch.base_offset == offset and batch.epoch == epoch for batch in disk.batches)


def voters_after(quorum: Quorum, end_offset: int) -> list[VoterSet]:
    """Returns the voter sets in the log from `end_offset` on."""
    return [
        VoterSet(record.voters)
        for batch in quorum.log.batches
        if batch.is_control and batch.last_offset >= end_offset
        for record in batch.records
        if isinstance(record, Voters)
    ]


def keys(voters: VoterSet) -> list[tuple[int, bytes]]:
    """Returns the replica keys (ids and directory ids) of the voters."""
    return [(voter.voter_id, voter.voter_directory_id) for voter in voters.voters]
