"""Building one partition change: ISR, ELR, leader and epochs, in Kafka's order (rules 4.6-4.14).

`build` takes a partition, what is wished of it, and who may lead, and returns the record that says
so, or None when there is nothing to say. It looks at nothing else and changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from .. import feature_levels
from ..image.partition import Partition, PartitionKey
from ..log.records import (
    NO_LEADER,
    NO_LEADER_CHANGE,
    NO_RECOVERY_CHANGE,
    RECOVERING,
    PartitionChangeRecord,
)
from ..uuid import Uuid

Ids = tuple[int, ...]


class Election(Enum):
    ONLINE = "online"
    UNCLEAN = "unclean"
    PREFERRED = "preferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What decides the same for every partition of one topic."""

    metadata_version: int
    elr_enabled: bool
    min_isr: int
    """The effective one: min(min.insync.replicas, replica count) (rule 4.24)."""
    election: Election
    directory_of: Callable[[int], Uuid]
    """The directory a replica gets that has none yet (rule 4.39)."""


@dataclass(slots=True)
class _Target:
    isr: Ids
    replicas: Ids
    removing: Ids
    adding: Ids
    elr: Ids


@dataclass(slots=True)
class _Change:
    """The record while it is built; frozen at the end."""

    isr: Ids | None = None
    leader: int = NO_LEADER_CHANGE
    leader_recovery_state: int = NO_RECOVERY_CHANGE
    eligible_leader_replicas: Ids | None = None
    last_known_elr: Ids | None = None


def build(
    key: PartitionKey,
    partition: Partition,
    rules: Rules,
    *,
    target_isr: Ids,
    acceptable: Callable[[int], bool],
    unclean_shutdown: Ids = (),
    target_replicas: Ids | None = None,
    target_recovery_state: int | None = None,
) -> PartitionChangeRecord | None:
    """The change that gives `partition` its target, or None. Step numbers are those of rule 4.7."""
    target = _Target(
        target_isr,
        partition.replicas if target_replicas is None else target_replicas,
        partition.removing_replicas,
        partition.adding_replicas,
        partition.elr,
    )
    change = _Change()
    if target.adding or target.removing:
        _complete_reassignment(target)  # 1
    _populate_elr(partition, target, rules, unclean_shutdown)  # 2
    _elect(partition, target, rules, acceptable, change)  # 3
    if _lacks(target.replicas, partition.replicas):  # 4
        _bump_leader_epoch(partition, change)
    _write_elr(partition, target, rules, change)  # 5
    _write_isr(partition, target, rules, change)  # 6
    _bump_for_shrink(partition, rules, change)  # 7
    _write_last_known_leader(partition, rules, change)  # 8
    if target_recovery_state not in (None, partition.leader_recovery_state):  # 10
        change.leader_recovery_state = target_recovery_state or 0
    return _record(key, partition, target, rules, change)  # 9, 11


def _complete_reassignment(target: _Target) -> None:
    """A reassignment ends when every replica of its goal is in sync (rule 4.36)."""
    replicas = tuple(r for r in target.replicas if r not in target.removing)
    isr = tuple(r for r in target.isr if r not in target.removing)
    if replicas and isr and set(replicas) <= set(isr):
        target.replicas, target.isr, target.removing, target.adding = replicas, isr, (), ()


def _populate_elr(partition: Partition, target: _Target, rules: Rules, unclean: Ids) -> None:
    """Rule 4.25: below min ISR, whoever was in ISR or ELR stays eligible, but for the unclean."""
    if not rules.elr_enabled:
        return
    if len(target.isr) >= rules.min_isr:
        target.elr = ()
        return
    candidates = {*target.elr, *partition.isr} - {*target.isr} - {*unclean}
    target.elr = tuple(sorted(candidates))


def _elect(
    partition: Partition,
    target: _Target,
    rules: Rules,
    acceptable: Callable[[int], bool],
    change: _Change,
) -> None:
    """Rule 4.11: say so only if the result is not the present leader."""
    winner, unclean = _winner(partition, target, rules, acceptable)
    if winner == partition.leader:
        return
    change.leader = winner
    if winner in target.elr:
        target.isr = (winner,)
        target.elr = tuple(r for r in target.elr if r != winner)
    if unclean:
        change.isr = (winner,)
        if (
            partition.leader_recovery_state != RECOVERING
            and rules.metadata_version >= feature_levels.LEADER_RECOVERY_FROM
        ):
            change.leader_recovery_state = RECOVERING


