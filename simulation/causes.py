"""Finds the cause of a journal row: the newest row about the same node or about the leader.

Causes are found while rows are written, so that a chain can be followed from the rows alone.
"""

from collections.abc import Iterable
from typing import Final

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import NodeId, broker_node

from .event_row import Detail, EventRow

SILENT_STATES: Final = (ProcessState.NOT_RUNNING, ProcessState.PAUSED, ProcessState.SHUTTING_DOWN)
LEAVING: Final = (ProcessState.PENDING_CONTROLLED_SHUTDOWN, ProcessState.SHUTTING_DOWN)
FROM_OUTSIDE: Final = (
    ProcessState.STARTING,
    ProcessState.NOT_RUNNING,
    ProcessState.PAUSED,
    ProcessState.PENDING_CONTROLLED_SHUTDOWN,
)
"""States that a process does not enter by itself, except when it is leaving."""
FAULTS: Final = ("fault_begins", "fault_ends")


class Causes:
    """Remembers the newest rows about each node, to find the cause of the next row.

    `doing` is the row of the fault or repair that is being carried out; it is the cause of every
    row that is written in the meantime.
    """

    def __init__(self) -> None:
        self.doing: EventRow | None = None
        self._newest: dict[NodeId, EventRow] = {}  # newest row about the node
        self._silenced_by: dict[NodeId, EventRow] = {}  # why the node is silent now
        self._stood: dict[NodeId, int] = {}  # seq of its last candidacy
        self._expired: dict[NodeId, int] = {}  # seq of its expired lease
        self._isrs: dict[tuple[object, object], list[int]] = {}  # last known ISR, by partition
        self._leader: NodeId | None = None

    def of(self, kind: str, node: NodeId | None, state: object = None) -> int | None:
        """Returns the seq of the row that causes the next row, or None if none is known.

        The next row is of `kind`, is about `node`, and reports that the node is in `state`.
        """
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
        """Returns the seq of the row that causes a partition change that no other record explains.

        A leader asks for such a change (AlterPartition) when a replica has caught up or has
        fallen behind, so the cause is the newest row about the brokers that joined or left
        the ISR.
        """
        isr = detail.get("isr")
        if not isinstance(isr, list):
            return None
        key = detail.get("topic"), detail.get("partition")
        before, self._isrs[key] = self._isrs.get(key, []), isr
        moved = {*isr} - {*before} or {*before} - {*isr}
        about = (self._newest.get(broker_node(broker_id)) for broker_id in moved)
        seqs = [row.seq for row in about if row is not None]
        return max(seqs, default=None)

    def note(self, row: EventRow, node: NodeId | None) -> None:
        """Records `row`, which is about `node`, as a possible cause of later rows."""
        if node is None:
            return
        self._newest[node] = row
        if "state" in row.detail:
            self._silenced_by.pop(node, None)
            if row.detail["state"] in SILENT_STATES:
                self._silenced_by[node] = row
        if row.kind == "controller_stands":
            self._stood[node] = row.seq
        elif row.kind == "controller_elected":
            self._leader = node
        elif row.kind == "lease_expired":
            self._expired[node] = row.seq

    def note_fault(self, row: EventRow, nodes: Iterable[NodeId]) -> None:
        """Makes `row`, the begin or end of a fault, the newest row about each of `nodes`."""
        for node in nodes:
            newest = self._newest.get(node)
            if newest is None or newest.cause_seq != row.seq:
                self._newest[node] = row

    def _is_leaving(self, node: NodeId) -> bool:
        newest = self._newest.get(node)
        return newest is not None and newest.detail.get("state") in LEAVING

    def _trouble(self, node: NodeId | None) -> "EventRow | None":
        """Returns the row that explains the silence of `node`: the end of a process, or a fault."""
        if node is None:
            return None
        row = self._silenced_by.get(node) or self._newest.get(node)
        is_trouble = row is not None and row.kind in (*FAULTS, "controller_resigns")
        return row if is_trouble or node in self._silenced_by else None


def _seq(row: "EventRow | None") -> int | None:
    return None if row is None else row.seq
