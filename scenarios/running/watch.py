"""Watches properties on a world: passes events to them, and records the first violation of each.

A property gets only the events whose methods it overrides, so that other events cost nothing. After
a violation the run continues without the broken property.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import Impossible, UnknownMetadataVersionError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.active import Active
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.simulation.message import Exchange, Message
from kraftsim.simulation.world import World

from ..oracles.active_logs import ActiveLogs, OfActiveLogs
from ..oracles.breach_words import with_topics
from ..oracles.committed import CommittedLog, OfTheCommittedLog
from ..oracles.ghost import Ghost
from ..oracles.property import Broken, Property
from ..oracles.written_messages import WrittenMessages
from ..properties.data_loss import OfGhost
from ..properties.messages.clients import OfMessages
from ..properties.quorum.tenability import OfReigns, Reigns

HOOKS = (
    "stepped",
    "wrote",
    "moved",
    "committed",
    "read",
    "partition_changed",
    "partition_settled",
    "done",
    "sent",
    "arrived",
    "replied",
    "stopped",
    "restarted",
    "controller_changed",
    "broker_changed",
    "asked",
    "exchanged",
    "finished",
)
OBSERVERS: tuple[tuple[type[Property], str, type[Property]], ...] = (
    (OfGhost, "ghost", Ghost),
    (OfActiveLogs, "active_logs", ActiveLogs),
    (OfReigns, "reigns", Reigns),
    (OfMessages, "messages", WrittenMessages),
)
"""Kinds of properties, the attribute in which they expect an observer, and its class."""
COMMITTED = ("committed", "read", "partition_changed", "partition_settled", "done")
ASSERTION = "assertion"  # name of the violation when a process failed an internal assertion
NODE_FAILED = "node_failed"  # name of the violation when the code of an own node raised something
Listener = tuple[Property, Callable[..., None]]
ByKind = dict[type[Request], list[Listener]]
Standing = tuple[Node, type, int, int, ElectionState, Active | None]
"""State of a controller in the quorum; a step that changes it is a move."""

UNNUMBERED = "-"  # of claims and assertions, in the place of the number of a property


class Violation(NamedTuple):
    """A broken property or claim.

    `what` states the expected and the actual behaviour. `seq` is the number of the last journal
    row before the violation of a property, and of the row that broke a claim (-1: none).
    """

    number: str
    name: str
    what: str
    t_us: int
    seq: int

    @property
    def is_claim(self) -> bool:
        """True if only the scenario expects what was broken; a property holds in every cluster."""
        return self.number == UNNUMBERED and self.name != ASSERTION


class Event(NamedTuple):
    """An event of a run, as a property gets it: the hook that was called, and its arguments."""

    hook: str
    arguments: tuple[object, ...]


class Watch:
    """The properties of a run: instances and first violations, by the number of the property."""

    def __init__(self, world: World, classes: Iterable[type[Property]]) -> None:
        self.world = world
        self.properties = {class_.number: class_(world) for class_ in classes}
        self.violations: dict[str, Violation] = {}
        self.events: dict[str, Event] = {}  # the event that broke each property, by its name
        self._log = CommittedLog(self._call)
        self._watchers = self._with_observers(world)
        for property_ in self._watchers:
            if isinstance(property_, OfTheCommittedLog):
                property_.shadow, property_.mentions = self._log.shadow, self._log.mentions
        self._standings: dict[int, Standing] = {}
        self._listeners = self._listeners_by_hook()
        self._sent: ByKind = {}
        self._arrived: ByKind = {}
        self._replied: ByKind = {}
        self._stopped: ByKind = {}

    def _with_observers(self, world: World) -> list[Property]:
        """Returns the properties, after what some of them look at."""
        observers: list[Property] = []
        for base, name, observer in OBSERVERS:
            followers = [held for held in self.properties.values() if isinstance(held, base)]
            if followers:
                observers.append(observer(world))
            for follower in followers:
                setattr(follower, name, observers[-1])
        return [*observers, *self.properties.values()]

    def finish(self) -> tuple[Violation, ...]:
        """Calls `finished` of the properties and returns all violations in the order of time."""
        self._call("finished")
        return tuple(sorted(self.violations.values(), key=lambda violation: violation.t_us))

    def has_listeners(self, hook: str) -> bool:
        """Returns True if a property overrides the method `hook`."""
        return bool(self._listeners[hook])

    def on_step(self, node: Node, turn: Turn) -> None:
        """Passes a controller's step to the properties."""
        node_id, now = node.config.node_id, _standing(node)
        before = self._standings.get(node_id)
        if before is None or before[0] is not node:
            self._call("restarted", node_id)
        if turn.persist or turn.truncate_to is not None or turn.snapshot is not None:
            self._call_on_step("wrote", node, turn)
        if before != now:
            self._standings[node_id] = now
            self._call_on_step("moved", node, turn)
        self._call_on_step("stepped", node, turn)

    def on_committed(self, node_id: int, batch: Batch) -> None:
        """Passes a committed batch to the properties."""
        self._call("committed", node_id, batch)
        self._log.take(batch)

    def on_sent(self, sender: NodeId, request: Request) -> None:
        """Passes a request of a broker to the properties."""
        for property_, method in self._of_kind(self._sent, "sent", type(request)):
            try:
                method(sender, request)
            except Broken as broken:
                self._record(property_, str(broken), Event("sent", (sender, request)))

    def on_arrived(self, message: Message) -> None:
        """Passes a request or a reply to the properties, before it reaches its receiver."""
        if message.is_reply:
            self._call_on_message(self._replied, "replied", message)
        else:
            self._call_on_message(self._arrived, "arrived", message)

    def on_stopped(self, message: Message) -> None:
        """Passes a lost or held message to the properties."""
        self._call_on_message(self._stopped, "stopped", message)

    def on_controller(self, node_id: int, state: ProcessState) -> None:
        """Passes a change of a controller's process to the properties."""
        self._call("controller_changed", node_id, state)

    def on_broker(self, broker_id: int, state: ProcessState) -> None:
        """Passes a change of a broker's state to the properties."""
        self._call("broker_changed", broker_id, state)

    def on_exchange(self, exchange: Exchange) -> None:
        """Passes what a client and a broker exchanged to the properties."""
        self._call("asked" if exchange.response is None else "exchanged", exchange)

    def _listeners_by_hook(self) -> dict[str, list[Listener]]:
        listeners: dict[str, list[Listener]] = {hook: [] for hook in HOOKS}
        for property_ in self._watchers:
            kind: Any = type(property_)  # mypy finds no __hash__ in the type of a class with slots
            for hook in _hooks_of(kind):
                listeners[hook].append((property_, getattr(property_, hook)))
        return listeners

    def _call(self, hook: str, *arguments: object) -> None:
        for property_, method in self._listeners[hook]:
            try:
                method(*arguments)
            except Broken as broken:
                self._record(property_, str(broken), Event(hook, arguments))

    def _call_on_step(self, hook: str, node: Node, turn: Turn) -> None:
        """Does the same as `_call`, but faster: steps are very frequent."""
        for property_, method in self._listeners[hook]:
            try:
                method(node, turn)
            except Broken as broken:
                self._record(property_, str(broken), Event(hook, (node, turn)))

    def _call_on_message(self, by_kind: ByKind, hook: str, message: Message) -> None:
        """Passes a message to the properties that watch its kind of request."""
        listeners = by_kind.get(type(message.request))
        if listeners is None:
            listeners = self._of_kind(by_kind, hook, type(message.request))
        for property_, method in listeners:
            try:
                method(message)
            except Broken as broken:
                self._record(property_, str(broken), Event(hook, (message,)))

    def _of_kind(self, by_kind: ByKind, hook: str, kind: type[Request]) -> list[Listener]:
        if kind not in by_kind:
            by_kind[kind] = [
                entry
                for entry in self._listeners[hook]
                if entry[0].kinds is None or kind in entry[0].kinds
            ]
        return by_kind[kind]

    def _record(self, property_: Property, what: str, event: "Event") -> None:
        world = self.world
        what = with_topics(what, _topic_names(world))
        self.events[property_.name] = event
        self.violations[property_.number] = Violation(
            property_.number, property_.name, what, world.timeline.now_us, world.journal.last_seq
        )
        for hook, listeners in self._listeners.items():
            self._listeners[hook] = [
                listener for listener in listeners if listener[0] is not property_
            ]
        self._sent.clear()
        self._arrived.clear()
        self._replied.clear()
        self._stopped.clear()


