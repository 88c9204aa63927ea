"""Conditions about controllers: processes, roles in the quorum, and progress of replicas."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.roles import Progress, leader_role
from kraftsim.simulation.controller_process import ControllerProcess

from ..language.amounts import Amount
from ..language.constraints import OneOf
from ..language.selectors import Selector
from ..stage.stage import Holds, every

if TYPE_CHECKING:
    from kraftsim.simulation.world import World

    from ..stage.stage import Stage

STATES = (
    "active",
    "leading",
    ProcessState.RUNNING.value,
    ProcessState.PAUSED.value,
    ProcessState.NOT_RUNNING.value,
)
ROLES = ("LEADER", "FOLLOWER", "CANDIDATE", "PROSPECTIVE", "UNATTACHED", "RESIGNED")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerState:
    """True if `controller` names at least one controller and all of them fulfil every word.

    `state` is the state of the process, or active (leads the quorum) or leading (believes that
    it leads the quorum). `role` is the role in the quorum while the process runs. The other
    words are lower bounds of epoch, high watermark and log end offset.
    """

    controller: Selector
    state: Annotated[str, OneOf(STATES)] | None = None
    role: Annotated[str, OneOf(ROLES)] | None = None
    epoch_at_least: int | None = None
    high_watermark_at_least: int | None = None
    log_end_at_least: int | None = None

    def __post_init__(self) -> None:
        _expect_something(self)

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        return lambda: every(stage.nodes(self.controller), lambda node: self._is(stage, node))

    def _is(self, stage: "Stage", node: NodeId) -> bool:
        process = stage.world.controller_of(node)
        if process is None or (self.role is not None and process.role != self.role):
            return False
        return self._is_in_state(stage.world, process) and self._reaches_bounds(process.node)

    def _is_in_state(self, world: "World", process: ControllerProcess) -> bool:
        match self.state:
            case None:
                return True
            case "active":
                return world.active is process
            case "leading":
                return process.is_running and process.node.is_active
            case state:
                return process.state == state

    def _reaches_bounds(self, node: Node) -> bool:
        least = (self.epoch_at_least, self.high_watermark_at_least, self.log_end_at_least)
        numbers = (node.epoch, node.high_watermark, node.log.end_offset)
        pairs = zip(numbers, least, strict=True)
        return all(bound is None or number >= bound for number, bound in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaState:
    """True if all replicas that `replica` names fulfil every word in the leader's DescribeQuorum.

    Replicas are voters or observers (brokers). The words bound the lag in records, the time
    since the last fetch (`silent_for`), and the time since the replica last caught up
    (`behind_for`), by the leader's wall clock (rules 5.29 to 5.31). False while there is no
    leader, and for a replica that the leader does not know.
    """

    replica: Selector
    lag_at_least: int | None = None
    lag_at_most: int | None = None
    silent_for: Amount | None = None
    behind_for: Amount | None = None

    def __post_init__(self) -> None:
        _expect_something(self)

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""

        def holds() -> bool:
            leader = stage.world.active
            if leader is None:
                return False
            return every(
                stage.nodes(self.replica), lambda node: self._is(stage.world, leader, node)
            )

        return holds

    def _is(self, world: "World", leader: ControllerProcess, replica: NodeId) -> bool:
        node = leader.node
        clock = world.clocks[controller_node(node.config.node_id)]
        wall_ms = clock.now_ms + clock.wall_offset_ms
        progress = _progress(node, replica.number, wall_ms)
        if progress is None:
            return False
        lag = node.log.end_offset - progress.end_offset
        return (
            (self.lag_at_least is None or lag >= self.lag_at_least)
            and (self.lag_at_most is None or lag <= self.lag_at_most)
            and _is_past(self.silent_for, progress.last_fetch_wall_ms, wall_ms)
            and _is_past(self.behind_for, progress.last_caught_up_wall_ms, wall_ms)
        )


def _progress(node: Node, node_id: int, wall_ms: int) -> Progress | None:
    """Returns the progress of a replica that a leader reports, or None for an unknown replica.

    The leader itself counts as caught up (rule 5.30).
    """
    role = leader_role(node.quorum.role)
    if node_id == node.config.node_id:
        return Progress(
            end_offset=node.log.end_offset,
            last_fetch_wall_ms=wall_ms,
            last_caught_up_wall_ms=wall_ms,
        )
    if any(voter.voter_id == node_id for voter in node.quorum.voters.voters):
        return role.progress.get(node_id, Progress())
    return next(
        (progress for key, progress in role.observers.items() if key.node_id == node_id), None
    )


def _is_past(amount: Amount | None, since_ms: int, now_ms: int) -> bool:
    """Returns True if `amount` is None or has passed since `since_ms`; negative means never."""
    return amount is None or since_ms < 0 or (now_ms - since_ms) * 1000 >= amount.us


def _expect_something(condition: "ControllerState | ReplicaState") -> None:
    """Raises ValueError if the condition has only its first word, the subject."""
    _, *words = [field.name for field in fields(condition)]
    if all(getattr(condition, word) is None for word in words):
        raise ValueError(f"expected one of {', '.join(words)}, or several")
