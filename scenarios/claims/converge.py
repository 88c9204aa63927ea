"""Claims that values become equal on all nodes in the calm."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.node.node import Node

from ..language.amounts import Amount
from ..language.constraints import OneOf
from ..language.durations import duration_text
from ..language.selectors import Selector
from ..language.spelling import as_written
from ..stage.stage import Stage
from .claim import Claim, Settle, nothing_more

CONTROLLERS = Selector("controllers")
IMAGES = "images"  # the only values that brokers have, too
OF_CONTROLLERS: dict[str, Callable[[Node], object]] = {
    IMAGES: lambda node: node.committed,
    "high_watermarks": lambda node: node.high_watermark,
    "log_ends": lambda node: node.log.end_offset,
    "epochs": lambda node: node.epoch,
    "leaders": lambda node: node.leader_id,
    "voters": lambda node: sorted(voter.voter_id for voter in node.quorum.voters.voters),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Converge:
    """Claims that nodes agree at some moment of the calm, within `within` of its begin.

    `equal` names the compared value: images (the metadata; also of brokers), high_watermarks,
    log_ends, epochs, leaders (the leader that each node knows) or voters. Only nodes that are
    healed and run are compared.
    """

    equal: Annotated[str, OneOf(tuple(OF_CONTROLLERS))]
    within: Amount
    of: Selector = CONTROLLERS

    def watch(self, stage: Stage, claim: Claim) -> Settle:
        """Starts watching when the calm begins; needs at least two nodes to test the claim."""

        def are_equal() -> bool:
            values = list(self._values(stage).values())
            return len(values) > 1 and all(value == values[0] for value in values)

        reached = stage.wait_until(are_equal, claim.occurs)

        def fall_due() -> None:
            if not reached.is_over and len(self._values(stage)) > 1:
                reached.is_over = True
                claim.occurs()
                claim.break_(self._message(stage), stage)

        timeline = stage.world.timeline
        timeline.at(timeline.now_us + self.within.us, fall_due)
        return nothing_more

    def _values(self, stage: Stage) -> dict[NodeId, object]:
        """Returns the compared values of the nodes that are healed and run.

        Brokers have no values but images.
        """
        world = stage.world
        values: dict[NodeId, object] = {}
        for node in filter(world.must_be_well, stage.nodes(self.of)):
            controller, agent = world.controller_of(node), world.agent_of(node)
            if controller is not None and controller.is_running:
                values[node] = OF_CONTROLLERS[self.equal](controller.node)
            elif agent is not None and agent.is_running and self.equal == IMAGES:
                values[node] = agent.agent.image
        return values

    def _message(self, stage: Stage) -> str:
        values = {
            str(node.number): value.offset if isinstance(value, Image) else value
            for node, value in self._values(stage).items()
        }
        within = duration_text(self.within.us)
        return (
            f"expected equal {self.equal} within {within} after the start of calm, got "
            f"{as_written(values)}"
        )
