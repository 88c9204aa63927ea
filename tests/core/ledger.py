"""The invariants of rule book section 9, over records alone.

The ledger folds records by itself: neither `replay.apply` nor a property has a part in it.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch

Key = tuple[bytes, int]


@dataclass(frozen=True, slots=True)
class BrokerFact:
    incarnation_id: bytes
    epoch: int
    is_fenced: bool
    is_leaving: bool
    directories: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class PartitionFact:
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int = 0
    partition_epoch: int = 0
    elr: tuple[int, ...] = ()
    last_known: tuple[int, ...] = ()


@dataclass(slots=True)
class Ledger:
    """Brokers, topics and partitions as the records say; an assertion names the broken rule.

    `changed_twice` has the partitions that a batch changed more than once. Kafka decides all
    changes of a request from the state before it, so such changes may contradict each other, in
    Kafka too: the invariants of these partitions are judged no more.
    """

    brokers: dict[int, BrokerFact] = field(default_factory=dict)
    topics: dict[bytes, str] = field(default_factory=dict)
    partitions: dict[Key, PartitionFact] = field(default_factory=dict)
    changed_twice: set[Key] = field(default_factory=set)
    end_offset: int = 0
    epoch: int = 0
    _newest_broker_epoch: int = -1

    def follow(self, batch: Batch) -> None:
        """Folds a batch, and checks it."""
        assert batch.base_offset == self.end_offset, "9.33"
        assert batch.epoch >= self.epoch, "9.33"
        self.end_offset, self.epoch = batch.last_offset + 1, batch.epoch
        self.changed_twice |= _changed_twice(batch)
        for offset, record in enumerate(batch.records, batch.base_offset):
            fold = getattr(self, f"_{type(record).__name__}", None)
            if fold is not None:
                fold(record, offset)
        self._check_partitions()
        self._check_directories()

    def check_image(self, image: Image) -> None:
        """The image has the facts of the ledger, and no others (rule 9.31)."""
        assert self.brokers == {
            broker_id: BrokerFact(
                b.incarnation_id,
                b.broker_epoch,
                b.fenced,
                b.in_controlled_shutdown,
                tuple(sorted(b.log_dirs)),
            )
            for broker_id, b in image.brokers.items()
        }
        assert self.topics == {topic_id: topic.name for topic_id, topic in image.topics.items()}
        assert self.partitions == {
            (topic_id, index): PartitionFact(
                p.replicas,
                p.isr,
                p.leader,
                p.leader_epoch,
                p.partition_epoch,
                p.elr,
                p.last_known_elr,
            )
            for topic_id, topic in image.topics.items()
            for index, p in topic.partitions.items()
        }

    # Brokers

    def _RegisterBrokerRecord(self, record: r.RegisterBrokerRecord, offset: int) -> None:
        old = self.brokers.get(record.broker_id)
        if old is not None and old.incarnation_id == record.incarnation_id:
            assert record.broker_epoch == old.epoch, "9.2"
        else:
            assert self._newest_broker_epoch < record.broker_epoch <= offset, "9.1, 9.4"
            assert record.fenced, "9.11"
            assert not record.in_controlled_shutdown, "9.11"
            self._newest_broker_epoch = record.broker_epoch
        self.brokers[record.broker_id] = BrokerFact(
            record.incarnation_id,
            record.broker_epoch,
            record.fenced,
            record.in_controlled_shutdown,
            tuple(sorted(record.log_dirs)),
        )

    def _UnregisterBrokerRecord(self, record: r.UnregisterBrokerRecord, _: int) -> None:
        assert self.brokers.pop(record.broker_id).epoch == record.broker_epoch, "9.6"

    def _BrokerRegistrationChangeRecord(
        self, record: r.BrokerRegistrationChangeRecord, _: int
    ) -> None:
        old = self.brokers[record.broker_id]
        assert record.broker_epoch == old.epoch, "9.6"
        changes: dict[str, Any] = {}
        if record.fenced:
            changes["is_fenced"] = record.fenced == r.FENCE
        if record.in_controlled_shutdown:
            changes["is_leaving"] = True
        if record.log_dirs:
            changes["directories"] = tuple(sorted(record.log_dirs))
        self.brokers[record.broker_id] = replace(old, **changes)

    # Topics

    def _TopicRecord(self, record: r.TopicRecord, _: int) -> None:
        assert record.name not in self.topics.values()
        assert record.topic_id not in self.topics
        self.topics[record.topic_id] = record.name

    def _RemoveTopicRecord(self, record: r.RemoveTopicRecord, _: int) -> None:
        del self.topics[record.topic_id]
        self.partitions = {k: p for k, p in self.partitions.items() if k[0] != record.topic_id}

    def _PartitionRecord(self, record: r.PartitionRecord, _: int) -> None:
        key = record.topic_id, record.partition_id
        assert key not in self.partitions
        assert record.isr, "9.28"
        assert all(map(self._is_active, record.isr)), "9.28"
        self.partitions[key] = PartitionFact(record.replicas, record.isr, record.leader)

    def _PartitionChangeRecord(self, record: r.PartitionChangeRecord, _: int) -> None:
        key = record.topic_id, record.partition_id
        old = self.partitions[key]
        names_leader = record.leader != r.NO_LEADER_CHANGE
        new = PartitionFact(
            _or(record.replicas, old.replicas),
            _or(record.isr, old.isr),
            record.leader if names_leader else old.leader,
            old.leader_epoch + names_leader,
            old.partition_epoch + 1,
            _or(record.eligible_leader_replicas, old.elr),
            _or(record.last_known_elr, old.last_known),
        )
        if key not in self.changed_twice and not _is_unclean_revert(record, new):
            for joined in set(new.isr) - set(old.isr):
                assert joined in self.brokers, "9.22"
        if new.leader not in (old.leader, r.NO_LEADER):
            assert new.leader in self.brokers, "9.20"
        self.partitions[key] = new

    def _ClearElrRecord(self, record: r.ClearElrRecord, _: int) -> None:
        for key, old in self.partitions.items():
            is_meant = record.topic_name in ("", self.topics[key[0]])
            if is_meant and (old.elr or old.last_known):
                epoch = old.partition_epoch + 1
                self.partitions[key] = replace(old, elr=(), last_known=(), partition_epoch=epoch)

    # Checks

    def _is_active(self, broker_id: int) -> bool:
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.is_fenced and not broker.is_leaving

    def _check_partitions(self) -> None:
        for key, partition in self.partitions.items():
            assert key[0] in self.topics
            if key in self.changed_twice:
                continue
            leader, isr = partition.leader, partition.isr
            assert leader == r.NO_LEADER or leader in isr, f"9.18: {partition}"
            assert set(isr) <= set(partition.replicas), f"9.19: {partition}"
            assert len(set(isr)) == len(isr), f"9.19: {partition}"
            assert not set(isr) & set(partition.elr), f"9.25: {partition}"
            if leader != r.NO_LEADER:
                assert self._is_active(leader) or self._is_leaving(leader), f"9.21: {partition}"
            for member in isr:
                is_in = len(isr) == 1 or not self.brokers[member].is_fenced
                assert is_in, f"9.21: {partition}"

    def _is_leaving(self, broker_id: int) -> bool:
        broker = self.brokers.get(broker_id)
        return broker is not None and broker.is_leaving and not broker.is_fenced

    def _check_directories(self) -> None:
        owned = [d for broker in self.brokers.values() for d in broker.directories]
        assert len(owned) == len(set(owned)), "9.10"


def _or(new: tuple[int, ...] | None, old: tuple[int, ...]) -> tuple[int, ...]:
    return old if new is None else new


def _changed_twice(batch: Batch) -> set[Key]:
    changes = [record for record in batch.records if isinstance(record, r.PartitionChangeRecord)]
    counts = Counter((change.topic_id, change.partition_id) for change in changes)
    return {key for key, count in counts.items() if count > 1}


def _is_unclean_revert(record: r.PartitionChangeRecord, new: PartitionFact) -> bool:
    """A cancelled reassignment without a replica in sync: the first replica is the ISR.

    Kafka does not ask whether it is registered (`PartitionReassignmentRevert`).
    """
    is_revert = () in (record.adding_replicas, record.removing_replicas)
    return is_revert and new.isr == new.replicas[:1]
