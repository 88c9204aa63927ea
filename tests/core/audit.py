"""The invariants of section 9 of the rule book, checked record by record as a log grows."""

from dataclasses import dataclass, field

from kraftsim.controller.core.image import replay
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.profile import KAFKA_3_9
from tests.builders import ControllerUnderTest


@dataclass
class Audit:
    """Follows one controller's log. A test that decommissions a broker sets `decommissions`: no
    other operation may change the replicas of a partition, and lose records of it."""

    cluster: ControllerUnderTest
    decommissions: bool = False
    image: Image = field(init=False)
    next_offset: int = field(init=False)
    last_epoch: int = -1

    def __post_init__(self) -> None:
        self.image, self.next_offset = self.cluster.node.committed.copy(), self.cluster.end

    def follow(self) -> list[Batch]:
        """Check what was written since the last time."""
        batches = list(self.cluster.node.log.read(self.next_offset))
        for batch in batches:
            assert batch.base_offset == self.next_offset
            self.next_offset = batch.last_offset + 1
            if batch.is_control:
                self.image.offset, self.image.epoch = batch.last_offset, batch.epoch
            else:
                self._batch(batch)
        assert self.image == self.cluster.node.committed
        return batches

    def _batch(self, batch: Batch) -> None:
        unfenced = {getattr(x, "broker_id", None) for x in batch.records if is_unfence(x)}
        for offset, record in enumerate(batch.records, batch.base_offset):
            before = self._subject(record)
            replay.apply(
                self.image,
                record,
                offset=offset,
                epoch=batch.epoch,
                timestamp_ms=batch.timestamp_ms,
            )
            self._record(record, offset, before, unfenced)
        self._partitions()
        self._directories()
        for record in batch.records:
            if is_departure(record):
                self._left(record.broker_id)

    def _subject(self, record):
        """What the record is about to change."""
        if isinstance(record, r.PartitionChangeRecord):
            return self.image.partition((record.topic_id, record.partition_id))
        broker_id = getattr(record, "broker_id", None)
        return self.image.brokers.get(broker_id)

    def _record(self, record, offset: int, before, unfenced: set[int]) -> None:
        match record:
            case r.RegisterBrokerRecord():
                self._registered(record, offset, before)
            case r.BrokerRegistrationChangeRecord():
                after = self.image.brokers[record.broker_id]
                assert record.broker_epoch == before.broker_epoch, "9.6"
                assert after.in_controlled_shutdown >= before.in_controlled_shutdown, "9.17"
            case r.PartitionChangeRecord():
                after = self.image.partition((record.topic_id, record.partition_id))
                self._changed(before, after, unfenced)
            case r.PartitionRecord():
                assert record.isr, "9.28"
                assert all(map(self.image.is_active, record.isr)), "9.28, 4.50"
                assert (record.leader, record.leader_epoch) == (record.isr[0], 0), "4.18"
            case _:
                pass

    def _registered(
        self, record: r.RegisterBrokerRecord, offset: int, before: BrokerRegistration | None
    ) -> None:
        if before is not None and before.incarnation_id == record.incarnation_id:
            kept = (before.broker_epoch, before.fenced, before.in_controlled_shutdown)
            now = (record.broker_epoch, record.fenced, record.in_controlled_shutdown)
            assert kept == now, "9.2, 1.27"
            return
        assert self.last_epoch < record.broker_epoch <= offset, "9.1, 9.3, 9.4"
        assert (True, False) == (record.fenced, record.in_controlled_shutdown), "9.11"
        self.last_epoch = record.broker_epoch

    def _changed(self, before: Partition, after: Partition, unfenced: set[int]) -> None:
        assert after.partition_epoch == before.partition_epoch + 1, "9.23"
        assert after.leader_epoch - before.leader_epoch in (0, 1), "9.23"
        for added in set(after.isr) - set(before.isr):
            assert self._may_serve(added, unfenced), "9.22"
        if after.leader != before.leader:
            assert after.leader_epoch == before.leader_epoch + 1, "9.24"
            self._led(before, after, unfenced)
        if not self.decommissions:
            assert after.replicas == before.replicas, "9.27"

    def _led(self, before: Partition, after: Partition, unfenced: set[int]) -> None:
        if after.leader < 0:
            return
        assert self._may_serve(after.leader, unfenced), "9.20"
        heirs = {*before.isr, *before.elr, *before.last_known_elr}
        assert self.decommissions or after.leader in heirs, "9.26"

    def _may_serve(self, broker_id: int, unfenced: set[int]) -> bool:
        """Unfenced by this very batch counts, even in controlled shutdown (4.3)."""
        return broker_id in self.image.brokers and (
            broker_id in unfenced or self.image.is_active(broker_id)
        )

    def _partitions(self) -> None:
        for topic in self.image.topics.values():
            for p in topic.partitions.values():
                assert p.leader == -1 or p.leader in p.isr, f"9.18: {p}"
                assert set(p.isr) <= set(p.replicas), f"9.19: {p}"
                assert len(set(p.isr)) == len(p.isr), f"9.19: {p}"
                assert not set(p.isr) & set(p.elr), f"9.25: {p}"
                assert p.isr or self.cluster.node.profile is not KAFKA_3_9, f"4.12: {p}"
                assert p.leader == -1 or p.leader in self.image.brokers, f"bug 15: {p}"

    def _directories(self) -> None:
        owned = [(d, b.broker_id) for b in self.image.brokers.values() for d in b.log_dirs]
        assert len(owned) == len(self.image.directories), "9.10"
        assert dict(owned) == self.image.directories, "9.10"

    def _left(self, broker_id: int) -> None:
        """Rule 9.21: it leads nothing, and is in no ISR with anybody else."""
        for topic in self.image.topics.values():
            for p in topic.partitions.values():
                assert p.leader != broker_id, f"9.21: {p}"
                assert broker_id not in p.isr or p.isr == (broker_id,), f"9.21: {p}"


def is_unfence(record) -> bool:
    return isinstance(record, r.BrokerRegistrationChangeRecord) and record.fenced == r.UNFENCE


def is_fence(record) -> bool:
    return isinstance(record, r.BrokerRegistrationChangeRecord) and record.fenced == r.FENCE


def is_departure(record) -> bool:
    return is_fence(record) or (
        isinstance(record, r.BrokerRegistrationChangeRecord)
        and record.in_controlled_shutdown == r.IN_CONTROLLED_SHUTDOWN
    )
