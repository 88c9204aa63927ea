"""What a running scenario knows: its world, whom its names mean, its faults, and what it waits for.

Verbs act on it (`verbs`), conditions look at it (`conditions`), `run.py` moves it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from kraftsim.controller.core.node_id import Kind, NodeId, numbers_of
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World

from ..language.selectors import Selector
from .evaluation import Holds

Effects = Callable[[], int]
Lift = Callable[[], None]


class Watchable(Protocol):
    """A condition, once somebody watches it (`conditions`)."""

    def watched(self, stage: "Stage") -> Holds: ...


class Verb(Protocol):
    """What a step does (`verbs`): opens a fault, and says how to count and undo it."""

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Lift]: ...


@dataclass(slots=True)
class Fault:
    """`effects` counts what it changed; one that changed nothing proves nothing. `lift` undoes it,
    once. `targets`: the nodes that its verb named, group by group; `seq` is its row's."""

    fault_id: str
    kind: str
    effects: Effects
    lift: Lift
    targets: tuple[tuple[NodeId, ...], ...] = ()
    seq: int | None = None
    is_open: bool = True

    @property
    def nodes(self) -> frozenset[NodeId]:
        return frozenset(node for group in self.targets for node in group)

    def leaves_alone(self, core: frozenset[NodeId]) -> bool:
        """Where groups are the ends of a way, it is enough that nobody of one belongs to it."""
        return any(core.isdisjoint(group) for group in self.targets)


@dataclass(slots=True)
class Waiting:
    """`then` is done once `holds`."""

    holds: Holds
    then: Callable[[], None]
    is_over: bool = False


@dataclass(slots=True)
class Stage:
    world: World
    bound: dict[str, tuple[NodeId, ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    processes: Processes = field(init=False)
    _targets: list[tuple[NodeId, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.processes = Processes(self.world)

    def stream(self, name: str) -> Random:
        return self.world.streams.of(name)

    def nodes(self, selector: Selector) -> tuple[NodeId, ...]:
        """Whom it means now."""
        return selector.nodes(self.world, self.bound, self.stream("selectors of steps"))

    def bind(self, name: str, selector: Selector) -> None:
        """`$name` is whom it means now. Nobody else draws from that stream: a plan that says who
        was found moves no draw of anybody."""
        self.bound[name] = selector.nodes(self.world, self.bound, self.stream("selectors"))

    def targets(self, selector: Selector) -> tuple[NodeId, ...]:
        """The same for a verb that begins: the fault that it opens is about them."""
        nodes = self.nodes(selector)
        self._targets.append(nodes)
        return nodes

    def wait_for(self, condition: Watchable, then: Callable[[], None]) -> Waiting:
        return self.wait_until(condition.watched(self), then)

    def wait_until(self, holds: Holds, then: Callable[[], None]) -> Waiting:
        waiting = Waiting(holds, then)
        self.waiting.append(waiting)
        return waiting

    def controllers_of(self, selector: Selector) -> list[NodeId]:
        """The controllers among the targets of a verb."""
        return [one for one in self.targets(selector) if self.world.controller_of(one)]

    def bring_back(self, node: NodeId) -> None:
        """Start its process, unless it has left for good."""
        world = self.world
        is_agent = node.kind is Kind.BROKER and node.number in world.agents
        is_gone = is_agent and node.number not in world.committed.brokers
        if not is_gone and not self.processes.is_alive(node):
            self.processes.start(node)

    def look_again_at(self, at_us: int) -> None:
        """Something may hold by then without anything happening."""
        self.world.timeline.at(at_us, lambda: None)

    def look(self) -> None:
        """After every event: do what was waited for."""
        for waiting in self.waiting:
            if not waiting.is_over and waiting.holds():
                waiting.is_over = True
                waiting.then()
        self.waiting = [one for one in self.waiting if not one.is_over]

    def begin(self, verb: Verb, word: str, fault_id: str, say: str = "") -> Fault:
        """It is told first; what is written while it begins comes of it, and what befalls its
        targets later may."""
        self._targets = []
        row = self._tell("fault_begins", fault_id, word, say)
        with self._doing(row):
            effects, undo = verb.begin(self, fault_id)
        fault = Fault(fault_id, word, effects, undo, tuple(self._targets), row.seq)
        self.world.journal.causes.befalls(row, fault.nodes)
        self.faults.append(fault)
        return fault

    def lift(self, fault: Fault) -> None:
        if fault.is_open:
            fault.is_open = False
            row = self._tell("fault_ends", fault.fault_id, fault.kind, cause_seq=fault.seq)
            with self._doing(row):
                fault.lift()
            self.world.journal.causes.befalls(row, fault.nodes)

    def lift_all(self) -> None:
        for fault in self.faults:
            self.lift(fault)

    def heal(self, core: frozenset[NodeId]) -> None:
        """Whoever is of the core runs, and no fault befalls it or its ways to the others of it.
        What has an end outside stays: one that befalls both is over for both."""
        self.world.core = core
        self.tell_of_calm(core)
        for fault in self.faults:
            if not fault.leaves_alone(core):
                self.lift(fault)
        for node in self.world.nodes:
            if node in core:
                self.bring_back(node)

    def tell_of_calm(self, core: frozenset[NodeId]) -> None:
        """Only where somebody is left out: else there is nothing to tell."""
        world = self.world
        left = [one for one in world.nodes if one not in core]
        if left:
            detail = {"core": list(numbers_of(sorted(core))), "left": list(numbers_of(left))}
            world.journal.write("scenario", "calm_begins", detail=detail)

    @contextmanager
    def _doing(self, row: EventRow) -> Iterator[None]:
        """All that is written meanwhile comes of `row`."""
        causes = self.world.journal.causes
        before, causes.doing = causes.doing, row
        try:
            yield
        finally:
            causes.doing = before

    def _tell(
        self, kind: str, fault_id: str, verb: str, say: str = "", cause_seq: int | None = None
    ) -> EventRow:
        """A row of the journal: what people did stands before what came of it."""
        detail = {"verb": verb} | ({"say": say} if say else {})
        return self.world.journal.write(
            "scenario", kind, detail=detail, fault_id=fault_id, cause_seq=cause_seq
        )
