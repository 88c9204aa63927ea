"""Builds one partition change: ISR, ELR, leader and epochs, in Kafka's order (rules 4.6-4.14).

`build` takes a partition, its target and the test for a leader, and returns the change record, or
None if nothing changes. It reads and changes no other state.
"""

from collections.abc import Callable, Mapping

from .. import feature_levels
from ..image.partition import Partition, PartitionKey
from ..log.records import NO_LEADER_CHANGE, NO_RECOVERY_CHANGE, PartitionChangeRecord
from ..uuid import MIGRATING_DIRECTORY, Uuid
from .election import elect
from .elr import populate_elr, write_elr, write_last_known_leader
from .target import Assignment, Change, Ids, Rules, Target, assignment_of

NO_DIRECTORIES: Mapping[int, Uuid] = {}


def build(
    key: PartitionKey,
    partition: Partition,
    rules: Rules,
    *,
    target_isr: Ids,
    acceptable: Callable[[int], bool],
    unclean_shutdown: Ids = (),
    assignment: Assignment | None = None,
    directories: Mapping[int, Uuid] = NO_DIRECTORIES,
    target_recovery_state: int | None = None,
) -> PartitionChangeRecord | None:
    """Returns the record that changes `partition` to the target values; None if nothing changes.

    `acceptable` is the predicate of brokers that may lead. The brokers `unclean_shutdown` may have
    lost data, so they do not stay in the ELR. `directories` are new directories of replicas, by
    broker. Step numbers in comments are those of rule 4.7.
    """
    assigned = assignment_of(partition) if assignment is None else assignment
    target = Target(
        target_isr, assigned.replicas, assigned.removing, assigned.adding, partition.elr
    )
    change = Change()
    if target.adding or target.removing:
        _complete_reassignment(target, rules)  # 1
    populate_elr(partition, target, rules, unclean_shutdown)  # 2
    elect(partition, target, rules, acceptable, change)  # 3
    if _lacks(target.replicas, partition.replicas):  # 4
        _bump_leader_epoch(partition, change)
    write_elr(partition, target, rules, change)  # 5
    _write_isr(partition, target, rules, change)  # 6
    _bump_for_shrink(partition, rules, change)  # 7
    write_last_known_leader(partition, rules, change)  # 8
    if target_recovery_state not in (None, partition.leader_recovery_state):  # 10
        change.leader_recovery_state = target_recovery_state or 0
    new_directories = _directories(partition, target, rules, directories)
    return _record(key, partition, target, change, new_directories)  # 9, 11


def _complete_reassignment(target: Target, rules: Rules) -> None:
    """Ends a reassignment once every awaited replica is in sync (rule 4.36).

    Before 4.3 these are all that will be left. From then on (KAFKA-19975) only added replicas are
    awaited, unless there will be fewer replicas.
    """
    replicas = tuple(r for r in target.replicas if r not in target.removing)
    isr = tuple(r for r in target.isr if r not in target.removing)
    shrinks = len(target.removing) > len(target.adding)
    awaited = {*replicas} if rules.awaits_every_replica or shrinks else set()
    if not rules.awaits_every_replica:
        awaited |= {*target.adding}
    if replicas and isr and awaited <= set(isr):
        target.replicas, target.isr, target.removing, target.adding = replicas, isr, (), ()


def _lacks(new: Ids, old: Ids) -> bool:
    """True if `new` lacks an element of `old`."""
    return new != old and not set(old) <= set(new)


def _bump_leader_epoch(partition: Partition, change: Change) -> None:
    if change.leader == NO_LEADER_CHANGE:
        change.leader = partition.leader


def _write_isr(partition: Partition, target: Target, rules: Rules, change: Change) -> None:
    """Without ELR an empty ISR is not written (rules 4.12, 4.13)."""
    may_write = change.isr is None and (target.isr or rules.elr_enabled)
    if may_write and target.isr != partition.isr:
        change.isr = target.isr


def _bump_for_shrink(partition: Partition, rules: Rules, change: Change) -> None:
    """Increments the leader epoch when the ISR shrinks, before 3.6-IV0 (rule 4.17)."""
    if rules.metadata_version >= feature_levels.NO_EPOCH_BUMP_ON_SHRINK_FROM or change.isr is None:
        return
    if _lacks(change.isr, partition.isr):
        _bump_leader_epoch(partition, change)


def _record(
    key: PartitionKey,
    partition: Partition,
    target: Target,
    change: Change,
    directories: tuple[Uuid, ...] | None,
) -> PartitionChangeRecord | None:
    record = PartitionChangeRecord(
        topic_id=key[0],
        partition_id=key[1],
        isr=change.isr,
        leader=change.leader,
        replicas=target.replicas if target.replicas != partition.replicas else None,
        removing_replicas=(
            target.removing if target.removing != partition.removing_replicas else None
        ),
        adding_replicas=target.adding if target.adding != partition.adding_replicas else None,
        leader_recovery_state=change.leader_recovery_state,
        eligible_leader_replicas=change.eligible_leader_replicas,
        last_known_elr=change.last_known_elr,
        directories=directories,
    )
    return None if _changes_nothing(record) else record


def _changes_nothing(record: PartitionChangeRecord) -> bool:
    return (
        record.isr is None
        and record.leader == NO_LEADER_CHANGE
        and record.replicas is None
        and record.removing_replicas is None
        and record.adding_replicas is None
        and record.leader_recovery_state == NO_RECOVERY_CHANGE
        and record.eligible_leader_replicas is None
        and record.last_known_elr is None
        and record.directories is None
    )


def _directories(
    partition: Partition, target: Target, rules: Rules, assigned: Mapping[int, Uuid]
) -> tuple[Uuid, ...] | None:
    """Returns the directories if they differ and metadata.version has them (rule 4.38).

    Replicas of a partition that is older than directories have the directory MIGRATING.
    """
    if rules.metadata_version < feature_levels.DIRECTORY_ASSIGNMENT_FROM:
        return None
    if target.replicas == partition.replicas and not assigned:
        return None  # each replica keeps its directory
    before = partition.directories or (MIGRATING_DIRECTORY,) * len(partition.replicas)
    known = dict(zip(partition.replicas, before, strict=False))
    directories = tuple(
        assigned.get(replica) or known.get(replica) or rules.directory_of(replica)
        for replica in target.replicas
    )
    return directories if directories != before else None
