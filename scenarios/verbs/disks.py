"""disk.*: faults of disks; an effect is a delayed, lost or failed write, or a lost directory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeVar

from kraftsim.broker_agent.directories.data_disk import DataDisk
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import Kind, NodeId, numbers_of
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.disks import Disk
from kraftsim.simulation.topology import LOG_DIRS_MAX
from kraftsim.simulation.world import World

from ..language.amounts import Amount, in_order
from ..language.constraints import Between
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import Verb

D = TypeVar("D", Disk, Disk | DataDisk)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskVerb(Verb):
    """Base of verbs about the disks of controllers, which `on` names."""

    on: Selector
    for_: Amount | None = None

    def disks(self, stage: Stage) -> list[Disk]:
        """Returns the disks of the controllers that the verb names."""
        controllers = stage.world.controllers
        return [controllers[controller.number].disk for controller in stage.controllers_of(self.on)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow(Verb, word="disk.slow"):
    """Delays every write by `low` to `high`: of a controller's metadata log, of a broker's logs.

    A Produce is appended and acknowledged so much later. A follower takes as long for what it
    fetches: where that is longer than `replica.lag.time.max.ms`, it leaves the ISR.
    """

    on: Selector
    low: Amount
    high: Amount
    for_: Amount | None = None

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        disks = _disks(stage, self.on)
        latency = uniform(self.low.us, self.high.us, stage.stream(f"fault/{fault_id}"))
        before = sum(disk.delayed for disk in disks)
        for disk in disks:
            disk.latency_us = latency

        def mend() -> None:
            for disk in disks:
                disk.latency_us = None

        return lambda: sum(disk.delayed for disk in disks) - before, mend


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall(Verb, word="disk.stall"):
    """Delays every write until the fault ends: of a controller's metadata log, of a broker's logs.

    A Produce waits, and followers on these disks take nothing, so that they leave the ISR.
    """

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        disks = _disks(stage, self.on)
        before = sum(disk.delayed for disk in disks)
        _for_each(disks, lambda disk: disk.stall())
        return lambda: sum(disk.delayed for disk in disks) - before, lambda: _for_each(
            disks, lambda disk: disk.go_on()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LostFsync(DiskVerb, word="disk.lost_fsync"):
    """Reports writes as durable that are not: a crash loses them."""

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        disks = self.disks(stage)
        before = sum(disk.lost for disk in disks)
        _for_each(disks, Disk.lie)
        return lambda: sum(disk.lost for disk in disks) - before, lambda: _for_each(
            disks, Disk.be_honest
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Torn(DiskVerb, word="disk.torn"):
    """Lets a crash keep the first few batches of the writes that were not durable."""

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        disks = self.disks(stage)
        before = sum(disk.lost for disk in disks)

        def set_all(tears: bool) -> None:
            for disk in disks:
                disk.tears = tears

        set_all(True)
        return lambda: sum(disk.lost for disk in disks) - before, lambda: set_all(False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Full(Verb, word="disk.full"):
    """Makes the next write fail: a controller then ends, a broker loses the log directory.

    `number` counts the directories of brokers from 1, the directory of the metadata log: a broker
    that loses it ends. A Produce whose batch cannot be written is refused with KAFKA_STORAGE_ERROR
    (56). The end of the fault makes room, and starts the brokers anew that lost the directory.
    """

    on: Selector
    number: Annotated[int, Between(1, LOG_DIRS_MAX)] = 1
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        targets = stage.targets(self.on)
        controllers = [target for target in targets if stage.world.controller_of(target)]
        ended, empty = self._fill_controllers(stage, numbers_of(controllers))
        lost, make_room = self._fill_brokers(stage, targets)

        def undo() -> None:
            empty()
            make_room()

        return lambda: ended() + lost(), undo

    def _fill_controllers(self, stage: Stage, nodes: tuple[int, ...]) -> tuple[Effects, Undo]:
        world = stage.world
        ended: set[int] = set()

        def notice(node_id: int, state: ProcessState) -> None:
            if node_id in nodes and state is ProcessState.NOT_RUNNING:
                ended.add(node_id)

        def set_all(is_full: bool) -> None:
            for node_id in nodes:
                world.controllers[node_id].disk.is_full = is_full

        world.controller_listeners.append(notice)
        set_all(True)
        return lambda: len(ended), lambda: set_all(False)

    def _fill_brokers(self, stage: Stage, targets: Sequence[NodeId]) -> tuple[Effects, Undo]:
        filled = list(_directories(stage, targets, self.number))
        was_alive = {node for node, agent, _ in filled if agent.is_alive}
        for _, agent, directory_id in filled:
            agent.store.full.add(directory_id)

        lost: set[NodeId] = set()

        def count() -> int:
            lost.update(node for node, agent, of in filled if of in agent.store.failed)
            return len(lost)

        def make_room() -> None:
            count()
            for node, agent, directory_id in filled:
                agent.store.full.discard(directory_id)
                if directory_id in agent.store.failed:
                    _repair(stage, node, agent, directory_id, starts=node in was_alive)

        return count, make_room


@dataclass(frozen=True, slots=True, kw_only=True)
class Rot(DiskVerb, word="disk.rot"):
    """Kills controllers, and damages a byte in a random batch of their logs.

    A controller that starts again truncates its log at the damaged batch, and fetches the rest.
    With `replicated` a controller is spared unless every other voter has its whole log, undamaged,
    so that nothing committed is lost whatever happens next. An effect is a truncated batch.
    """

    ends_process: ClassVar[bool] = True

    replicated: bool = False

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        world, stream = stage.world, stage.stream(f"fault/{fault_id}")
        disks, killed, before = [], [], 0
        for node in stage.controllers_of(self.on):
            if self.replicated and not has_been_replicated(world, node.number):
                continue
            disk = world.controllers[node.number].disk
            disks.append(disk)
            before += disk.truncated
            if stage.processes.is_alive(node):
                killed.append(node)
            stage.processes.crash(node)
            if disk.stored.log.batches:
                disk.rot(stream.choice(disk.stored.log.batches).base_offset)

        def bring_back() -> None:
            for node in killed:
                stage.bring_back(node)

        return lambda: sum(disk.truncated for disk in disks) - before, bring_back


@dataclass(frozen=True, slots=True, kw_only=True)
class FailDirectory(Verb, word="disk.fail_directory"):
    """Makes a log directory of brokers fail; a broker loses its replicas there (KIP-858).

    `number` counts the directories from 1, the directory of the metadata log: the process of a
    broker that loses it ends. The end of the fault repairs the directory, with its replicas, and
    stops and starts the broker: only a new process registers the directory again.
    """

    on: Selector
    number: Annotated[int, Between(1, LOG_DIRS_MAX)] = 2
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        lost = list(_directories(stage, stage.targets(self.on), self.number))
        was_alive = {node for node, agent, _ in lost if agent.is_alive}
        for _, agent, directory_id in lost:
            agent.fail_directory(directory_id)

        def repair() -> None:
            for node, agent, directory_id in lost:
                _repair(stage, node, agent, directory_id, starts=node in was_alive)

        return lambda: len(lost), repair


def _disks(stage: Stage, selector: Selector) -> list[Disk | DataDisk]:
    """Returns the disks of the controllers and of the brokers that are selected."""
    nodes, world = stage.targets(selector), stage.world
    controllers = [found.disk for node in nodes if (found := world.controller_of(node)) is not None]
    return [*controllers, *(agent.disk for _, agent in brokers_of(stage, nodes))]


def brokers_of(stage: Stage, nodes: Sequence[NodeId]) -> Iterator[tuple[NodeId, HostedAgent]]:
    """Yields the brokers and the clones of brokers among the nodes."""
    for node in nodes:
        if node.kind is not Kind.CONTROLLER and (agent := stage.world.agent_of(node)) is not None:
            yield node, agent


def _directories(
    stage: Stage, nodes: Sequence[NodeId], number: int
) -> Iterator[tuple[NodeId, HostedAgent, Uuid]]:
    """Yields the brokers among the nodes that have so many directories, and the last of those."""
    for node, agent in brokers_of(stage, nodes):
        directories = stage.world.hosts[node].log_dirs
        if len(directories) >= number:
            yield node, agent, directories[number - 1].directory_id


def _repair(
    stage: Stage, node: NodeId, agent: HostedAgent, directory_id: Uuid, *, starts: bool
) -> None:
    """Repairs a directory, and starts a new process, which alone registers it."""
    agent.store.failed.discard(directory_id)
    if starts:
        stage.processes.stop(node)
        stage.bring_back(node)


def has_been_replicated(world: World, node_id: int) -> bool:
    """Returns True if there are other voters, and each has the controller's whole durable log.

    A damaged disk does not count: the next process of its voter may truncate the log. Nor does that
    of a voter that has lost its directory: whoever has its id now is another one. Returns False
    for a candidate: after a restart it asks for the votes of its epoch again, and a voter that
    has granted its vote grants it again without comparing logs (rule 10.14).
    """
    controller = world.controllers[node_id]
    log, election = controller.disk.stored.log, controller.disk.stored.election
    if election.leader_id == -1 and election.voted == controller.node.quorum.me:
        return False
    voters = controller.node.quorum.voters
    others = [voter_id for voter_id in voters.ids if voter_id != node_id]
    return bool(others) and all(_holds(world, voters, voter_id, log) for voter_id in others)


def _holds(world: World, voters: VoterSet, voter_id: int, part: MetadataLog) -> bool:
    if voter_id not in world.controllers:
        return False
    disk = world.controllers[voter_id].disk
    is_its_own = voters.includes(ReplicaKey(voter_id, disk.stored.directory_id))
    return is_its_own and not disk.is_damaged and _contains(disk.stored.log, part)


def _contains(log: MetadataLog, part: MetadataLog) -> bool:
    """Returns True if a log or its snapshot has every record of another log."""
    if log.start_offset >= part.end_offset:
        return True
    epoch, end_offset = log.end_offset_for_epoch(part.last_epoch)
    return epoch == part.last_epoch and end_offset >= part.end_offset


def _for_each(disks: list[D], do: Callable[[D], None]) -> None:
    for disk in disks:
        do(disk)
