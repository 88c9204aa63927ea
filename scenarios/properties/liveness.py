"""Properties that must hold in the end, L1 to L6: a leader, and every broker in its right state.

`finished` is called when the calm is over; the calm is longer than all bounds here. Only the nodes
that the calm has healed (`World.core`) are checked. Bounds in virtual time count only while the
network and the processes allow progress.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import CONTROLLER, broker_node, controller_node
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Follower, Prospective
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import seconds_words, words
from ..oracles.property import Askers, Broken, Kinds, Property

IN_SERVICE_OR_COMING = (ProcessState.STARTING, ProcessState.RECOVERY, ProcessState.RUNNING)
ELECTIONS_MAX = 10  # election timeouts; votes may be split a few times


class LeaderInTime(Property):
    """Measures how long no controller leads.

    The time does not count while messages are lost or network rules apply.
    """

    number = "L1"
    name = "leader-in-time"
    claim = "While a majority is connected both ways, a leader exists within ten election timeouts."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        settings = world.topology.settings
        self._bound_us = 1000 * (
            settings.controller_quorum_fetch_timeout_ms
            + ELECTIONS_MAX * settings.controller_quorum_election_timeout_ms
        )
        self._since_us: int | None = None

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Excludes the time in which a controller is dead or paused: it may be the only one."""
        self._since_us = None
        self.await_step()

    def moved(self, node: Node, turn: Turn) -> None:
        self.await_step()

    def next_step(self, node: Node, turn: Turn) -> None:
        """Measures in each step while no controller leads; a move or a change of process begins."""
        if node.active is not None or self.world.active is not None:
            self._since_us = None
            return
        self.await_step()
        if not can_elect(self.world):
            self._since_us = None
            return
        now_us = self.world.timeline.now_us
        if self._since_us is None:
            self._since_us = now_us
            self.exercised += 1
        elif now_us - self._since_us > self._bound_us:
            passed = seconds_words(now_us - self._since_us)
            raise Broken(f"no leader {passed} after a majority was connected")

    def finished(self) -> None:
        if self.world.active is None and can_elect(self.world):
            raise Broken("no leader at the end, although a majority is connected")


def can_elect(world: World) -> bool:
    """Returns True if a voter can win an election, and all who could vote can exchange messages.

    It needs the votes of a majority of the voters that its own log names, of which none has a
    longer log (rules 10.12 and 10.14): a change of the voters need not be committed. In a calm only
    the core counts. A controller that was removed, or that lost its directory, is no voter
    (KIP-853); one whose disk stalls cannot vote (rule 10.15).
    """
    network = world.network
    # in a calm the remaining rules spare the core
    if network.loss or (network.rules and world.core is None):
        return False
    voting = [
        node_id
        for node_id, process in world.controllers.items()
        if process.is_running
        and not process.disk.is_stalled
        and world.must_be_well(controller_node(node_id))
    ]
    return any(_can_win(world, node_id, voting) for node_id in voting) and (
        network.is_whole or _can_all_talk(world, voting)
    )


def _can_win(world: World, candidate_id: int, voting: Sequence[int]) -> bool:
    processes = world.controllers
    candidate = processes[candidate_id].node.quorum
    voters, end = candidate.voters, _end_of_log(candidate)
    granting = [
        node_id
        for node_id in voting
        if voters.includes(ReplicaKey(node_id, processes[node_id].disk.stored.directory_id))
        and _end_of_log(processes[node_id].node.quorum) <= end
    ]
    return candidate.is_voter and len(granting) >= voters.majority


def _end_of_log(quorum: Quorum) -> tuple[int, int]:
    return quorum.log.last_epoch, quorum.log.end_offset


def _can_all_talk(world: World, voting: Sequence[int]) -> bool:
    nodes = [controller_node(node_id) for node_id in voting]
    return all(world.network.is_open(a, b) for a in nodes for b in nodes)


