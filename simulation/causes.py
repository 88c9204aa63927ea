"""Finds the cause of a journal row: the newest row about the same node or about the leader.

Causes are found while rows are written, so that a chain can be followed from the rows alone.
"""

from collections.abc import Iterable
from typing import Final

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.log import records as r
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
KEEPS_SILENCE: Final = (None, ProcessState.STARTING)  # a process renews no lease while it starts
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
        self._isrs: dict[PartitionKey, tuple[int, ...]] = {}  # the last one of each partition
        self._led: dict[str, int] = {}  # seq of the row with the last leader, by partition's name
        self._asked: dict[str, int] = {}  # seq of an admin's request without a reply, by API
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

    def of_partition(self, change: r.PartitionChangeRecord, partition: str) -> int | None:
        """Returns the seq of the row that causes a change of a partition, named `partition`.

        That is, of a change that no other record of its batch explains.

        An admin asks for other replicas or another leader. A leader asks for another ISR
        (AlterPartition) when a replica has caught up or has fallen behind, which can end a
        reassignment; then the cause is the newest row about the brokers that joined or left. A
        leader that has recovered asks for the same ISR, and its election is the cause.
        """
        key = change.topic_id, change.partition_id
        before = self._isrs.get(key, ())
        after = before if change.isr is None else change.isr
        self._isrs[key] = after
        joined, left = {*after} - {*before}, {*before} - {*after}
        if change.replicas is not None and not joined:
            return self._asked.get("AlterPartitionReassignments")
        if change.replicas is None and change.leader != r.NO_LEADER_CHANGE:
            return self._asked.get("ElectLeaders")
        if not joined | left:
            return self._led.get(partition)
        about = (self._newest.get(broker_node(broker_id)) for broker_id in joined or left)
        seqs = [row.seq for row in about if row is not None]
        return max(seqs, default=None)

    def newest(self, node: NodeId) -> EventRow | None:
        """Returns the newest row about a node; None if there is none."""
        return self._newest.get(node)

    def of_truncation(self, node: NodeId, partition: str) -> int | None:
        """Returns the seq of the row that causes a broker to cut its log of a partition.

        A follower cuts what its leader lacks, so the cause is the election of that leader.
        """
        return self._led.get(partition, self.of("records_truncated", node))

    def note_asked(self, api: str) -> None:
        """Notes that the fault that is being carried out sends an admin's request."""
        if self.doing is not None:
            self._asked[api] = self.doing.seq

    def note_answered(self, api: str) -> None:
        """Notes that an admin's request has its reply."""
        self._asked.pop(api, None)

    def note_partition(self, record: r.PartitionRecord) -> None:
        """Notes the ISR of a new partition."""
        self._isrs[record.topic_id, record.partition_id] = record.isr

    def note(self, row: EventRow, node: NodeId | None) -> None:
        """Records `row`, which is about `node`, as a possible cause of later rows."""
        if row.kind == "partition_changed" and "leader" in row.detail:
            self._led[partition_name(row.detail)] = row.seq
        if node is None or row.kind == "records_truncated":
            return
        self._newest[node] = row
        state = row.detail.get("state")
        if state in SILENT_STATES:
            self._silenced_by[node] = row
        elif state not in KEEPS_SILENCE:
            self._silenced_by.pop(node, None)
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


def partition_name(detail: Detail) -> str:
    """Returns the name of the partition that a row is about, as `orders-0`."""
    return f"{detail['topic']}-{detail['partition']}"


def _seq(row: "EventRow | None") -> int | None:
    return None if row is None else row.seq
