"""Inputs of a partition change: the topic's rules, the target, and the unfinished record."""

from collections.abc import Callable
from enum import Enum

from ..image.partition import Partition
from ..log.records import NO_LEADER_CHANGE, NO_RECOVERY_CHANGE
from ..uuid import Uuid
from ..value import slotted, value

Ids = tuple[int, ...]


class Election(Enum):
    """Which election a change may run."""

    ONLINE = "online"
    UNCLEAN = "unclean"
    PREFERRED = "preferred"


@value
class Rules:
    """The values that decide a change and are the same for all partitions of a topic."""

    metadata_version: int
    elr_enabled: bool
    min_isr: int
    """Effective min ISR: min(min.insync.replicas, replica count) (rule 4.24)."""
    election: Election
    awaits_every_replica: bool
    """A reassignment completes when all of its replicas are in sync, not only the added."""
    directory_of: Callable[[int], Uuid]
    """Returns the directory for a replica that has none yet (rule 4.39)."""


@value
class Assignment:
    """The replicas of a partition, and those that its reassignment removes and adds."""

    replicas: Ids
    removing: Ids
    adding: Ids


def assignment_of(partition: Partition) -> Assignment:
    """Returns the present assignment of a partition."""
    return Assignment(
        replicas=partition.replicas,
        removing=partition.removing_replicas,
        adding=partition.adding_replicas,
    )


@slotted()
class Target:
    """The values that a partition shall have after the change."""

    isr: Ids
    replicas: Ids
    removing: Ids
    adding: Ids
    elr: Ids


@slotted()
class Change:
    """The fields of the record under construction."""

    isr: Ids | None = None
    leader: int = NO_LEADER_CHANGE
    leader_recovery_state: int = NO_RECOVERY_CHANGE
    eligible_leader_replicas: Ids | None = None
    last_known_elr: Ids | None = None
