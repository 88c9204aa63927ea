"""Properties on a world: who hears of what, and what was broken first.

A class is told only of what it overrides, so that a property costs nothing at events that do not
concern it. Nothing is stopped: a run goes on after a violation, without the property that fell.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.active import Active
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..properties.committed import CommittedLog, OfTheCommittedLog
from ..properties.property import Broken, Property

HOOKS = (
    "stepped",
    "wrote",
    "moved",
    "committed",
    "read",
    "done",
    "arrived",
    "stopped",
    "restarted",
    "controller_changed",
    "broker_changed",
    "finished",
)
Hearer = tuple[Property, Callable[..., None]]
ByKind = dict[type[Request], list[Hearer]]
Standing = tuple[Node, type, int, int, ElectionState, Active | None]
"""What a controller is in the quorum: a step in which it changes is a move."""


class Violation(NamedTuple):
    """`what` was expected and came; `seq` is the number of the journal's last row before it (-1:
    none was written yet)."""

    number: str
    name: str
    what: str
    t_us: int
    seq: int


class Watch:
    """`properties` are the instances by number, `violations` the first of each that fell."""

    def __init__(self, world: World, classes: Iterable[type[Property]]) -> None:
        self.world = world
        self.properties = {one.number: one(world) for one in classes}
        self.violations: dict[str, Violation] = {}
        self._log = CommittedLog(self._tell)
        for one in self.properties.values():
            if isinstance(one, OfTheCommittedLog):
                one.shadow = self._log.shadow
        self._standings: dict[int, Standing] = {}
        self._hear = {hook: self._hearers(hook) for hook in HOOKS}
        self._arrived: ByKind = {}
        self._stopped: ByKind = {}

    def finish(self) -> tuple[Violation, ...]:
        """The run is over and calm; every violation in the order of time."""
        self._tell("finished")
        return tuple(sorted(self.violations.values(), key=lambda one: one.t_us))

    def unexercised(self) -> tuple[str, ...]:
        """Numbers of the properties that had nothing to check: they say nothing of this run."""
        return tuple(number for number, one in self.properties.items() if not one.exercised)

    def hears(self, hook: str) -> bool:
        return bool(self._hear[hook])

    def on_step(self, node: Node, turn: Turn) -> None:
        node_id, now = node.config.node_id, _standing(node)
        before = self._standings.get(node_id)
        if before is None or before[0] is not node:
            self._tell("restarted", node_id)
        if turn.persist or turn.truncate_to is not None or turn.snapshot is not None:
            self._tell_of_step("wrote", node, turn)
        if before != now:
            self._standings[node_id] = now
            self._tell_of_step("moved", node, turn)
        self._tell_of_step("stepped", node, turn)

    def on_committed(self, node_id: int, batch: Batch) -> None:
        self._tell("committed", node_id, batch)
        self._log.take(batch)

    def on_arrived(self, message: Message) -> None:
        self._tell_of(self._arrived, "arrived", message)

    def on_stopped(self, message: Message) -> None:
        self._tell_of(self._stopped, "stopped", message)

    def on_controller(self, node_id: int, state: str) -> None:
        self._tell("controller_changed", node_id, state)

    def on_broker(self, broker_id: int, state: str) -> None:
        self._tell("broker_changed", broker_id, state)

    def _hearers(self, hook: str) -> list[Hearer]:
        return [
            (one, getattr(one, hook))
            for one in self.properties.values()
            if _overrides(type(one), hook)
        ]

    def _tell(self, hook: str, *what: object) -> None:
        for one, hear in self._hear[hook]:
            try:
                hear(*what)
            except Broken as broken:
                self._fell(one, str(broken))

    def _tell_of_step(self, hook: str, node: Node, turn: Turn) -> None:
        """The same of what comes a dozen times a step: `*what` would cost as much as most hear."""
        for one, hear in self._hear[hook]:
            try:
                hear(node, turn)
            except Broken as broken:
                self._fell(one, str(broken))

    def _tell_of(self, by_kind: ByKind, hook: str, message: Message) -> None:
        """Nine messages of ten are fetches, which are told to the few whom they concern."""
        hearers = by_kind.get(type(message.request))
        if hearers is None:
            kind = type(message.request)
            hearers = by_kind[kind] = [
                one for one in self._hear[hook] if one[0].kinds is None or kind in one[0].kinds
            ]
        for one, hear in hearers:
            try:
                hear(message)
            except Broken as broken:
                self._fell(one, str(broken))

    def _fell(self, fallen: Property, what: str) -> None:
        world = self.world
        self.violations[fallen.number] = Violation(
            fallen.number, fallen.name, what, world.timeline.now_us, world.journal.last_seq
        )
        for hook, hearers in self._hear.items():
            self._hear[hook] = [one for one in hearers if one[0] is not fallen]
        self._arrived.clear()
        self._stopped.clear()


def _overrides(kind: type[Property], hook: str) -> bool:
    of_all = getattr(OfTheCommittedLog, hook)
    return getattr(kind, hook, of_all) is not of_all


def _standing(node: Node) -> Standing:
    quorum = node.quorum
    role = type(quorum.role)
    return node, role, quorum.epoch, quorum.leader_id, quorum.durable, node.active


def watch(world: World, classes: Iterable[type[Property]]) -> Watch:
    """Hold `classes` against a world that has not started: what was before is nobody's to judge."""
    if world.timeline.now_us != 0:
        raise ValueError(f"expected a world before its start, got {world.timeline.now_us} us")
    watching = Watch(world, classes)
    if any(watching.hears(one) for one in ("stepped", "wrote", "moved", "restarted")):
        world.step_listeners.append(watching.on_step)
    if any(watching.hears(one) for one in ("committed", "read", "done")):
        world.committed_listeners.append(watching.on_committed)
    if watching.hears("arrived"):
        world.network.arrived.append(watching.on_arrived)
    if watching.hears("stopped"):
        world.network.stopped.append(watching.on_stopped)
    if watching.hears("controller_changed"):
        world.controller_listeners.append(watching.on_controller)
    if watching.hears("broker_changed"):
        world.agent_listeners.append(watching.on_broker)
    return watching
