"""Replays of the logs of active controllers, uncommitted tails included, shared by properties."""

from dataclasses import dataclass, field

from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.world import World

from .committed import OfTheCommittedLog
from .shadow import Key, PartitionChange, Shadow


@dataclass(slots=True)
class ActiveLog:
    """The replay of the log of a controller that is active in `epoch`.

    `touched` are the keys that the last write may have changed, and `changes` its changes of
    partitions.
    """

    epoch: int
    shadow: Shadow
    touched: set[Key] = field(default_factory=set)
    changes: list[PartitionChange] = field(default_factory=list)


class ActiveLogs(OfTheCommittedLog):
    """The replay of each active controller's log; it is called before the properties."""

    number = "-"
    name = "active-logs"
    claim = ""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._logs: dict[int, ActiveLog] = {}

    def of(self, node: Node) -> ActiveLog | None:
        """Returns the replay of an active controller's log.

        None if the controller is not active, if its log begins after all that is known to be
        committed, or if a later leader had committed something when it became active.
        """
        log, active = self._logs.get(node.config.node_id), node.active
        return log if log is not None and active is not None and log.epoch == active.epoch else None

    def restarted(self, node_id: int) -> None:
        self._logs.pop(node_id, None)

    def wrote(self, node: Node, turn: Turn) -> None:
        log = self.of(node)
        if log is None:
            return
        log.touched.clear()
        log.changes.clear()
        for batch in turn.persist:
            if batch.base_offset == log.shadow.end_offset:
                log.touched |= log.shadow.fold(batch)
                log.changes += log.shadow.changes

    def moved(self, node: Node, turn: Turn) -> None:
        node_id, active = node.config.node_id, node.active
        if active is None:
            self._logs.pop(node_id, None)
        elif self.of(node) is None and self._has_what_is_committed(node):
            shadow = self.shadow.copy()
            for batch in node.log.batches:
                if batch.base_offset >= shadow.end_offset:
                    shadow.fold(batch)
            self._logs[node_id] = ActiveLog(active.epoch, shadow)

    def _has_what_is_committed(self, node: Node) -> bool:
        """Returns False for a leader that does not know yet that another was elected after it."""
        end_offset = self.shadow.end_offset
        return node.log.start_offset <= end_offset <= node.quorum.high_watermark


class OfActiveLogs(OfTheCommittedLog):
    """A property that looks up what the logs of active controllers say."""

    active_logs: ActiveLogs
