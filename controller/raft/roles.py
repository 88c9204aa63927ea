"""What a replica can be in an epoch (rule 10.1, KIP-996). Times are deadlines, in ms.

Everything but a leader's bookkeeping is immutable. Epoch, vote and leader are the quorum's own
(`quorum.py`): they outlive the role, and a process.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import Impossible
from ..core.rpc import AddRaftVoterRequest, RemoveRaftVoterRequest
from ..core.value import value
from .fetch_answer import Leadership
from .voters import ReplicaKey, VoterSet


@dataclass(frozen=True, slots=True)
class Unattached:
    """Knows of no leader that it could follow. Observers wait for ever (rule 10.7)."""

    election_ms: int


@dataclass(frozen=True, slots=True)
class Prospective:
    """Asks who would vote for it, without raising its epoch (KIP-996). `stands_ms`: it does not
    become a candidate before, because another voter asks at the same time; 0: nobody does."""

    election_ms: int
    granted: frozenset[int]
    refused: frozenset[int] = frozenset()
    stands_ms: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    election_ms: int
    granted: frozenset[int]
    refused: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Follower:
    """`has_fetched`: the leader has answered a fetch of ours, so that we want no other one."""

    fetch_ms: int
    has_fetched: bool = False


@dataclass(frozen=True, slots=True)
class Resigned:
    """Led, and leads no more; says so to every voter until it has heard (rule 10.39)."""

    election_ms: int
    successors: tuple[ReplicaKey, ...] = ()
    acknowledged: frozenset[int] = frozenset()


@value
class Progress:
    """What a leader knows of one that follows (rules 5.29 to 5.31); -1: nothing. Timestamps are
    wall time; `leader_end_offset` is where our log ended at its last fetch."""

    end_offset: int = -1
    last_fetch_wall_ms: int = -1
    last_caught_up_wall_ms: int = -1
    leader_end_offset: int = -1
    fetched_ms: int = -1


@dataclass(slots=True)
class Leader:
    """`heard` are the voters that fetched since the last time a majority had (rule 10.25);
    `begin_ms` when each voter is next told who leads, should it not have fetched by then; `told`
    the voters as each has described itself, for kraft.version 0, where the log does not;
    `leadership` what every answer says of it, as of the latest snapshot."""

    epoch_start: int
    check_quorum_ms: int
    progress: dict[int, Progress] = field(default_factory=dict)
    observers: dict[ReplicaKey, Progress] = field(default_factory=dict)
    heard: frozenset[int] = frozenset()
    begin_ms: dict[int, int] = field(default_factory=dict)
    change: "VoterChange | None" = None
    told: VoterSet = field(default_factory=VoterSet)
    leadership: Leadership | None = None

    def fingerprint(self) -> Hashable:
        """Its bookkeeping as a value; when it tells whom is a matter of time."""
        progress = frozenset(self.progress.items())
        observers = frozenset(self.observers.items())
        return (self.epoch_start, progress, observers, self.heard, self.change, self.told)


@dataclass(frozen=True, slots=True)
class VoterChange:
    """The one change of voters that is under way: committed once the high watermark has passed
    `offset`; before it is appended (-1) the new voter is asked what it supports."""

    request: AddRaftVoterRequest | RemoveRaftVoterRequest
    token: Any
    expires_ms: int
    offset: int = -1


Role = Unattached | Prospective | Candidate | Follower | Leader | Resigned


def leader_role(role: Role) -> Leader:
    """`role` where only a leader may be; raises Impossible for any other."""
    if not isinstance(role, Leader):
        raise Impossible(f"expected a leader, got {role}")
    return role


def resigned_role(role: Role) -> Resigned:
    """`role` where only a resigned leader may be; raises Impossible for any other."""
    if not isinstance(role, Resigned):
        raise Impossible(f"expected a resigned leader, got {role}")
    return role


def asking_role(role: Role) -> Prospective | Candidate:
    """`role` where only a replica that asks for votes may be; raises Impossible for any other."""
    if not isinstance(role, Prospective | Candidate):
        raise Impossible(f"expected a prospective or a candidate, got {role}")
    return role
