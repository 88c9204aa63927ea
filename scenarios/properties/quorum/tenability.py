"""S37 and S38: leaders without a majority stop, and hand leadership to who has the most records.

Rules 10.25 and 10.39; KIP-595, KIP-853. Contacts are the fetches that reach the leader.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.node_id import CONTROLLER, controller_node
from kraftsim.controller.core.rpc import (
    EndQuorumEpochRequest,
    FetchPartition,
    FetchRequest,
    FetchSnapshotRequest,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.voters import replica_key
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...expected import quorum as rules
from ...oracles.breach_words import words
from ...oracles.property import Askers, Broken, Kinds, Property

SLACK_MS = 10  # timers fire once per millisecond, after the messages of their time


@dataclass(slots=True)
class Reign:
    """The time in which a controller leads an epoch.

    `since_ms` is when a majority may last have fetched, on the leader's clock: the leader counts in
    rounds, of which the last may have ended with the first fetch of any voter in ours. `fetched`
    are the voters that have fetched in this round. `ends` are the offsets from which voters last
    fetched, if they had records of this epoch: others may have to truncate their logs first.
    `is_paused` is true until the end of a pause is reported, which is after the first steps.
    """

    epoch: int
    since_ms: int
    is_paused: bool = False
    fetched: set[int] = field(default_factory=set)
    ends: dict[int, int] = field(default_factory=dict)


class Reigns(Property):
    """The reign of each leader, and the fetches that reach it; it is called before the properties.

    `before` is the reign that the controller had that moved last. What a leader reads after a
    pause came in an order that is not known here, so that the ends of the other logs count as
    unknown until each voter fetches again.
    """

    number = "-"
    name = "reigns"
    claim = ""
    kinds: ClassVar[Kinds] = (FetchRequest, FetchSnapshotRequest)
    askers: ClassVar[Askers] = (CONTROLLER,)  # brokers are no voters, nor is who sends from outside

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.by_leader: dict[int, Reign] = {}
        self.before: Reign | None = None

    def restarted(self, node_id: int) -> None:
        self.by_leader.pop(node_id, None)

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Counts from the end of a pause: a paused controller cannot resign."""
        if node_id in self.by_leader:
            reign = self.by_leader[node_id]
            reign.is_paused = state is ProcessState.PAUSED
            reign.since_ms = self.world.clock_ms(controller_node(node_id))
            reign.ends.clear()

    def moved(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        known = self.before = self.by_leader.get(quorum.me.node_id)
        if not quorum.is_leader:
            self.by_leader.pop(quorum.me.node_id, None)
        elif known is None or known.epoch != quorum.epoch:
            self.by_leader[quorum.me.node_id] = Reign(quorum.epoch, turn.now_ms)

    def wrote_news(self, node: Node, turn: Turn) -> None:
        """Counts anew after a change of the voters (rule 10.25).

        The leader knows the end of a replica that becomes a voter from its fetches as an observer.
        """
        reign = self.by_leader.get(node.config.node_id)
        if reign is not None and any(_changes_voters(batch) for batch in turn.persist):
            reign.fetched.clear()
            reign.ends.clear()
            reign.since_ms = turn.now_ms

    def arrived(self, message: Message) -> None:
        reign = self.by_leader.get(message.receiver.number)
        process = self.world.controller_of(message.receiver)
        if reign is None or process is None or not process.is_running:
            return
        request: Any = message.request
        voter = request.replica_id
        if isinstance(request, FetchRequest):
            voter = max(voter, request.replica_state.replica_id)
        at = request.topics[0].partitions[0]
        key = replica_key(voter, at.replica_directory_id)  # a wiped voter has another directory id
        quorum = process.node.quorum
        if not quorum.voters.includes(key) or not _is_valid(quorum, request):
            return
        if isinstance(at, FetchPartition):
            if at.last_fetched_epoch == reign.epoch:
                reign.ends[voter] = at.fetch_offset
            else:  # perhaps a late copy of a fetch, which the leader believes
                reign.ends.pop(voter, None)
        if message.receiver.number in self.world.moved:
            reign.since_ms = self.world.clock_ms(message.receiver)
            return  # it may have been sent to the former address, where nobody counts it
        if voter not in reign.fetched:
            reign.fetched.add(voter)
            reign.since_ms = self.world.clock_ms(message.receiver)
            if _has_majority(quorum, reign.fetched):
                reign.fetched.clear()


def _has_majority(quorum: Quorum, fetched: set[int]) -> bool:
    """Returns True if the leader and the voters that have fetched are a majority."""
    voters = quorum.voters
    return len(fetched.intersection(voters.ids)) + voters.includes(quorum.me) >= voters.majority


def _is_valid(quorum: Quorum, request: FetchRequest | FetchSnapshotRequest) -> bool:
    """Returns True if a fetch counts: an error, another log or a snapshot does not (10.25)."""
    if isinstance(request, FetchRequest):
        return isinstance(rules.fetch(quorum, request), rules.Fetched)
    return rules.fetch_snapshot(quorum, request)[:2] == (0, 0)


def _changes_voters(batch: Batch) -> bool:
    return batch.is_control and any(isinstance(record, Voters) for record in batch.records)


class OfReigns(Property):
    """A property that looks up how long a leader reigns, and who fetched."""

    reigns: Reigns


class LonelyLeaderStops(OfReigns):
    """Checks that a leader to which no majority of voters fetches resigns in time."""

    number = "S37"
    name = "lonely-leader-stops"
    claim = "A leader from which no majority fetches stops within 1.5 fetch timeouts."

    def led(self, node: Node, turn: Turn) -> None:
        reign = self.reigns.by_leader.get(node.config.node_id)
        if reign is None or not node.quorum.other_voters:
            return
        if reign.is_paused:
            return
        silent_ms = turn.now_ms - reign.since_ms
        timeout_ms = node.settings.controller_quorum_fetch_timeout_ms
        if silent_ms <= timeout_ms:
            return
        self.exercised += 1
        bound_ms = timeout_ms * 3 // 2 + SLACK_MS
        if silent_ms > bound_ms:
            raise Broken(
                f"controller {node.config.node_id} leads epoch {reign.epoch} {silent_ms} ms after "
                f"a majority last fetched, expected at most {bound_ms} ms"
            )


class MostCaughtUpSucceeds(OfReigns):
    """Checks the order of the candidates that a resigning leader names.

    The first may be another if somebody asked for it by name; a leader that is stopped names the
    replica with the longest log.
    """

    number = "S38"
    name = "most-caught-up-succeeds"
    claim = "A leader that is stopped names its successors by the lengths of their logs."

    def moved(self, node: Node, turn: Turn) -> None:
        reign = self.reigns.before
        if reign is None:
            return
        for send in turn.sends:
            if isinstance(send.request, EndQuorumEpochRequest):
                self._check(node, send.request, reign)
                return

    def _check(self, node: Node, request: EndQuorumEpochRequest, reign: Reign) -> None:
        partition = request.topics[0].partitions[0]
        named = [candidate.candidate_id for candidate in partition.preferred_candidates]
        named = named or list(partition.preferred_successors)
        is_stopped = self.world.controllers[node.config.node_id].is_stopping
        judged = named if is_stopped else named[1:]
        ends = [reign.ends[candidate] for candidate in judged if candidate in reign.ends]
        self.exercised += len(set(ends)) > 1
        if ends != sorted(ends, reverse=True):
            raise Broken(
                f"controller {node.config.node_id} names the successors {words(judged)}, whose "
                f"logs it knows to end at {words(ends)}"
            )


CLASSES: tuple[type[Property], ...] = (LonelyLeaderStops, MostCaughtUpSucceeds)