def _winner(
    partition: Partition, target: _Target, rules: Rules, acceptable: Callable[[int], bool]
) -> tuple[int, bool]:
    """(who leads, was it unclean), in the order of rules 4.9 and 4.10."""

    order = (partition.leader, *target.replicas)
    if rules.election is Election.PREFERRED and target.replicas:
        order = (target.replicas[0], *order)
    eligible = target.isr or target.elr  # rule 4.8
    for replica in order:
        if replica in eligible and acceptable(replica):
            return replica, False
    if _may_elect_last_known(partition, target, rules, acceptable):
        return partition.last_known_elr[0], True
    if rules.election is Election.UNCLEAN:
        for replica in target.replicas:
            if acceptable(replica):
                return replica, True
    return NO_LEADER, False


def _may_elect_last_known(
    partition: Partition, target: _Target, rules: Rules, acceptable: Callable[[int], bool]
) -> bool:
    """Rule 4.28, with the liveness test that the original forgot (KAFKA-19522)."""
    return (
        rules.elr_enabled
        and not target.isr
        and not target.elr
        and len(partition.last_known_elr) == 1
        and acceptable(partition.last_known_elr[0])
    )


def _lacks(new: Ids, old: Ids) -> bool:
    """Does `new` lack any of `old`?"""
    return new != old and not set(old) <= set(new)


def _bump_leader_epoch(partition: Partition, change: _Change) -> None:
    if change.leader == NO_LEADER_CHANGE:
        change.leader = partition.leader


def _write_elr(partition: Partition, target: _Target, rules: Rules, change: _Change) -> None:
    unclean = change.isr is not None
    if unclean or not rules.elr_enabled:
        target.elr = ()
    if target.elr != partition.elr:
        change.eligible_leader_replicas = target.elr


def _write_isr(partition: Partition, target: _Target, rules: Rules, change: _Change) -> None:
    """Without ELR the ISR never becomes empty: it is left unwritten (rules 4.12, 4.13)."""
    may_write = change.isr is None and (target.isr or rules.elr_enabled)
    if may_write and target.isr != partition.isr:
        change.isr = target.isr


def _bump_for_shrink(partition: Partition, rules: Rules, change: _Change) -> None:
    """Before 3.6-IV0 a shrinking ISR moves the leader epoch too (rule 4.17)."""
    if rules.metadata_version >= feature_levels.NO_EPOCH_BUMP_ON_SHRINK_FROM or change.isr is None:
        return
    if _lacks(change.isr, partition.isr):
        _bump_leader_epoch(partition, change)


def _write_last_known_leader(partition: Partition, rules: Rules, change: _Change) -> None:
    """Who led when there is no leader any more, even where the ISR is not empty; cleared once
    there is one (4.27)."""
    if not rules.elr_enabled:
        return
    if change.leader == NO_LEADER != partition.leader and not partition.last_known_elr:
        change.last_known_elr = (partition.leader,)
    elif change.leader >= 0 and partition.last_known_elr:
        change.last_known_elr = ()


def _record(
    key: PartitionKey, partition: Partition, target: _Target, rules: Rules, change: _Change
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
        directories=_directories(partition, target, rules),
    )
    return None if _says_nothing(record) else record


def _says_nothing(record: PartitionChangeRecord) -> bool:
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


def _directories(partition: Partition, target: _Target, rules: Rules) -> tuple[Uuid, ...] | None:
    """Written only when they differ, and only where they can be (rule 4.38)."""
    if rules.metadata_version < feature_levels.DIRECTORY_ASSIGNMENT_FROM:
        return None
    if target.replicas == partition.replicas and len(partition.directories) == len(target.replicas):
        return None  # each replica has its directory already
    directories = tuple(
        partition.directory_of(replica) or rules.directory_of(replica)
        for replica in target.replicas
    )
    return directories if directories != partition.directories else None
