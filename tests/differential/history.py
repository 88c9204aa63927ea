"""What one side has written so far: enough to name its epochs and ids, and to resolve symbols.

It folds records by itself and not with the image of kraftsim, which is being judged.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from kraftsim.controller.core.log.batch import Batch, Voters
from kraftsim.controller.core.log.records import (
    NO_LEADER_CHANGE,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    TopicRecord,
)
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, uuid_text

UNKNOWN_TOPIC: Uuid = b"unknown topic id"


@dataclass(slots=True)
class PartitionSeen:
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int = 0
    partition_epoch: int = 0


_NO_PARTITION = PartitionSeen((), (), -1)


@dataclass(slots=True)
class History:
    end_offset: int = 0
    epochs: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    register_offsets: dict[int, int] = field(default_factory=dict)
    topic_ids: dict[str, list[Uuid]] = field(default_factory=lambda: defaultdict(list))
    controllers: set[int] = field(default_factory=set)
    directories: dict[int, Uuid] = field(default_factory=dict)
    quorum_epoch: int = 0
    partitions: dict[tuple[Uuid, int], PartitionSeen] = field(default_factory=dict)
    _epoch_names: dict[int, str] = field(default_factory=dict)
    _topic_names: dict[str, str] = field(default_factory=dict)

    def follow(self, batches: list[Batch]) -> None:
        for batch in batches:
            self.end_offset = batch.last_offset + 1
            self.quorum_epoch = batch.epoch
            for offset, record in enumerate(batch.records, batch.base_offset):
                self._follow(record, offset)

    def _follow(self, record: Any, offset: int) -> None:
        match record:
            case RegisterBrokerRecord():
                self._registered(record, offset)
            case RegisterControllerRecord():
                self.controllers.add(record.controller_id)
            case Voters():
                self.directories |= {v.voter_id: v.voter_directory_id for v in record.voters}
            case TopicRecord():
                ids = self.topic_ids[record.name]
                ids.append(record.topic_id)
                self._topic_names[uuid_text(record.topic_id)] = f"topic {record.name}/{len(ids)}"
            case PartitionRecord():
                self.partitions[record.topic_id, record.partition_id] = PartitionSeen(
                    record.replicas, record.isr, record.leader
                )
            case PartitionChangeRecord():
                self._changed(record)

    def _registered(self, record: RegisterBrokerRecord, offset: int) -> None:
        epochs = self.epochs[record.broker_id]
        self.register_offsets[record.broker_id] = offset
        if record.broker_epoch not in epochs[-1:]:
            epochs.append(record.broker_epoch)
            name = f"epoch {len(epochs)} of broker {record.broker_id}"
            self._epoch_names[record.broker_epoch] = name

    def _changed(self, record: PartitionChangeRecord) -> None:
        partition = self.partitions[record.topic_id, record.partition_id]
        partition.partition_epoch += 1
        if record.isr is not None:
            partition.isr = record.isr
        if record.replicas is not None:
            partition.replicas = record.replicas
        if record.leader != NO_LEADER_CHANGE:
            partition.leader = record.leader
            partition.leader_epoch += 1

    # Names that are the same on both sides

    def epoch_name(self, epoch: int) -> object:
        return self._epoch_names.get(epoch, epoch)

    def topic_name(self, topic_id: str) -> str:
        is_asked = topic_id in (uuid_text(ZERO_UUID), uuid_text(UNKNOWN_TOPIC))
        return self._topic_names.get(topic_id, topic_id if is_asked else "an id of no topic")

    # What symbols ask for

    def epoch(self, broker_id: int, place: int = -1) -> int:
        """The broker's epoch at `place` of its epochs, -1 for the newest; -1 if there is none."""
        epochs = self.epochs.get(broker_id, [])
        return epochs[place] if -len(epochs) <= place < len(epochs) else -1

    def topic_id(self, name: str) -> Uuid:
        if name == "":
            return ZERO_UUID
        ids = self.topic_ids.get(name)
        return ids[-1] if ids else UNKNOWN_TOPIC

    def partition(self, name: str, index: int) -> PartitionSeen:
        return self.partitions.get((self.topic_id(name), index), _NO_PARTITION)
