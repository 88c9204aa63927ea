"""What must hold of a world: a property watches what happens in it and says when it was broken.

A property is incremental: it is told of what has just happened and looks at nothing else, so that
all of them can be checked after every event. It never changes anything and draws nothing.
"""

from typing import TYPE_CHECKING, ClassVar

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message
    from kraftsim.simulation.world import World


Kinds = tuple[type[Request], ...] | None
"""Of requests; None: all there are."""


class Broken(Exception):
    """A property does not hold: what was expected, and what came."""


class Property:
    """`number` is that of the list of properties (S1, L3), `claim` one sentence that somebody could
    try to break; `exercised` counts how often there was something to check. `always`: it holds of
    Kafka 4.3 whatever happens; of the others it is known how Kafka breaks them. `kinds` of requests
    are those whose messages it is told of: most are fetches, which concern few."""

    number: ClassVar[str]
    name: ClassVar[str]
    claim: ClassVar[str]
    always: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = None

    def __init__(self, world: "World") -> None:
        self.world = world
        self.exercised = 0

    def stepped(self, node: Node, turn: Turn) -> None:
        """A controller has taken a step that let out more than a reply."""

    def wrote(self, node: Node, turn: Turn) -> None:
        """A step that changed the log: `persist`, `truncate_to` or `snapshot` say how."""

    def moved(self, node: Node, turn: Turn) -> None:
        """A step after which epoch, role, leader, vote or being active are not what they were after
        the last one, or the first of a process. It comes after `wrote` of the same step."""

    def committed(self, node_id: int, batch: Batch) -> None:
        """A controller has learned that this batch is committed; each tells of each, in order."""

    def arrived(self, message: "Message") -> None:
        """A message is about to reach its receiver."""

    def stopped(self, message: "Message") -> None:
        """A message was lost on its way, or is kept back."""

    def restarted(self, node_id: int) -> None:
        """A controller's process has started, over whatever its disk had: this is told before the
        first step of it."""

    def controller_changed(self, node_id: int, state: str) -> None:
        """A controller was killed, started, paused or resumed, and what that did is done."""

    def broker_changed(self, broker_id: int, state: str) -> None:
        """A broker's agent is in another state, or its process is."""

    def finished(self) -> None:
        """The run is over and calm: what should have happened by now?"""
