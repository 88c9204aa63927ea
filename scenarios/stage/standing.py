"""Tells what a step of a controller changed, by what the step before had left."""

from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn


class Standing:
    """A controller's process as its last step left it, and before its first step.

    Each of the methods compares one part of it with the process now, and remembers that part.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.role: type | None = None
        self._epoch, self._leader_id = -1, -1
        self._durable = node.quorum.durable
        self._active = node.active
        self._high_watermark, self._offset = 0, -1

    def has_moved(self) -> bool:
        """Returns True if the epoch, role, leader, vote or activity has changed."""
        node = self.node
        quorum, active = node.quorum, node.active
        role, durable = type(quorum.role), quorum.durable
        if (
            role is self.role
            and quorum.epoch == self._epoch
            and quorum.leader_id == self._leader_id
            and durable is self._durable
            and active is self._active
        ):
            return False
        self.role, self._durable, self._active = role, durable, active
        self._epoch, self._leader_id = quorum.epoch, quorum.leader_id
        return True

    def has_loaded(self) -> bool:
        """Returns True if the committed image has changed."""
        before, self._offset = self._offset, self.node.committed.offset
        return before != self._offset

    def has_advanced(self) -> bool:
        """Returns True if the high watermark has changed."""
        before, self._high_watermark = self._high_watermark, self.node.quorum.high_watermark
        return before != self._high_watermark


def is_idle(turn: Turn) -> bool:
    """Returns True if a step only appended a NoOpRecord, as an idle leader does (rule 0A.14)."""
    if len(turn.persist) != 1 or turn.truncate_to is not None or turn.snapshot is not None:
        return False
    records = turn.persist[0].records
    return len(records) == 1 and isinstance(records[0], NoOpRecord)
