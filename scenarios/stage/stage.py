"""The state of a running scenario: its world, names, faults and awaited conditions.

Verbs (`verbs`) change the state, conditions (`conditions`) read it, and `run.py` advances its time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import NamedTuple, Protocol

from kraftsim.controller.core.node_id import Kind, NodeId, numbers_of
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.requests.aim import Predicate
from kraftsim.simulation.requests.held_messages import HeldMessages
from kraftsim.simulation.requests.hit_log import HitLog
from kraftsim.simulation.world import World

from ..language.amounts import Amount
from ..language.selectors import Selector
from ..language.texts import filled
from .upgrades import upgrade

CONDITIONS = "selectors of conditions"  # the stream of selectors that belong to no fault
Holds = Callable[[], bool]
Effects = Callable[[], int]
Undo = Callable[[], None]
Selected = tuple[Selector, tuple[NodeId, ...]]
Spared = tuple[str, tuple[NodeId, ...]]
"""Why a fault has no effect, and on which of its nodes; no node: on nothing at all."""


def every(nodes: tuple[NodeId, ...], holds: Callable[[NodeId], bool]) -> bool:
    """Returns True if `nodes` is not empty and every node satisfies `holds`."""
    return bool(nodes) and all(holds(node) for node in nodes)


class RowWords(NamedTuple):
    """Begins of the kinds of rows that can make a condition true, and kinds and states by name."""

    kinds: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()


class Watchable(Protocol):
    """A condition; `watched` returns a function that evaluates it (see `conditions`)."""

    def watched(self, stage: "Stage") -> Holds: ...


class FaultSource(Protocol):
    """A verb; `begin` opens a fault, and returns functions that count its effects and undo it.

    The fault ends after `for_`, or with the calm if it is None.
    """

    @property
    def for_(self) -> Amount | None: ...

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]: ...


@dataclass(slots=True)
class Fault:
    """An open or ended fault.

    `effects` counts the fault's effects; a fault without effects proves nothing. `lift` undoes
    the fault. `targets` are the nodes that each selector of the verb selected; `selected` has these
    selectors too, and those of a verb that changes nothing. `seq` is the number of the journal row
    with the begin of the fault, `after_seq` that of the row for which its step waited; None: for a
    time only. `log` has the newest effects on requests and messages; other effects have rows in the
    journal. `held` are the messages that it holds or delays now. `spared` says what the fault left
    as it was when it began, and why.
    """

    fault_id: str
    kind: str
    verb: FaultSource
    effects: Effects
    lift: Undo
    log: HitLog
    held: HeldMessages
    targets: tuple[tuple[NodeId, ...], ...] = ()
    selected: tuple[Selected, ...] = ()
    seq: int | None = None
    after_seq: int | None = None
    spared: tuple[Spared, ...] = ()
    is_open: bool = True

    @property
    def nodes(self) -> frozenset[NodeId]:
        """All nodes that the fault targets."""
        return frozenset(node for group in self.targets for node in group)

    @property
    def changed(self) -> frozenset[NodeId]:
        """The targets, without those that the fault left as they were when it began."""
        if any(not nodes for _, nodes in self.spared):
            return frozenset()
        return self.nodes - {node for _, nodes in self.spared for node in nodes}

    def leaves_alone(self, core: frozenset[NodeId]) -> bool:
        """Returns True if the fault cannot affect a node of `core` or a link within `core`.

        A fault of links has a target group at each end, so one group without a node of the core
        is enough.
        """
        return any(core.isdisjoint(group) for group in self.targets)


@dataclass(slots=True)
class Waiting:
    """An awaited condition: the stage calls `then` once `holds` returns True."""

    holds: Holds
    then: Callable[[], None]
    is_over: bool = False


@dataclass(slots=True)
class Stage:
    """A world with the names, faults and awaited conditions of a scenario.

    `log`, `held` and `predicate` belong to the fault that begins: the log of its hits, the messages
    that it holds, and the Python function that selects its requests, which no document can have.
    `timetable_begins_us` is the virtual time from which a scenario's `at:` counts, in microseconds;
    None before it, and in a running cluster.
    """

    world: World
    bound: dict[str, tuple[NodeId, ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    processes: Processes = field(init=False)
    log: HitLog = field(init=False)
    held: HeldMessages = field(init=False)
    predicate: Predicate | None = None
    timetable_begins_us: int | None = None
    _checked_seq: int = -1
    _fresh_from_seq: int = 0
    _drawn_from: str = CONDITIONS
    _targets: list[tuple[NodeId, ...]] = field(default_factory=list)
    _selected: list[Selected] = field(default_factory=list)
    _spared: list[Spared] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.processes = Processes(self.world)
        self._renew()

    def stream(self, name: str) -> Random:
        """Returns the random stream `name` of the run."""
        return self.world.streams.of(name)

    def nodes(self, selector: Selector) -> tuple[NodeId, ...]:
        """Returns the nodes that the selector selects now.

        Each fault draws them from a stream of its own.
        """
        nodes = selector.nodes(self.world, self.bound, self.stream(self._drawn_from))
        if self._drawn_from != CONDITIONS:
            self._selected.append((selector, nodes))
        return nodes

    def bind(self, name: str, selector: Selector) -> None:
        """Binds `$name` to the nodes that the selector selects now.

        The selectors of `let` have a random stream of their own. So a plan that names the nodes
        draws everything else as before.
        """
        self.bound[name] = selector.nodes(self.world, self.bound, self.stream("selectors"))

    @property
    def is_untouched(self) -> bool:
        """True if steps of the file were done, and none of them had an effect."""
        return bool(self.faults) and not any(fault.effects() for fault in self.faults)

    def targets(self, selector: Selector) -> tuple[NodeId, ...]:
        """Returns the nodes that the selector selects now; they become targets of the fault."""
        nodes = self.nodes(selector)
        self._targets.append(nodes)
        return nodes

    def spare(self, why: str, *nodes: NodeId) -> None:
        """Records that the fault that begins has no effect on the nodes; without nodes, on any."""
        self._spared.append((why, nodes))

    def wait_for(self, condition: Watchable, then: Callable[[], None]) -> Waiting:
        """Calls `then` once the condition holds."""
        return self.wait_until(condition.watched(self), then)

    def wait_until(self, holds: Holds, then: Callable[[], None]) -> Waiting:
        """Calls `then` once `holds` returns True."""
        waiting = Waiting(holds, then)
        self.waiting.append(waiting)
        return waiting

    def controllers_of(self, selector: Selector) -> list[NodeId]:
        """Returns the controllers that the selector selects; all its nodes become targets."""
        return [target for target in self.targets(selector) if self.world.controller_of(target)]

    def bring_back(self, node: NodeId) -> None:
        """Starts the node's process, unless the broker was unregistered.

        A process that got SIGTERM ends first; if it is killed meanwhile, it stays down.
        """
        world = self.world
        if self.processes.is_stopping(node):
            soon = partial(world.timeline.after, 0, partial(self.bring_back, node))
            self.processes.once_ended(node, soon)
            return
        is_agent = node.kind is Kind.BROKER and node.number in world.agents
        is_unregistered = is_agent and node.number not in world.committed.brokers
        if not is_unregistered and not self.processes.is_alive(node):
            self.processes.start(node)

    def check_conditions_at(self, at_us: int) -> None:
        """Makes the run check all conditions at the time `at_us`, even without an event."""
        self.world.timeline.at(at_us, lambda: None)

    def check_conditions(self) -> None:
        """Checks all awaited conditions; called after every event."""
        self._fresh_from_seq = self._checked_seq + 1
        self._checked_seq = self.world.journal.last_seq
        is_any_over = False
        for waiting in self.waiting:
            if waiting.is_over:
                is_any_over = True
            elif waiting.holds():
                waiting.is_over = is_any_over = True
                waiting.then()
        if is_any_over:
            self.waiting = [waiting for waiting in self.waiting if not waiting.is_over]

    def fresh_seq(self, words: RowWords) -> int | None:
        """Returns the number of the row by which a condition has come true in this check.

        It is the last row of the event before the check whose kind or state is in `words.exact`,
        else the first whose kind begins with one of `words.kinds`, else the first; None if the
        event has written no row.
        """
        now_us, exact = self.world.timeline.now_us, words.exact
        rows = [row for row in self.world.journal.since(self._fresh_from_seq) if row.t_us == now_us]
        of_kind = [row for row in rows if row.kind.startswith(words.kinds)]
        named = [row for row in of_kind if row.kind in exact or row.detail.get("state") in exact]
        found = (*named[-1:], *of_kind, *rows)
        return found[0].seq if found else None

    def begin(
        self,
        verb: FaultSource,
        word: str,
        fault_id: str,
        say: str = "",
        after_seq: int | None = None,
    ) -> Fault:
        """Begins a fault, after writing the journal row that is the cause of its effects."""
        self._targets, self._selected, self._spared = [], [], []
        self._renew()
        row = self._write_row("fault_begins", fault_id, word, say)
        self._drawn_from = f"selectors/{fault_id}"
        with self._doing(row):
            effects, undo = verb.begin(self, fault_id)
        self._drawn_from = CONDITIONS
        fault = Fault(
            fault_id=fault_id,
            kind=word,
            verb=verb,
            effects=effects,
            lift=undo,
            log=self.log,
            held=self.held,
            targets=tuple(self._targets),
            selected=tuple(self._selected),
            spared=tuple(self._spared),
            seq=row.seq,
            after_seq=after_seq,
        )
        self.world.journal.causes.note_fault(row, fault.changed)
        self.faults.append(fault)
        if verb.for_ is not None:
            self.world.timeline.after(verb.for_.us, partial(self.lift, fault))
        return fault

    def _renew(self) -> None:
        """Makes the objects of the next fault."""
        timeline = self.world.timeline
        self.log, self.held = HitLog(timeline), HeldMessages(timeline)

    def lift(self, fault: Fault) -> None:
        """Ends the fault if it is open."""
        if fault.is_open:
            fault.is_open = False
            row = self._write_row("fault_ends", fault.fault_id, fault.kind, cause_seq=fault.seq)
            with self._doing(row):
                fault.lift()
            self.world.journal.causes.note_fault(row, fault.changed)

    def lift_all(self) -> None:
        """Ends every open fault."""
        for fault in self.faults:
            self.lift(fault)

    def heal(self, core: frozenset[NodeId]) -> None:
        """Ends every fault that affects nodes of the core, and starts the nodes of the core.

        A node whose release lacks a finalized level gets the newest release. Faults of links to a
        node outside the core stay. If a fault affects nodes inside and outside the core, it ends
        for all of them.
        """
        self.world.core = core
        self.record_calm(core)
        for fault in self.faults:
            if not fault.leaves_alone(core):
                self.lift(fault)
        upgrade(self.world, self.processes, core)
        for node in self.world.nodes:
            if node in core:
                self.bring_back(node)

    def record_calm(self, core: frozenset[NodeId]) -> None:
        """Writes a journal row with the nodes of the core, unless all nodes are in the core."""
        world = self.world
        outside = [node for node in world.nodes if node not in core]
        if outside:
            healed = [node for node in sorted(core) if node not in world.own.processes]
            detail = {"core": list(numbers_of(healed)), "left": list(numbers_of(outside))}
            world.journal.write("scenario", "calm_begins", detail=detail)

    @contextmanager
    def _doing(self, row: EventRow) -> Iterator[None]:
        """Makes `row` the cause of every row that is written within the context."""
        causes = self.world.journal.causes
        before, causes.doing = causes.doing, row
        try:
            yield
        finally:
            causes.doing = before

    def _write_row(
        self, kind: str, fault_id: str, verb: str, say: str = "", cause_seq: int | None = None
    ) -> EventRow:
        """Writes the journal row of a fault that begins or ends."""
        said = filled(say, self.world.topology.settings)
        detail = {"verb": verb} | ({"say": said} if said else {})
        return self.world.journal.write(
            "scenario", kind, detail=detail, fault_id=fault_id, cause_seq=cause_seq
        )
