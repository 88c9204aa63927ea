"""The behaviours of a run: what its nodes did, after what, and in which shapes of logs and ISRs.

A behaviour is the hash of a small tuple, so that the sets of many runs can be compared and stored.
Most are an event of a node after the four events before it; an event that repeats itself counts
once, so that an idle cluster shows nothing:

step        a controller's role, whether its log has a tail that is not durable, and what the step
            did: a vote, an append, a truncation, a snapshot, a commit, requests to other voters
message     API of a request of another controller, and role of the receiver
reply       API and outcome of a reply to a node: its error, a granted vote, a divergence of logs
row         kind of a row of the journal about a broker or a controller, and the state in it
partition   sizes of replicas, ISR and ELR, whether there is a leader and whether it recovers
logs        how far each voter's log is behind the leader's when leadership changes
batch       the types of the records of a committed batch

Faults and requests of an administrator are no behaviours: a search that draws more of them has not
found anything yet.
"""

from functools import lru_cache
from struct import Struct
from typing import cast
from zlib import crc32

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .outcomes import outcome_of

BITS = 24  # a run of the swarm has some thousand behaviours, a long hunt some ten thousand
KEYS_MAX = 200_000  # hashes that are kept, to compute each once
LAG_STEPS = (0, 1, 3, 10, 100)  # lags of logs are alike within these bounds, in records
INPUTS = frozenset(("fault_begins", "fault_ends", "calm_begins", "admin_refused"))
BEFORE = 4  # events before an event that make a behaviour of it
NOTHING = (0,) * BEFORE  # the numbers of events that were not
_NUMBERS = Struct(f">{BEFORE + 2}I")


@lru_cache(KEYS_MAX)
def number_of(key: tuple[object, ...]) -> int:
    """Returns the number of a behaviour or of an event, the same in every process."""
    return crc32(repr(key).encode()) >> (32 - BITS)


def number_of_sequence(kind: object, before: tuple[int, ...], event: int) -> int:
    """Returns the number of an event after others.

    Few events are different, and most sequences of them: a copy of a process (`branches.py`) has
    no time to learn their numbers by heart.
    """
    return crc32(_NUMBERS.pack(number_of((kind,)), *before, event)) >> (32 - BITS)


class Coverage:
    """Collects the behaviours of a world that has not started.

    `first_us` maps each behaviour to the time at which it was first shown, in microseconds.
    `arrived` is the number of messages that arrived.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.first_us: dict[int, int] = {}
        self.arrived = 0
        self._previous: dict[object, tuple[int, ...]] = {}
        self._epoch = -1
        self._end_offset = 0
        world.step_listeners.append(self._on_step)
        world.network.arrived.append(self._on_arrived)
        world.journal.listeners.append(self._on_row)
        world.committed_listeners.append(self._on_committed)

    def _show(self, *key: object) -> None:
        self._show_number(number_of(key))

    def _show_number(self, number: int) -> None:
        if number not in self.first_us:
            self.first_us[number] = self._world.timeline.now_us

    def _after_previous(self, subject: tuple[object, ...], event: tuple[object, ...]) -> None:
        """Counts the event with the last four different events of its subject as one behaviour."""
        before, number = self._previous.get(subject, NOTHING), number_of(event)
        if number != before[-1]:
            self._show_number(number_of_sequence(subject[0], before, number))
            self._previous[subject] = (*before[1:], number)

    def _on_step(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        event = (
            type(quorum.role).__name__,
            node.active is not None,
            quorum.persisted_offset < quorum.log.end_offset,
            turn.election is not None,
            bool(turn.persist),
            turn.truncate_to is not None,
            turn.snapshot is not None,
            bool(turn.committed),
            *sorted({type(send.request).__name__ for send in turn.sends}),
        )
        self._after_previous(("step", quorum.me.node_id), event)
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
        self.arrived += 1
        name = type(message.request).__name__
        if message.is_reply:
            event = name, outcome_of(message.reply)
            if message.receiver.kind is Kind.OUTSIDE:  # the order of its requests is an input
                self._show("reply", *event)
            else:
                self._after_previous(("reply", message.receiver), event)
        elif message.sender.kind is Kind.CONTROLLER:
            receiver = self._world.controller_of(message.receiver)
            if receiver is not None:
                role = type(receiver.node.quorum.role).__name__
                self._after_previous(("message", message.receiver), (name, role))

    def _on_row(self, row: EventRow) -> None:
        if row.kind == "partition_changed":
            self._show_partition(str(row.detail["topic"]), row.detail["partition"])
        elif row.kind not in INPUTS:
            about = row.node if row.broker_id is None else row.broker_id
            self._after_previous(("row", about), (row.kind, row.detail.get("state")))

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
