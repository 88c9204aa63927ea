"""The behaviours of a run: what its nodes did, after what, and in which shapes of logs and ISRs.

A behaviour is the hash of a small tuple, so that the sets of many runs can be compared and stored:

step        role of a controller, what the step did, and what its previous step did
message     API, error of the reply, and role of the receiver
journal     kind of a row, state in it, and the kind of the previous row about the same node
partition   sizes of replicas, ISR and ELR, whether there is a leader and whether it recovers
logs        how far each voter's log is behind the leader's when leadership changes
"""

from functools import lru_cache
from typing import cast
from zlib import crc32

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

BITS = 22  # a run of the swarm has some thousand behaviours, a long hunt some ten thousand
KEYS_MAX = 200_000  # hashes that are kept, to compute each once
LAG_STEPS = (0, 1, 3, 10, 100)  # lags of logs are alike within these bounds, in records
FAULTS = frozenset(("fault_begins", "fault_ends", "admin_refused"))


@lru_cache(KEYS_MAX)
def number_of(key: tuple[object, ...]) -> int:
    """Returns the number of a behaviour, the same in every process."""
    return crc32(repr(key).encode()) >> (32 - BITS)


class Coverage:
    """Collects the behaviours of a world that has not started.

    `first_us` maps each behaviour to the time at which it was first shown, in microseconds.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.first_us: dict[int, int] = {}
        self._previous: dict[object, object] = {}
        self._epoch = -1
        self._end_offset = 0
        world.step_listeners.append(self._on_step)
        world.network.arrived.append(self._on_arrived)
        world.journal.listeners.append(self._on_row)
        world.committed_listeners.append(self._on_committed)

    def _show(self, *key: object) -> None:
        number = number_of(key)
        if number not in self.first_us:
            self.first_us[number] = self._world.timeline.now_us

    def _after_previous(self, subject: object, event: object) -> None:
        """Shows the event after the previous event of the same subject."""
        kind = subject[0] if isinstance(subject, tuple) else subject
        self._show(kind, self._previous.get(subject), event)
        self._previous[subject] = event

    def _on_step(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        event = (
            type(quorum.role).__name__,
            bool(turn.persist),
            turn.truncate_to is not None,
            turn.snapshot is not None,
            node.active is not None,
            quorum.durable.voted is not None,
        )
        me = quorum.me.node_id
        if self._previous.get(("step", me)) != event:
            self._after_previous(("step", me), event)
        if quorum.is_leader and quorum.epoch > self._epoch:
            self._epoch = quorum.epoch
            self._show_logs(node)

    def _show_logs(self, leader: Node) -> None:
        end = leader.log.end_offset
        lags = [
            (_lag(end - process.node.log.end_offset), process.is_running)
            for node_id, process in sorted(self._world.controllers.items())
            if process.node is not leader
        ]
        self._show("logs", *sorted(lags))

    def _on_arrived(self, message: Message) -> None:
        name = type(message.request).__name__
        if not message.is_reply:
            receiver = self._world.controller_of(message.receiver)
            if receiver is not None and message.sender.kind is Kind.CONTROLLER:
                event = (name, type(receiver.node.quorum.role).__name__)
                self._after_previous(("message", message.receiver.number), event)
            return
        reply = message.reply
        self._show("reply", name, getattr(reply, "code", getattr(reply, "error_code", None)))

    def _on_row(self, row: EventRow) -> None:
        detail = row.detail
        if row.kind in FAULTS:
            self._after_previous("fault", (row.kind, detail.get("verb", detail.get("error"))))
            return
        event = (row.kind, detail.get("state"))
        if row.broker_id is not None:
            self._after_previous(("broker", row.broker_id), event)
        elif row.kind == "partition_changed":
            self._show_partition(str(detail["topic"]), detail["partition"])
        else:
            self._after_previous(("row", row.node), event)

    def _show_partition(self, topic: str, number: object) -> None:
        image = self._world.committed
        found = image.topics.get(image.topic_ids.get(topic, b""))
        partition = None if found is None else found.partitions.get(cast(int, number))
        if partition is None:  # deleted in the same batch
            return
        shape = (
            len(partition.replicas),
            len(partition.isr),
            len(partition.elr),
            partition.leader >= 0,
            partition.leader_recovery_state,
            bool(partition.adding_replicas or partition.removing_replicas),
        )
        self._after_previous(("partition", topic, number), shape)

    def _on_committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset >= self._end_offset:
            self._end_offset = batch.last_offset + 1
            self._show("batch", *sorted({type(record).__name__ for record in batch.records}))


def _lag(records: int) -> int:
    """Returns the bound that a lag does not exceed; negative lags are one kind."""
    if records < 0:
        return -1
    return next((step for step in LAG_STEPS if records <= step), LAG_STEPS[-1] + 1)
