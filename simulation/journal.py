"""The journal of a world: one row per event, with the same rows live and in virtual time.

Rows are numbered, and the journal stores the newest `ROWS_MAX`. It leaves out everything that may
differ between two runs of one seed: wall time, host and ports.
"""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice

from kraftsim.broker_agent.replication.followers import Truncated
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import LeaderChange
from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import Timeline

from .causes import Causes, partition_name
from .event_row import Detail, EventRow

ROWS_MAX = 100_000  # about an hour of a busy cluster; older rows are dropped


class Journal:
    """The newest rows of a world, and their listeners.

    `listeners` are called with every new row. `causes` finds the cause of a new row. `subjects` are
    the nodes of a user, by the names that their rows have.
    """

    def __init__(
        self, timeline: Timeline, *, run_id: str, seed: int | None, scenario: str = "live"
    ) -> None:
        self._timeline = timeline
        self._run_id, self._seed, self._scenario = run_id, seed, scenario
        self._rows: deque[EventRow] = deque(maxlen=ROWS_MAX)
        self.causes = Causes()
        self.subjects: dict[str, NodeId] = {}
        self.next_seq = 0
        self.listeners: list[Callable[[EventRow], None]] = []

    @property
    def last_seq(self) -> int:
        """The number of the newest row; -1 if there is none."""
        return self.next_seq - 1

    def since(self, seq: int, limit: int = ROWS_MAX) -> list[EventRow]:
        """Returns at most `limit` stored rows whose number is `seq` or higher."""
        if not self._rows or seq >= self.next_seq:
            return []
        skip = max(0, seq - self._rows[0].seq)
        return list(islice(self._rows, skip, skip + limit))

    def write(
        self,
        node: str,
        kind: str,
        *,
        broker_id: int | None = None,
        broker_epoch: int | None = None,
        leader_epoch: int | None = None,
        offset: int | None = None,
        cause_seq: int | None = None,
        fault_id: str | None = None,
        detail: Detail | None = None,
    ) -> EventRow:
        """Appends a row and passes it to the listeners.

        If `cause_seq` is None it is found by `causes`. If `fault_id` is None and a fault is
        just beginning or ending, the row gets that fault's id.
        """
        detail, doing = detail or {}, self.causes.doing
        about = self.subjects.get(node) or _subject(broker_id, detail)
        if fault_id is None and doing is not None:
            fault_id = doing.fault_id
        if cause_seq is None:
            cause_seq = self.causes.of(kind, about, detail.get("state"))
        row = EventRow(
            run_id=self._run_id,
            seed=self._seed,
            scenario=self._scenario,
            seq=self.next_seq,
            t_us=self._timeline.now_us,
            node=node,
            kind=kind,
            broker_id=broker_id,
            broker_epoch=broker_epoch,
            leader_epoch=leader_epoch,
            offset=offset,
            cause_seq=cause_seq,
            fault_id=fault_id,
            detail=detail,
        )
        self.next_seq += 1
        self._rows.append(row)
        self.causes.note(row, about)
        for listener in self.listeners:
            listener(row)
        return row

    def agent_state(self, broker_id: int, state: str) -> None:
        """Writes a new state of a broker's process."""
        detail: Detail = {"state": state}
        self.write(f"broker-{broker_id}", "agent_state", broker_id=broker_id, detail=detail)

    def clone_state(self, broker_id: int, host: int, state: str) -> None:
        """Writes a new state of a second process of a broker, on a host of its own."""
        detail: Detail = {"state": state, "broker_id": broker_id}
        self.write(f"broker-{broker_id}-on-{host}", "clone_state", detail=detail)

    def found(self, broker_id: int, rows: Iterable[tuple[str, list[object], int]]) -> None:
        """Writes which replicas on a broker's disk are no longer in the metadata."""
        for kind, names, count in rows:
            detail: Detail = {"replicas": names, "count": count}
            self.write(f"broker-{broker_id}", kind, broker_id=broker_id, detail=detail)

    def truncated(self, broker_id: int, partition: str, records: Truncated) -> None:
        """Writes which records a broker gave up that its leader has not got."""
        start = records.start
        detail: Detail = {
            "partition": partition,
            "from_offset": start,
            "records": records.end - start,
            "committed": records.committed - start,
        }
        self.write(
            f"broker-{broker_id}",
            "records_truncated",
            broker_id=broker_id,
            cause_seq=self.causes.of_truncation(broker_node(broker_id), partition),
            detail=detail,
        )

    def committed(self, batch: Batch, image: Image, node_id: int) -> None:
        """Writes the rows of a committed batch, under the controller `node_id` that reported it.

        Partition changes are written last. Their cause is the broker's change in the same batch; in
        a batch without such a change, a leader or an admin has requested them.
        """
        node, causes = f"controller-{node_id}", self.causes
        events: list[tuple[int, r.PartitionChangeRecord | None, _Event]] = []
        for offset, record in enumerate(batch.records, batch.base_offset):
            if isinstance(record, r.PartitionRecord):
                causes.note_partition(record)
            elif (event := _event_of(record, image)) is not None:
                change = record if isinstance(record, r.PartitionChangeRecord) else None
                events.append((offset, change, event))
        events.sort(key=lambda entry: entry[1] is not None)
        cause_seq: int | None = None
        for offset, change, event in events:
            request_seq = None
            if change is not None:
                request_seq = causes.of_partition(change, partition_name(event.detail))
            written = self.write(
                node,
                event.kind,
                broker_id=event.broker_id,
                broker_epoch=event.broker_epoch,
                leader_epoch=batch.epoch,
                offset=offset,
                cause_seq=request_seq if change is None or cause_seq is None else cause_seq,
                detail=event.detail,
            )
            if change is None:
                cause_seq = written.seq


