"""Values from which a partition change is built: rules of its topic, target, unfinished record."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ..log.records import NO_LEADER_CHANGE, NO_RECOVERY_CHANGE
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
class Target:
    isr: Ids
    replicas: Ids
    removing: Ids
    adding: Ids
    elr: Ids


@dataclass(slots=True)
class Change:
    """The record while it is built; frozen at the end."""

    isr: Ids | None = None
    leader: int = NO_LEADER_CHANGE
    leader_recovery_state: int = NO_RECOVERY_CHANGE
    eligible_leader_replicas: Ids | None = None
    last_known_elr: Ids | None = None
