"""Base of properties: a property watches a world and reports when it was broken.

A property is incremental: it gets the events that can break it, and each costs little, so that all
properties can be checked after every event. It does not change the world, and draws no random
numbers.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

if TYPE_CHECKING:
    from kraftsim.simulation.message import Exchange, Message
    from kraftsim.simulation.world import World


Kinds = tuple[type[Request], ...] | None
"""Types of requests; None: all types."""
Askers = tuple[Kind, ...] | None
"""Kinds of nodes; None: all kinds."""


class Broken(Exception):
    """Raised if a property does not hold; the text states the expected and the actual value."""


def _nobody() -> None:
    """Takes a wish for a step when nobody watches, as in a test of a property alone."""


class Property:
    """Base of properties of a world; a subclass overrides the hooks that it needs.

    Overriding a hook subscribes the property to the events of the hook: each hook below has the
    events of one kind, so that events of other kinds cost the property nothing.

    `number` is the number in the list of properties (S1, L3), and `claim` states the property
    in one sentence. `exercised` counts how often there was something to check. `always` is True
    if Kafka 4.3 always keeps the property; Kafka breaks the others in known ways. `kinds` are
    the requests whose messages the property gets, and `askers` the kinds of nodes that send these
    requests; None: all. `await_step` asks for one call of `next_step`. A property that `asks` sends
    requests of its own to a copy of a controller's state: no event leads to what it finds.
    """

    number: ClassVar[str]
    name: ClassVar[str]
    claim: ClassVar[str]
    always: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = None
    askers: ClassVar[Askers] = None
    asks: ClassVar[bool] = False

    def __init__(self, world: "World") -> None:
        self.world = world
        self.exercised = 0
        self.await_step: Callable[[], None] = _nobody

    # Steps of controllers that have an effect other than replies. The hooks of one step are called
    # in this order.

    def restarted(self, node_id: int) -> None:
        """Called before the first step of a controller's process."""

    def wrote(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed the log: see `persist`, `truncate_to` and `snapshot`."""

    def wrote_news(self, node: Node, turn: Turn) -> None:
        """Called after `wrote`, unless the step only appended a NoOpRecord (rule 0A.14)."""

    def moved(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed a controller's epoch, role, leader, vote or activity.

        It is also called after the first step of a process.
        """

    def loaded(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed a controller's committed image: see `committed`."""

    def advanced(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed a controller's high watermark."""

    def asked_peers(self, node: Node, turn: Turn) -> None:
        """Called after a step that sends requests to other controllers: see `sends`."""

    def led(self, node: Node, turn: Turn) -> None:
        """Called after each step of a leader of the quorum, for bounds in time."""

    def next_step(self, node: Node, turn: Turn) -> None:
        """Called after the first step of any controller since `await_step` was called."""

    def stepped(self, node: Node, turn: Turn) -> None:
        """Called after every step."""

    def committed(self, node_id: int, batch: Batch) -> None:
        """Called when a controller learns that a batch is committed, in the order of its log."""

    # Messages

    def sent(self, sender: NodeId, request: Any) -> None:
        """Called when a broker sends a request to a controller."""

    def arrived(self, message: "Message") -> None:
        """Called before a request reaches its receiver."""

    def replied(self, message: "Message") -> None:
        """Called before a reply reaches its receiver."""

    def stopped(self, message: "Message") -> None:
        """Called when a message is lost or held back."""

    def asked(self, exchange: "Exchange") -> None:
        """Called when a client sends a request about messages to a broker."""

    def exchanged(self, exchange: "Exchange") -> None:
        """Called when a broker answers a client's request about messages."""

    # Processes

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Called after a controller was killed, started, paused or resumed."""

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        """Called after the state of a broker's agent or process has changed."""

    def finished(self) -> None:
        """Called at the end of the calm, to check what must have happened during the run."""
