"""net.*: network faults that begin and end several times while the verb lasts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kraftsim.controller.core.node_id import NodeId
from kraftsim.simulation.network_rules import Block, Hold, Rule

from ..language.amounts import Amount, Period, in_order
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .links import Ways
from .verb import Verb

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Flap(Ways, word="net.flap"):
    """Blocks the messages during the first `down` of every `period`."""

    period: Period
    down: Amount

    def __post_init__(self) -> None:
        in_order("down", self.down, "period", self.period)

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        """Returns the rule that blocks the messages while the link is down."""
        timeline, concerns = stage.world.timeline, self.concerns(stage)
        begins_us = timeline.now_us

        def is_cut(message: "Message") -> bool:
            phase_us = (timeline.now_us - begins_us) % self.period.us
            return phase_us < self.down.us and concerns(message)

        return Block(is_cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swizzle(Verb, word="net.swizzle"):
    """Cuts off nodes one after the other, and releases them in another order.

    This is FoundationDB's swizzle-clogging. Nodes are cut off in the first half of the time,
    and released in the second half. Messages that were held meanwhile arrive in order.
    """

    of: Selector
    for_: Amount

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        nodes, stream = stage.targets(self.of), stage.stream(f"fault/{fault_id}")
        half_us, timeline = self.for_.us // 2, stage.world.timeline
        clogs = [_Clog(stage, node_id) for node_id in stream.sample(nodes, len(nodes))]
        step_us = half_us // max(len(clogs), 1)
        for index, clog in enumerate(clogs):
            timeline.after(index * step_us, clog.close)
        for index, clog in enumerate(stream.sample(clogs, len(clogs))):
            timeline.after(half_us + index * step_us, clog.free)

        def free_all() -> None:
            for clog in clogs:
                clog.free()

        return lambda: sum(clog.rule.hits for clog in clogs), free_all


class _Clog:
    """Holds every message from and to one node until `free`; later calls of `close` do nothing."""

    def __init__(self, stage: Stage, node: NodeId) -> None:
        self.rule = Hold(_touches(node), stage.held)
        self.rule.log = stage.log
        self._network = stage.world.network
        self._is_free = False

    def close(self) -> None:
        if not self._is_free:
            self._network.add(self.rule)

    def free(self) -> None:
        if not self._is_free and self.rule in self._network.rules:
            self._network.remove(self.rule)
        self._is_free = True


def _touches(node: NodeId) -> "Callable[[Message], bool]":
    return lambda message: node in (message.sender, message.receiver)
