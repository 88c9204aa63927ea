"""Changes of partitions, with the state before each change.

Rows of the journal have only what a record sets; the state before it comes from the committed log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kraftsim.controller.core.image.partition import Partition, PartitionKey, changed, partition_of
from kraftsim.controller.core.log.records import PartitionChangeRecord, PartitionRecord, TopicRecord
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World


@dataclass(frozen=True, slots=True)
class PartitionState:
    """What a story tells of a partition; None is unknown."""

    leader: int | None = None
    isr: tuple[int, ...] | None = None
    elr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None
    leader_epoch: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """A partition before and after a PartitionChangeRecord."""

    topic: str
    partition: int
    before: PartitionState
    after: PartitionState

    @property
    def name(self) -> str:
        """The topic and the number of the partition: `orders-3`."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True)
class PartitionLog:
    """The changes of partitions by the offset of their records, and the names of topics by id."""

    changes: Mapping[int, PartitionChange]
    topics: Mapping[Uuid, str]


def read_partitions(world: World, rows: Iterable[EventRow]) -> PartitionLog:
    """Returns the changes of partitions in the committed log of a world.

    The log of a long run begins at a snapshot. Changes before its start offset come from `rows`:
    of the first such change of a partition, the state before is unknown.
    """
    names, partitions = _at_start(world)
    changes = _changes_in(rows, world.committed_log.start_offset)
    for batch in tuple(world.committed_log.batches):
        for offset, record in enumerate(batch.records, batch.base_offset):
            match record:
                case TopicRecord():
                    names[record.topic_id] = record.name
                case PartitionRecord():
                    partitions[record.topic_id, record.partition_id] = partition_of(record)
                case PartitionChangeRecord():
                    key = record.topic_id, record.partition_id
                    before = partitions[key]
                    after = partitions[key] = changed(before, record)
                    changes[offset] = PartitionChange(
                        names[key[0]], key[1], _state(before), _state(after)
                    )
    return PartitionLog(changes, names)


def _at_start(world: World) -> tuple[dict[Uuid, str], dict[PartitionKey, Partition]]:
    """Returns the names of topics, and the partitions, at the start offset of the log."""
    start_offset = world.committed_log.start_offset
    topics = world.history.at(start_offset - 1).topics if start_offset else {}
    return (
        {topic_id: topic.name for topic_id, topic in topics.items()},
        {
            (topic_id, number): partition
            for topic_id, topic in topics.items()
            for number, partition in topic.partitions.items()
        },
    )


def _changes_in(rows: Iterable[EventRow], end_offset: int) -> dict[int, PartitionChange]:
    """Returns the changes below `end_offset` as the rows have them."""
    states: dict[tuple[str, int], PartitionState] = {}
    changes: dict[int, PartitionChange] = {}
    for row in rows:
        if row.kind != "partition_changed" or row.offset is None or row.offset >= end_offset:
            continue
        topic, partition = str(row.detail["topic"]), row.detail["partition"]
        assert isinstance(partition, int), row
        before = states.get((topic, partition), PartitionState())
        after = states[topic, partition] = _after(row, before)
        changes[row.offset] = PartitionChange(topic, partition, before, after)
    return changes


def _after(row: EventRow, before: PartitionState) -> PartitionState:
    leader, isr = row.detail.get("leader"), row.detail.get("isr")
    after = replace(before, leader=leader) if isinstance(leader, int) else before
    return replace(after, isr=tuple(isr)) if isinstance(isr, list) else after


def _state(partition: Partition) -> PartitionState:
    return PartitionState(
        leader=partition.leader,
        isr=partition.isr,
        elr=partition.elr,
        replicas=partition.replicas,
        leader_epoch=partition.leader_epoch,
    )
