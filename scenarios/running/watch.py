"""Watches properties on a world: passes events to them, and records the first violation of each.

A property gets the events whose hooks it overrides (`oracles/property.py`), so that other events
cost it nothing. After a violation the run continues without the broken property.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import Impossible, UnknownMetadataVersionError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.roles import Leader
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
from ..stage.standing import Standing, is_idle

OF_STEPS = (
    "restarted",
    "wrote",
    "wrote_news",
    "moved",
    "loaded",
    "advanced",
    "asked_peers",
    "led",
    "next_step",
    "stepped",
)
COMMITTED = ("committed", "read", "partition_changed", "partition_settled", "done")
OF_MESSAGES = ("sent", "arrived", "replied", "stopped")
HOOKS = (
    *OF_STEPS,
    *COMMITTED,
    *OF_MESSAGES,
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
ASSERTION = "assertion"  # name of the violation when a process failed an internal assertion
NODE_FAILED = "node_failed"  # name of the violation when the code of an own node raised something
Listener = tuple[Property, Callable[..., None]]

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
        self._awaiting: dict[str, Listener] = {}  # who gets the next step, by number
        for property_ in self._watchers:
            property_.await_step = partial(self._await_step, property_)
        self._sent, self._arrived, self._replied, self._stopped = map(self._routes, OF_MESSAGES)

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

    def has_listeners(self, *hooks: str) -> bool:
        """Returns True if a property overrides one of the methods `hooks`."""
        return any(self._listeners[hook] for hook in hooks)

    def on_step(self, node: Node, turn: Turn) -> None:
        """Passes a controller's step to the properties that judge what it did."""
        node_id = node.config.node_id
        standing = self._standings.get(node_id)
        if standing is None or standing.node is not node:
            standing = self._standings[node_id] = Standing(node)
            self._call("restarted", node_id)
        if turn.persist or turn.truncate_to is not None or turn.snapshot is not None:
            self._call_on_step("wrote", node, turn)
            if not is_idle(turn):
                self._call_on_step("wrote_news", node, turn)
        if standing.has_moved():
            self._call_on_step("moved", node, turn)
        if standing.has_loaded():
            self._call_on_step("loaded", node, turn)
        if standing.has_advanced():
            self._call_on_step("advanced", node, turn)
        if turn.sends:
            self._call_on_step("asked_peers", node, turn)
        if standing.role is Leader:
            self._call_on_step("led", node, turn)
        if self._awaiting:
            awaiting, self._awaiting = self._awaiting, {}
            self._call_each(awaiting.values(), "next_step", node, turn)
        self._call_on_step("stepped", node, turn)

    def on_committed(self, node_id: int, batch: Batch) -> None:
        """Passes a committed batch to the properties."""
        self._call("committed", node_id, batch)
        self._log.take(batch)

    def on_sent(self, sender: NodeId, request: Request) -> None:
        """Passes a request of a broker to the properties."""
        for property_, method in self._sent.of(sender, type(request)):
            try:
                method(sender, request)
            except Broken as broken:
                self._record(property_, str(broken), Event("sent", (sender, request)))

    def on_arrived(self, message: Message) -> None:
        """Passes a request or a reply to the properties, before it reaches its receiver."""
        kind = type(message.request)
        if message.is_reply:
            self._call_with(self._replied.of(message.receiver, kind), "replied", message)
        else:
            self._call_with(self._arrived.of(message.sender, kind), "arrived", message)

    def on_stopped(self, message: Message) -> None:
        """Passes a lost or held message to the properties."""
        asker = message.receiver if message.is_reply else message.sender
        self._call_with(self._stopped.of(asker, type(message.request)), "stopped", message)

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
        self._call_each(self._listeners[hook], hook, node, turn)

    def _call_each(self, listeners: Iterable[Listener], hook: str, node: Node, turn: Turn) -> None:
        """Does the same as `_call`, but faster: steps are very frequent."""
        for property_, method in listeners:
            try:
                method(node, turn)
            except Broken as broken:
                self._record(property_, str(broken), Event(hook, (node, turn)))

    def _call_with(self, listeners: list[Listener], hook: str, message: Message) -> None:
        for property_, method in listeners:
            try:
                method(message)
            except Broken as broken:
                self._record(property_, str(broken), Event(hook, (message,)))

    def _await_step(self, property_: Property) -> None:
        """Passes the next step of any controller to a property, unless it is broken."""
        number = property_.number
        if number not in self._awaiting and number not in self.violations:
            self._awaiting[number] = property_, property_.next_step

    def _routes(self, hook: str) -> "Routes":
        return Routes(self._listeners[hook])

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
        self._awaiting.pop(property_.number, None)
        self._sent, self._arrived, self._replied, self._stopped = map(self._routes, OF_MESSAGES)


class Routes:
    """The listeners of one hook of messages, found by who asks and by the type of the request."""

    def __init__(self, listeners: list[Listener]) -> None:
        self._listeners = listeners
        # Indexed by the kind of the node: Python 3.11 hashes a member of an enum slowly.
        self._found: list[dict[type[Request], list[Listener]]] = [{} for _ in Kind]

    def of(self, asker: NodeId, kind: type[Request]) -> list[Listener]:
        """Returns the listeners to requests of this type from this node, or to their replies."""
        found = self._found[asker.kind].get(kind)
        if found is None:
            found = self._found[asker.kind][kind] = [
                listener for listener in self._listeners if _gets(listener[0], asker, kind)
            ]
        return found


def _gets(property_: Property, asker: NodeId, kind: type[Request]) -> bool:
    kinds, askers = property_.kinds, property_.askers
    return (kinds is None or kind in kinds) and (askers is None or asker.kind in askers)


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
    if watching.has_listeners(*OF_STEPS):
        world.step_listeners.append(watching.on_step)
    if watching.has_listeners(*COMMITTED):
        world.committed_listeners.append(watching.on_committed)
    if watching.has_listeners("sent"):
        world.sent_listeners.append(watching.on_sent)
    if watching.has_listeners("arrived", "replied"):
        world.network.arrived.append(watching.on_arrived)
    if watching.has_listeners("stopped"):
        world.network.stopped.append(watching.on_stopped)
    if watching.has_listeners("controller_changed"):
        world.controller_listeners.append(watching.on_controller)
    if watching.has_listeners("broker_changed"):
        world.agent_listeners.append(watching.on_broker)
    if watching.has_listeners("asked", "exchanged"):
        world.exchange_listeners.append(watching.on_exchange)
    return watching
