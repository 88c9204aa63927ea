"""Properties of the elections of the quorum, S1 to S3 (rules 9.36 to 9.38).

The properties record the leaders and votes that they observe; later observations must agree. They
do not use what a replica believes about other replicas.
"""

from collections.abc import Hashable
from typing import ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.rpc import VoteRequest, VoteResponse
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...oracles.breach_words import words
from ...oracles.property import Broken, Kinds, Property


class OneLeaderPerEpoch(Property):
    """Checks that each epoch has at most one leader."""

    number = "S1"
    name = "one-leader-per-epoch"
    claim = "No two controllers lead in the same epoch."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._leaders: dict[int, int] = {}

    def moved(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        if not quorum.is_leader:
            return
        me, epoch = quorum.me.node_id, quorum.epoch
        known = self._leaders.get(epoch)
        if known is None:
            self._leaders[epoch] = me
            self.exercised += 1
        elif known != me:
            raise Broken(f"epoch {epoch} has two leaders: controllers {known} and {me}")


class EpochMonotone(Property):
    """Compares each controller's epoch with its earlier epochs and with its disk."""

    number = "S2"
    name = "epoch-monotone"
    claim = "A controller's epoch never falls while it keeps its disk, and the disk has that epoch."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        # by id and directory id, which a formatted disk gets new (KIP-853)
        self._epochs: dict[Hashable, int] = {}

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Forgets an epoch that was not durable at the end: it is on no disk, and in no message."""
        if has_lost_vote(self.world, node_id, state):
            disk, me = self.world.controllers[node_id].disk, _replica(self.world, node_id)
            self._epochs[me] = disk.stored.election.epoch

    def moved(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        me, epoch = quorum.me, quorum.epoch
        known = self._epochs.get(me, 0)
        self.exercised += epoch != known
        if epoch < known:
            raise Broken(f"controller {me.node_id} is at epoch {epoch}, and was at {known} before")
        if quorum.durable.epoch != epoch:
            at = quorum.durable.epoch
            raise Broken(f"controller {me.node_id} is at epoch {epoch}, its disk at {at}")
        self._epochs[me] = epoch


class VoteOnce(Property):
    """Checks that the votes on disk and in replies agree, one per voter and epoch.

    A vote on disk is for the voter itself, or for a candidate that has asked for it in its epoch.
    """

    number = "S3"
    name = "vote-once"
    claim = "A replica grants one vote per epoch, and stores it before it replies."
    kinds: ClassVar[Kinds] = (VoteRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._votes: dict[Hashable, ReplicaKey] = {}
        self._asked: set[tuple[int, int, int]] = set()  # voter, epoch and candidate
        self._epochs: dict[Hashable, int] = {}  # the last one in which a replica has voted

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Forgets votes that were not durable at the end: on no disk, and in no message."""
        if has_lost_vote(self.world, node_id, state):
            me = _replica(self.world, node_id)
            stored = self.world.controllers[node_id].disk.stored.election
            first = stored.epoch + (stored.voted is not None)
            for epoch in range(first, self._epochs.get(me, -1) + 1):
                self._votes.pop((me.node_id, me.directory_id, epoch), None)

    def moved(self, node: Node, turn: Turn) -> None:
        state, me = node.quorum.durable, node.quorum.me
        if state.voted is not None:
            self._epochs[me] = state.epoch
            self._expect_asked(me.node_id, state.epoch, state.voted.node_id)
            self._agree((me.node_id, me.directory_id, state.epoch), state.voted)

    def _expect_asked(self, voter_id: int, epoch: int, candidate_id: int) -> None:
        asked = voter_id, epoch, candidate_id
        if voter_id != candidate_id and asked not in self._asked:
            self.exercised += 1
            raise Broken(
                f"the disk of controller {voter_id} has a vote in epoch {epoch} for controller "
                f"{candidate_id}, which did not ask for it"
            )

    def arrived(self, message: Message) -> None:
        for topic in message.request.topics if isinstance(message.request, VoteRequest) else ():
            for vote in topic.partitions:
                if not vote.pre_vote:
                    asked = message.receiver.number, vote.replica_epoch, vote.replica_id
                    self._asked.add(asked)

    def replied(self, message: Message) -> None:
        request, reply = message.request, message.reply
        if not (isinstance(request, VoteRequest) and isinstance(reply, VoteResponse)):
            return
        if reply.error_code or not reply.topics or not reply.topics[0].partitions[0].vote_granted:
            return
        vote = request.topics[0].partitions[0]
        if not vote.pre_vote:
            voter_id = message.sender.number
            directory = vote.voter_directory_id
            if directory == ZERO_UUID:
                directory = self.world.controllers[voter_id].node.quorum.me.directory_id
            candidate = ReplicaKey(vote.replica_id, vote.replica_directory_id)
            self._agree((voter_id, directory, vote.replica_epoch), candidate)

    def _agree(self, voter: tuple[int, Uuid, int], candidate: ReplicaKey) -> None:
        known = self._votes.get(voter)
        if known is None:
            self._votes[voter] = candidate
            self.exercised += 1
        elif not _may_be_one(known, candidate):
            node_id, _, epoch = voter
            raise Broken(
                f"controller {node_id} voted in epoch {epoch} for {_replica_words(known)} and for "
                f"{_replica_words(candidate)}"
            )


def _replica_words(replica: ReplicaKey) -> str:
    return f"controller {replica.node_id} with the directory {words(replica.directory_id)}"


def _may_be_one(known: ReplicaKey, candidate: ReplicaKey) -> bool:
    """Returns True if two keys may be those of one replica: one may lack the directory id."""
    ids = {known.directory_id, candidate.directory_id} - {ZERO_UUID}
    return known.node_id == candidate.node_id and len(ids) < 2


def has_lost_vote(world: World, node_id: int, state: ProcessState) -> bool:
    """Returns True if a process has ended before its last election state was durable.

    Its disk was full, or it was killed during the write.
    """
    disk = world.controllers[node_id].disk
    return state is ProcessState.NOT_RUNNING and (disk.is_full or disk.lost_vote)


def _replica(world: World, node_id: int) -> ReplicaKey:
    return world.controllers[node_id].node.quorum.me


CLASSES: tuple[type[Property], ...] = (OneLeaderPerEpoch, EpochMonotone, VoteOnce)
