"""What one side has written so far: enough to name its epochs and ids, and to resolve symbols.

A symbol means the same after other sequences as on a new controller: deleted topics, and the
brokers of a sequence once none of them is registered, are forgotten. Their names are not.

It folds records by itself and not with the image of kraftsim, which is being judged.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.log.records import (
    NO_LEADER_CHANGE,
    AccessControlEntryRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnregisterBrokerRecord,
)
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, uuid_text

UNKNOWN_TOPIC: Uuid = b"unknown topic id"
IDS_EACH = 10  # ids of brokers that each of the sequences side by side has for itself


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
    second_port: int = 0  # of the second controller; 0: there is none
    epochs: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    register_offsets: dict[int, int] = field(default_factory=dict)
    topic_ids: dict[str, Uuid] = field(default_factory=dict)
    controllers: set[int] = field(default_factory=set)
    directories: dict[int, Uuid] = field(default_factory=dict)
    quorum_epoch: int = 0
    partitions: dict[tuple[Uuid, int], PartitionSeen] = field(default_factory=dict)
    _registered: set[int] = field(default_factory=set)
    _epoch_names: dict[int, str] = field(default_factory=dict)
    _topic_names: dict[str, str] = field(default_factory=dict)
    _acl_names: dict[str, str] = field(default_factory=dict)
    _epochs_made: Counter[int] = field(default_factory=Counter)
    _topics_made: Counter[str] = field(default_factory=Counter)

    def follow(self, batches: list[Batch]) -> None:
        for batch in batches:
            self.end_offset = batch.last_offset + 1
            self.quorum_epoch = batch.epoch
            for offset, record in enumerate(batch.records, batch.base_offset):
                self._follow(record, offset)

    def _follow(self, record: Any, offset: int) -> None:
        match record:
            case RegisterBrokerRecord():
                self._note_registration(record, offset)
            case UnregisterBrokerRecord():
                self._note_unregistration(record.broker_id)
            case RegisterControllerRecord():
                self.controllers.add(record.controller_id)
            case Voters():
                self.directories |= {v.voter_id: v.voter_directory_id for v in record.voters}
            case TopicRecord():
                self._note_topic(record)
            case AccessControlEntryRecord():
                name = str(replace(record, id=ZERO_UUID))
                self._acl_names[uuid_text(record.id)] = name
            case RemoveTopicRecord():
                self._forget_topic(record.topic_id)
            case PartitionRecord():
                self.partitions[record.topic_id, record.partition_id] = PartitionSeen(
                    record.replicas, record.isr, record.leader
                )
            case PartitionChangeRecord():
                self._changed(record)

    def _note_topic(self, record: TopicRecord) -> None:
        name = record.name
        self.topic_ids[name] = record.topic_id
        self._topics_made[name] += 1
        self._topic_names[uuid_text(record.topic_id)] = f"topic {name}/{self._topics_made[name]}"

    def _forget_topic(self, topic_id: Uuid) -> None:
        self.topic_ids = {
            name: value for name, value in self.topic_ids.items() if value != topic_id
        }
        self.partitions = {k: value for k, value in self.partitions.items() if k[0] != topic_id}

    def _note_registration(self, record: RegisterBrokerRecord, offset: int) -> None:
        self._registered.add(record.broker_id)
        epochs = self.epochs[record.broker_id]
        self.register_offsets[record.broker_id] = offset
        if record.broker_epoch not in epochs[-1:]:
            epochs.append(record.broker_epoch)
            self._epochs_made[record.broker_id] += 1
            name = f"epoch {self._epochs_made[record.broker_id]} of broker {record.broker_id}"
            self._epoch_names[record.broker_epoch] = name

    def _note_unregistration(self, broker_id: int) -> None:
        """An unregistered broker's epochs can be asked for as long as another is registered."""
        self._registered.discard(broker_id)
        first = broker_id - broker_id % IDS_EACH
        ids = range(first, first + IDS_EACH)
        if self._registered.isdisjoint(ids):
            for node_id in ids:
                self.epochs.pop(node_id, None)
                self.register_offsets.pop(node_id, None)

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

    def port_name(self, port: int) -> object:
        return "port of the second voter" if port == self.second_port and port else port

    def acl_name(self, acl_id: str) -> str:
        return self._acl_names.get(acl_id, acl_id)

    # What symbols ask for

    def epoch(self, broker_id: int, place: int = -1) -> int:
        """The broker's epoch at `place` of its epochs, -1 for the newest; -1 if there is none."""
        epochs = self.epochs.get(broker_id, [])
        return epochs[place] if -len(epochs) <= place < len(epochs) else -1

    def topic_id(self, name: str) -> Uuid:
        if name == "":
            return ZERO_UUID
        return self.topic_ids.get(name, UNKNOWN_TOPIC)

    def partition(self, name: str, index: int) -> PartitionSeen:
        return self.partitions.get((self.topic_id(name), index), _NO_PARTITION)