class Stability(Property):
    """Checks that no voter raises the epoch of a leader that a majority follows.

    A voter follows its leader while replies to its fetches arrive (KIP-996). Once it is no
    longer a follower, replies do not count. A vote that a voter granted before it followed counts
    until the pre-vote is over, so the majority must have followed when the pre-vote began. A voter
    of 3.9, which asks for no pre-votes, and a voter that meets one may raise the epoch (10.18).
    """

    number = "L2"
    name = "stability"
    claim = "No node raises the epoch while a majority exchanges messages with the leader."
    kinds: ClassVar[Kinds] = (FetchRequest,)
    askers: ClassVar[Askers] = (CONTROLLER,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._timeout_us = 1000 * world.topology.settings.controller_quorum_fetch_timeout_ms
        self._epochs: dict[int, int] = {}
        # voter -> (epoch, times of the first and the last reply of its leader)
        self._touch: dict[int, tuple[int, int, int]] = {}
        self._paused: set[int] = set()
        self._stands_since_us: dict[int, int] = {}  # of voters, when their pre-vote began

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Excludes paused controllers from the check: they handle outdated votes when resumed."""
        (self._paused.add if state is ProcessState.PAUSED else self._paused.discard)(node_id)

    def restarted(self, node_id: int) -> None:
        self._touch.pop(node_id, None)
        self._stands_since_us.pop(node_id, None)

    def replied(self, message: Message) -> None:
        follower = self.world.controller_of(message.receiver)
        if follower is None or not isinstance(message.reply, FetchResponse):
            return
        quorum, now_us = follower.node.quorum, self.world.timeline.now_us
        follower_id = message.receiver.number
        if not isinstance(quorum.role, Follower) or not follower.is_running:
            self._touch.pop(follower_id, None)
        elif message.sender.number == quorum.leader_id and not message.reply.error_code:
            epoch, first_us, _ = self._touch.get(follower_id, (-1, 0, 0))
            first_us = first_us if epoch == quorum.epoch else now_us
            self._touch[follower_id] = quorum.epoch, first_us, now_us

    def moved(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        me, epoch = quorum.me.node_id, quorum.epoch
        known = self._epochs.get(me)
        self._epochs[me] = epoch
        if not isinstance(quorum.role, Follower):
            self._touch.pop(me, None)
        since_us = self._stands_since_us.pop(me, self.world.timeline.now_us)
        if isinstance(quorum.role, Prospective):
            self._stands_since_us[me] = since_us
        self.exercised += isinstance(quorum.role, Prospective)
        if known is None or epoch <= known or quorum.voted != quorum.me or me in self._paused:
            return
        if not all(voter.profile.has_pre_votes for voter in self.world.controllers.values()):
            return
        for process in self.world.controllers.values():
            leader = process.node.quorum
            if process.is_running and leader.is_leader and leader.epoch == epoch - 1:
                self._check(quorum, leader, since_us)

    def _check(self, rebel: Quorum, leader: Quorum, since_us: int) -> None:
        """Raises Broken if a majority had followed the leader for a timeout and still does.

        `rebel` is the voter that raised the epoch; its pre-vote began at `since_us`.
        """
        now_us = self.world.timeline.now_us
        in_touch = {leader.me.node_id}
        for voter in set(leader.voters.ids) - {rebel.me.node_id}:
            epoch, first_us, last_us = self._touch.get(voter, (-1, 0, 0))
            had_followed = first_us + self._timeout_us < since_us
            if epoch == leader.epoch and had_followed and now_us < last_us + self._timeout_us // 2:
                in_touch.add(voter)
        if len(in_touch) >= leader.voters.majority:
            raise Broken(
                f"controller {rebel.me.node_id} raises the epoch to {rebel.epoch}, while "
                f"controllers {words(in_touch)} exchange messages with the leader, controller "
                f"{leader.me.node_id}"
            )


def can_follow(world: World) -> bool:
    """Returns False while a controller outside the voters knows a later epoch than the leader.

    Whoever fetches from it learns that epoch, and the leader refuses it from then on (rule 10.33).
    Nothing ends that in Kafka either, until the leader's epoch has come as far.
    """
    active = world.active
    return active is None or all(
        process.node.quorum.epoch <= active.node.quorum.epoch
        for node_id, process in world.controllers.items()
        if node_id not in active.node.quorum.voters.ids
    )


class _OfBrokers(Property):
    """Base of properties of brokers: records when each agent entered its present state.

    The state is checked only if it has lasted for `settled_us`.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.session_us = 1000 * world.topology.settings.broker_session_timeout_ms
        self.settled_us = 2 * self.session_us
        self._since_us: dict[int, int] = {}

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        self._since_us[broker_id] = self.world.timeline.now_us

    def to_judge(self) -> Iterator[tuple[int, HostedAgent]]:
        """Yields the brokers of the core, which must be healthy at the end."""
        if not can_follow(self.world):
            return
        for broker_id, hosted in self.world.agents.items():
            if self.world.must_be_well(broker_node(broker_id)):
                yield broker_id, hosted

    def has_lasted(self, broker_id: int) -> bool:
        """Returns True if the broker has been in its present state for over `settled_us`."""
        since_us = self._since_us.get(broker_id, 0)
        return since_us + self.settled_us < self.world.timeline.now_us

    def is_registered(self, broker_id: int, agent: HostedAgent) -> bool:
        """Returns True if the committed registration of the broker has the epoch of this agent."""
        known = self.world.committed.brokers.get(broker_id)
        return known is not None and known.broker_epoch == agent.agent.broker_epoch


class HealthyUnfenced(_OfBrokers):
    """Checks at the end that registered, running brokers are unfenced."""

    number = "L3"
    name = "healthy-brokers-are-unfenced"
    claim = "At the end every running broker that is registered is unfenced."

    def finished(self) -> None:
        for broker_id, hosted in self.to_judge():
            agent = hosted.agent
            if hosted.state not in IN_SERVICE_OR_COMING:
                continue
            if agent.broker_epoch >= 0 and not self.is_registered(broker_id, hosted):
                continue  # superseded or unregistered: this process never registers again (1.49)
            self.exercised += 1
            if self.has_lasted(broker_id) and not self.world.are_unfenced((broker_id,)):
                raise Broken(
                    f"broker {broker_id} is {hosted.state} and not unfenced: {agent.last_error}"
                )


class DeadFenced(_OfBrokers):
    """Checks that dead brokers are fenced.

    In Kafka each failover grants a dead broker a new session, so repeated failovers keep it
    unfenced.
    """

    number = "L4"
    name = "dead-brokers-are-fenced"
    claim = "A dead broker is fenced within two sessions, even if the leader changes."
    always = False

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._dead: dict[int, int] = {}

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        super().broker_changed(broker_id, state)
        if state is ProcessState.NOT_RUNNING:
            self._dead[broker_id] = self.world.timeline.now_us
            self.exercised += 1
        else:
            self._dead.pop(broker_id, None)

    def committed(self, node_id: int, batch: Batch) -> None:
        if self._dead:
            self._check()

    def finished(self) -> None:
        self._check()

    def _check(self) -> None:
        now_us = self.world.timeline.now_us
        brokers = self.world.committed.brokers
        for broker_id, since_us in tuple(self._dead.items()):
            known = brokers.get(broker_id)
            if known is None or known.fenced:
                del self._dead[broker_id]
            elif now_us - since_us > self.settled_us:
                dead = seconds_words(now_us - since_us)
                raise Broken(f"broker {broker_id} has been dead for {dead} and is not fenced")


class ShutdownGranted(_OfBrokers):
    """Checks at the end that no controlled shutdown is pending."""

    number = "L5"
    name = "shutdown-is-granted"
    claim = "At the end no broker waits for its controlled shutdown."

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        super().broker_changed(broker_id, state)
        self.exercised += state is ProcessState.PENDING_CONTROLLED_SHUTDOWN

    def finished(self) -> None:
        for broker_id, hosted in self.to_judge():
            waits = hosted.state is ProcessState.PENDING_CONTROLLED_SHUTDOWN
            if waits and self.has_lasted(broker_id) and self.is_registered(broker_id, hosted):
                raise Broken(f"broker {broker_id} still waits for its controlled shutdown")


def _known_epoch(world: World, broker_id: int) -> str:
    known = world.committed.brokers.get(broker_id)
    return "no such broker" if known is None else f"epoch {known.broker_epoch}"


class ZombiesStop(_OfBrokers):
    """Checks at the end that no broker runs that has lost its registration.

    Another incarnation has taken over its id, or the broker was unregistered. In Kafka such
    processes do continue: they send heartbeats and get error 77 (rule 1.49).
    """

    number = "L6"
    name = "zombies-stop"
    claim = (
        "At the end no process runs whose registration is gone or belongs to another incarnation."
    )
    always = False

    def finished(self) -> None:
        for broker_id, hosted in self.to_judge():
            if not hosted.is_alive or hosted.agent.broker_epoch < 0:
                continue
            self.exercised += 1
            if self.has_lasted(broker_id) and not self.is_registered(broker_id, hosted):
                raise Broken(
                    f"broker {broker_id} runs at epoch {hosted.agent.broker_epoch}, "
                    f"and the committed log has {_known_epoch(self.world, broker_id)}"
                )


CLASSES: tuple[type[Property], ...] = (
    LeaderInTime,
    Stability,
    HealthyUnfenced,
    DeadFenced,
    ShutdownGranted,
    ZombiesStop,
)
