"""One partition as replayed from the log, and how a change record changes it (rules 4.15, 4.16)."""

from dataclasses import field, replace

from ..log.records import (
    NO_LEADER,
    NO_LEADER_CHANGE,
    NO_RECOVERY_CHANGE,
    RECOVERED,
    PartitionChangeRecord,
    PartitionRecord,
)
from ..uuid import Uuid
from ..value import slotted, value

PartitionKey = tuple[Uuid, int]


@value(kw_only=False)
class Partition:
    """The state of one partition; `directories` are in the order of `replicas`.

    Replay makes one for each record, without the names of the fields, which would take longer.
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int
    leader_recovery_state: int
    removing_replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...]
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    directories: tuple[Uuid, ...]

    def directory_of(self, broker_id: int) -> Uuid | None:
        """Returns the directory of the broker's replica; None if none is assigned."""
        if broker_id in self.replicas and self.directories:
            return self.directories[self.replicas.index(broker_id)]
        return None


@slotted()
class Topic:
    """A topic and its partitions, by partition id."""

    name: str
    topic_id: Uuid
    partitions: dict[int, Partition] = field(default_factory=dict)


def partition_of(record: PartitionRecord) -> Partition:
    """Returns the partition that a PartitionRecord creates."""
    return Partition(
        record.replicas,
        record.isr,
        record.leader,
        record.leader_epoch,
        record.partition_epoch,
        record.leader_recovery_state,
        record.removing_replicas,
        record.adding_replicas,
        record.eligible_leader_replicas or (),
        record.last_known_elr or (),
        record.directories,
    )


def changed(partition: Partition, record: PartitionChangeRecord) -> Partition:
    """Returns the partition after a change record.

    Every record increments the partition epoch. A record with a leader, even the current one,
    increments the leader epoch.
    """
    names_leader = record.leader != NO_LEADER_CHANGE
    replicas, isr, recovery = record.replicas, record.isr, record.leader_recovery_state
    removing, adding = record.removing_replicas, record.adding_replicas
    elr, last_known_elr = record.eligible_leader_replicas, record.last_known_elr
    directories = record.directories
    return Partition(  # None: no change
        partition.replicas if replicas is None else replicas,
        partition.isr if isr is None else isr,
        record.leader if names_leader else partition.leader,
        partition.leader_epoch + names_leader,
        partition.partition_epoch + 1,
        partition.leader_recovery_state if recovery == NO_RECOVERY_CHANGE else recovery,
        partition.removing_replicas if removing is None else removing,
        partition.adding_replicas if adding is None else adding,
        partition.elr if elr is None else elr,
        partition.last_known_elr if last_known_elr is None else last_known_elr,
        partition.directories if directories is None else directories,
    )


def without_elr(partition: Partition) -> Partition:
    """Returns the partition after a ClearElrRecord, which increments the partition epoch.

    Rule 4.23.
    """
    epoch = partition.partition_epoch + 1
    return replace(partition, elr=(), last_known_elr=(), partition_epoch=epoch)


def has_counted_leader(partition: Partition) -> bool:
    """True if the leader is in the ISR, or if there is none.

    Kafka finds what a broker leads among the partitions whose ISR has it. So it neither ends the
    leadership of a fenced broker that leads from outside the ISR nor waits for it (rule 2.14).
    """
    return partition.leader in partition.isr or partition.leader == NO_LEADER


def is_reassigning(partition: Partition) -> bool:
    """True if a reassignment of the partition is in progress."""
    return bool(partition.adding_replicas or partition.removing_replicas)


def is_imbalanced(partition: Partition) -> bool:
    """True if the first replica, the preferred leader, does not lead the partition."""
    return partition.leader not in partition.replicas[:1]


def needs_its_leader(partition: Partition) -> bool:
    """True if a replica is out of sync or the leader is recovering.

    Only an AlterPartition request of the leader ends either.
    """
    if partition.leader == NO_LEADER:
        return False
    return (
        len(partition.isr) < len(partition.replicas) or partition.leader_recovery_state != RECOVERED
    )