@cache
def _hooks_of(kind: type) -> tuple[str, ...]:
    """Returns the hooks that a property overrides; computed once, because resets are frequent."""
    return tuple(hook for hook in HOOKS if _overrides(kind, hook))


def _overrides(kind: type[Property], hook: str) -> bool:
    of_all = getattr(OfTheCommittedLog, hook)
    return getattr(kind, hook, of_all) is not of_all


def _topic_names(world: World) -> dict[bytes, str]:
    """Returns the names of the topics, also of those that are not committed yet."""
    images = [world.committed]
    for process in world.controllers.values():
        images += [process.node.committed]
        images += [] if process.node.active is None else [process.node.active.state.image]
    return {topic_id: topic.name for image in images for topic_id, topic in image.topics.items()}


def _standing(node: Node) -> Standing:
    quorum = node.quorum
    role = type(quorum.role)
    return node, role, quorum.epoch, quorum.leader_id, quorum.durable, node.active


def failed_assertion(world: World, node_id: int, state: ProcessState) -> Violation | None:
    """Returns a violation if a failed assertion has just ended the process of the controller.

    A process whose release does not know the finalized level ends in Kafka too (rule 5.65).
    """
    failure = world.controllers[node_id].failure
    if state is not ProcessState.NOT_RUNNING or not isinstance(failure, Impossible):
        return None
    if isinstance(failure, UnknownMetadataVersionError):
        return None
    what = f"controller {node_id} failed: {failure}"
    return Violation(UNNUMBERED, ASSERTION, what, world.timeline.now_us, world.journal.last_seq)


def watch(world: World, classes: Iterable[type[Property]]) -> Watch:
    """Watches properties on a world that has not started; raises ValueError if it has."""
    if world.timeline.now_us != 0:
        raise ValueError(f"expected a world before its start, got {world.timeline.now_us} us")
    watching = Watch(world, classes)
    if any(watching.has_listeners(number) for number in ("stepped", "wrote", "moved", "restarted")):
        world.step_listeners.append(watching.on_step)
    if any(watching.has_listeners(number) for number in COMMITTED):
        world.committed_listeners.append(watching.on_committed)
    if watching.has_listeners("sent"):
        world.sent_listeners.append(watching.on_sent)
    if watching.has_listeners("arrived") or watching.has_listeners("replied"):
        world.network.arrived.append(watching.on_arrived)
    if watching.has_listeners("stopped"):
        world.network.stopped.append(watching.on_stopped)
    if watching.has_listeners("controller_changed"):
        world.controller_listeners.append(watching.on_controller)
    if watching.has_listeners("broker_changed"):
        world.agent_listeners.append(watching.on_broker)
    if watching.has_listeners("exchanged"):
        world.exchange_listeners.append(watching.on_exchange)
    return watching
