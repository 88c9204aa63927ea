"""What led to a row of the journal: the newest thing that befell the same node, or whoever it
relied on. Kept while rows are written, so that a chain can be walked from rows alone.
"""

from collections.abc import Iterable
from typing import Final

from kraftsim.controller.core.node_id import NodeId, broker_node

from .event_row import Detail, EventRow

GONE: Final = ("NOT_RUNNING", "PAUSED", "SHUTTING_DOWN")
LEAVING: Final = ("PENDING_CONTROLLED_SHUTDOWN", "SHUTTING_DOWN")
FROM_OUTSIDE: Final = ("STARTING", "NOT_RUNNING", "PAUSED", "PENDING_CONTROLLED_SHUTDOWN")
"""States into which nobody comes by itself, but who leaves."""
FAULTS: Final = ("fault_begins", "fault_ends")


class Causes:
    """`doing`: the row of what a person does, while it is done: all that is written meanwhile comes
    of it."""

    def __init__(self) -> None:
        self.doing: EventRow | None = None
        self._newest: dict[NodeId, EventRow] = {}  # the newest row about it
        self._gone: dict[NodeId, EventRow] = {}  # why it says nothing now
        self._stood: dict[NodeId, int] = {}  # when it stood for election last
        self._expired: dict[NodeId, int] = {}  # when its lease was found to be over
        self._isrs: dict[tuple[object, object], list[int]] = {}  # by partition, as it was last told
        self._leader: NodeId | None = None

    def of(self, kind: str, node: NodeId | None, state: object = None) -> int | None:
        """The row that causes one of this kind about this node (which is in this state then); None
        where none is known."""
        if self.doing is not None:
            return self.doing.seq
        if node is None:
            return None
        match kind:
            case "lease_expired" | "controller_resigns":
                return _seq(self._trouble(node))
            case "controller_stands":
                trouble = self._trouble(self._leader) or self._trouble(node)
                return _seq(trouble or self._newest.get(node))
            case "controller_elected":
                return self._stood.get(node)
            case "broker_fenced" if node in self._expired:
                return self._expired.pop(node)
            case _ if state in FROM_OUTSIDE and not self._is_leaving(node):
                newest = self._newest.get(node)
                return newest.seq if newest is not None and newest.kind in FAULTS else None
            case _:
                return _seq(self._newest.get(node))

    def of_partition(self, detail: Detail) -> int | None:
        """The row that causes a change of a partition alone. A leader asks for one (AlterPartition)
        when somebody is back, or has fallen behind: it comes of the newest about those."""
        isr = detail.get("isr")
        if not isinstance(isr, list):
            return None
        key = detail.get("topic"), detail.get("partition")
        before, self._isrs[key] = self._isrs.get(key, []), isr
        moved = {*isr} - {*before} or {*before} - {*isr}
        about = (self._newest.get(broker_node(one)) for one in moved)
        seqs = [row.seq for row in about if row is not None]
        return max(seqs, default=None)

    def note(self, row: EventRow, node: NodeId | None) -> None:
        """`row` has been written; what comes later may come of it."""
        if node is None:
            return
        self._newest[node] = row
        if "state" in row.detail:
            self._gone.pop(node, None)
            if row.detail["state"] in GONE:
                self._gone[node] = row
        if row.kind == "controller_stands":
            self._stood[node] = row.seq
        elif row.kind == "controller_elected":
            self._leader = node
        elif row.kind == "lease_expired":
            self._expired[node] = row.seq

    def befalls(self, row: EventRow, nodes: Iterable[NodeId]) -> None:
        """A fault that `row` tells of strikes these, or is over for them."""
        for node in nodes:
            newest = self._newest.get(node)
            if newest is None or newest.cause_seq != row.seq:
                self._newest[node] = row

    def _is_leaving(self, node: NodeId) -> bool:
        newest = self._newest.get(node)
        return newest is not None and newest.detail.get("state") in LEAVING

    def _trouble(self, node: NodeId | None) -> "EventRow | None":
        """Why it may have fallen silent: it is gone, or a fault has befallen it lately."""
        if node is None:
            return None
        row = self._gone.get(node) or self._newest.get(node)
        is_trouble = row is not None and row.kind in (*FAULTS, "controller_resigns")
        return row if is_trouble or node in self._gone else None


def _seq(row: "EventRow | None") -> int | None:
    return None if row is None else row.seq
