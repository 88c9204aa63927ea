"""Base of properties: a property watches a world and reports when it was broken.

A property is incremental: it gets each event and looks at nothing else, so that all properties can
be checked after every event. It changes nothing and draws nothing.
"""

from typing import TYPE_CHECKING, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message
    from kraftsim.simulation.world import World


Kinds = tuple[type[Request], ...] | None
"""Kinds of requests; None: all kinds."""


class Broken(Exception):
    """A property does not hold; the text says what was expected and what was found."""


class Property:
    """Something that must hold of a world.

    `number` is its number in the list of properties (S1, L3), and `claim` states it in one
    sentence. `exercised` counts how often there was something to check. `always` is True if
    Kafka 4.3 always keeps it; Kafka breaks the others in known ways. `kinds` limits the
    messages it gets to those of these requests, because most messages are fetches, which few
    properties need.
    """

    number: ClassVar[str]
    name: ClassVar[str]
    claim: ClassVar[str]
    always: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = None

    def __init__(self, world: "World") -> None:
        self.world = world
        self.exercised = 0

    def stepped(self, node: Node, turn: Turn) -> None:
        """Called after a step of a controller that had other effects than a reply."""

    def wrote(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed the log: see `persist`, `truncate_to` and `snapshot`."""

    def moved(self, node: Node, turn: Turn) -> None:
        """Called after a step that changed a controller's epoch, role, leader, vote or activity.

        It is also called after the first step of a process, and after `wrote` of the same
        step.
        """

    def committed(self, node_id: int, batch: Batch) -> None:
        """Called when a controller learns that a batch is committed: in order, per controller."""

    def arrived(self, message: "Message") -> None:
        """Called before a message reaches its receiver."""

    def stopped(self, message: "Message") -> None:
        """Called when a message is lost or held back."""

    def restarted(self, node_id: int) -> None:
        """Called before the first step of a controller's process."""

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Called after a controller was killed, started, paused or resumed."""

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        """Called when a broker's agent or process is in another state."""

    def finished(self) -> None:
        """Called at the end of the calm, to check what should have happened by now."""