def _subject(broker_id: int | None, detail: Detail) -> NodeId | None:
    """Returns the node that a row is about, or None if it is about no single node."""
    if broker_id is not None:
        return broker_node(broker_id)
    about = detail.get("leader_id", detail.get("controller_id"))
    return controller_node(about) if isinstance(about, int) else None


@value(kw_only=False)
class _Event:
    kind: str
    broker_id: int | None
    broker_epoch: int | None
    detail: Detail


def _event_of(record: object, image: Image) -> _Event | None:
    """Returns the event of a record; None for a record that is no event (NoOp, features)."""
    match record:
        case r.RegisterBrokerRecord():
            return _Event(
                "broker_registered", record.broker_id, record.broker_epoch, {"rack": record.rack}
            )
        case r.UnregisterBrokerRecord():
            return _Event("broker_unregistered", record.broker_id, record.broker_epoch, {})
        case r.BrokerRegistrationChangeRecord():
            kind = _change_kind(record)
            if kind is None:
                return None
            return _Event(kind, record.broker_id, record.broker_epoch, {})
        case r.FenceBrokerRecord() | r.UnfenceBrokerRecord():
            fences = isinstance(record, r.FenceBrokerRecord)
            return _Event(
                "broker_fenced" if fences else "broker_unfenced", record.id, record.epoch, {}
            )
        case r.TopicRecord():
            return _Event("topic_created", None, None, {"topic": record.name})
        case r.RemoveTopicRecord():
            return _Event("topic_deleted", None, None, {"topic_id": record.topic_id.hex()})
        case r.PartitionChangeRecord():
            return _Event("partition_changed", None, None, _partition_detail(record, image))
        case LeaderChange():
            return _Event("controller_elected", None, None, _election_detail(record))
        case _:
            return None


def run_id_of(cluster_id: str, seed: int | None) -> str:
    """Returns the id of a run of a cluster."""
    return cluster_id if seed is None else f"{cluster_id}-{seed}"


def _change_kind(record: r.BrokerRegistrationChangeRecord) -> str | None:
    if record.fenced == r.FENCE:
        return "broker_fenced"
    if record.fenced == r.UNFENCE:
        return "broker_unfenced"
    if record.in_controlled_shutdown == r.IN_CONTROLLED_SHUTDOWN:
        return "broker_in_controlled_shutdown"
    return None


def _election_detail(record: LeaderChange) -> Detail:
    return {"leader_id": record.leader_id, "granting_voters": list(record.granting_voters)}


def _partition_detail(record: r.PartitionChangeRecord, image: Image) -> Detail:
    topic = image.topics.get(record.topic_id)
    detail: dict[str, object] = {
        "topic": topic.name if topic else record.topic_id.hex(),
        "partition": record.partition_id,
    }
    if record.leader != r.NO_LEADER_CHANGE:
        detail["leader"] = record.leader
    if record.isr is not None:
        detail["isr"] = list(record.isr)
    return detail
