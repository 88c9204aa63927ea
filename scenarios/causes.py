"""What led to a row of the journal: the newest thing that befell the same node, or whoever it
relied on. Kept while rows are written, so that a chain can be walked from rows alone (design 4.4).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .journal import Detail, EventRow

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
        self._newest: dict[int, EventRow] = {}  # by node, the newest row about it
        self._gone: dict[int, EventRow] = {}  # by node, why it says nothing now
        self._stood: dict[int, int] = {}  # by controller, when it stood for election last
        self._expired: dict[int, int] = {}  # by broker, when its lease was found to be over
        self._isrs: dict[tuple[object, object], list[int]] = {}  # by partition, as it was last told
        self._leader_id: int | None = None

    def of(self, kind: str, node_id: int | None, state: object = None) -> int | None:
        """The row that causes one of this kind about this node (which is in this state then); None
        where none is known."""
        if self.doing is not None:
            return self.doing.seq
        if node_id is None:
            return None
        match kind:
            case "lease_expired" | "controller_resigns":
                return _seq(self._trouble(node_id))
            case "controller_stands":
                trouble = self._trouble(self._leader_id) or self._trouble(node_id)
                return _seq(trouble or self._newest.get(node_id))
            case "controller_elected":
                return self._stood.get(node_id)
            case "broker_fenced" if node_id in self._expired:
                return self._expired.pop(node_id)
            case _ if state in FROM_OUTSIDE and not self._is_leaving(node_id):
                newest = self._newest.get(node_id)
                return newest.seq if newest is not None and newest.kind in FAULTS else None
            case _:
                return _seq(self._newest.get(node_id))

    def of_partition(self, detail: "Detail") -> int | None:
        """The row that causes a change of a partition alone. A leader asks for one (AlterPartition)
        when somebody is back, or has fallen behind: it comes of the newest about those."""
        isr = detail.get("isr")
        if not isinstance(isr, list):
            return None
        key = detail.get("topic"), detail.get("partition")
        before, self._isrs[key] = self._isrs.get(key, []), isr
        moved = {*isr} - {*before} or {*before} - {*isr}
        seqs = [self._newest[one].seq for one in moved if one in self._newest]
        return max(seqs, default=None)

    def note(self, row: "EventRow", node_id: int | None) -> None:
        """`row` has been written; what comes later may come of it."""
        if node_id is None:
            return
        self._newest[node_id] = row
        if "state" in row.detail:
            self._gone.pop(node_id, None)
            if row.detail["state"] in GONE:
                self._gone[node_id] = row
        if row.kind == "controller_stands":
            self._stood[node_id] = row.seq
        elif row.kind == "controller_elected":
            self._leader_id = node_id
        elif row.kind == "lease_expired":
            self._expired[node_id] = row.seq

    def befalls(self, row: "EventRow", nodes: Iterable[int]) -> None:
        """A fault that `row` tells of strikes these, or is over for them."""
        for node_id in nodes:
            newest = self._newest.get(node_id)
            if newest is None or newest.cause_seq != row.seq:
                self._newest[node_id] = row

    def _is_leaving(self, node_id: int) -> bool:
        newest = self._newest.get(node_id)
        return newest is not None and newest.detail.get("state") in LEAVING

    def _trouble(self, node_id: int | None) -> "EventRow | None":
        """Why it may have fallen silent: it is gone, or a fault has befallen it lately."""
        if node_id is None:
            return None
        row = self._gone.get(node_id) or self._newest.get(node_id)
        is_trouble = row is not None and row.kind in (*FAULTS, "controller_resigns")
        return row if is_trouble or node_id in self._gone else None


def _seq(row: "EventRow | None") -> int | None:
    return None if row is None else row.seq
