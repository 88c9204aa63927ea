"""The roles of a replica in an epoch (rule 10.1, KIP-996); times are deadlines in milliseconds.

All roles but Leader are immutable. Epoch, vote and leader belong to the quorum (`quorum.py`): they
outlive the role, and the process.
"""

from collections.abc import Hashable
from dataclasses import field
from typing import Any

from ..core.errors import Impossible
from ..core.log.control_records import Voter
from ..core.rpc import AddRaftVoterRequest, FetchResponse, RemoveRaftVoterRequest
from ..core.value import slotted, value
from .fetch_answer import Leadership
from .voters import ReplicaKey, VoterSet

OBSERVERS_MAX = 20_000  # more than any log has; bounds the memory for invented replica ids


@value(kw_only=False)
class Unattached:
    """A replica that knows no leader which it can follow (rule 10.7).

    Observers have no election timeout.
    """

    election_ms: int


@value(kw_only=False)
class Prospective:
    """A replica that requests pre-votes, without raising its epoch (KIP-996).

    It does not become a candidate before `stands_ms`, because another voter requests pre-votes at
    the same time; 0 if no other voter does.
    """

    election_ms: int
    granted: frozenset[int]
    refused: frozenset[int] = frozenset()
    stands_ms: int = 0


@value(kw_only=False)
class Candidate:
    """A replica that requests votes in a new epoch."""

    election_ms: int
    granted: frozenset[int]
    refused: frozenset[int] = frozenset()


@value(kw_only=False)
class Follower:
    """A replica that follows a leader; `has_fetched` once the leader has answered a fetch."""

    fetch_ms: int
    has_fetched: bool = False


@value(kw_only=False)
class Resigned:
    """A former leader, until another leader is known (rule 10.39).

    It sends EndQuorumEpoch to every voter until the voter acknowledges it.
    """

    election_ms: int
    successors: tuple[ReplicaKey, ...] = ()
    acknowledged: frozenset[int] = frozenset()


@value(kw_only=False)
class Progress:
    """The progress of a follower as its leader knows it (rules 5.29 to 5.31); -1 if unknown.

    Timestamps with `wall` are wall time. `leader_end_offset` is the leader's end offset at the last
    fetch.
    """

    end_offset: int = -1
    last_fetch_wall_ms: int = -1
    last_caught_up_wall_ms: int = -1
    leader_end_offset: int = -1
    fetched_ms: int = -1


@slotted()
class Leader:
    """Leads this epoch.

    `fetched_voters` are the voters that have fetched since a majority last had (rule 10.25).
    `begin_ms` is, for each voter, the time of the next BeginQuorumEpoch unless it fetches before.
    `descriptions` are the voters as they describe themselves in UpdateRaftVoter at kraft.version 0,
    where the log has none. `leadership` is the part that all responses of this leader share,
    `kept_response` the last response to a fetch.
    """

    epoch_start: int
    check_quorum_ms: int
    progress: dict[int, Progress] = field(default_factory=dict)
    observers: dict[ReplicaKey, Progress] = field(default_factory=dict)
    fetched_voters: frozenset[int] = frozenset()
    begin_ms: dict[int, int] = field(default_factory=dict)
    change: "VoterChange | None" = None
    descriptions: VoterSet = field(default_factory=VoterSet)
    leadership: Leadership | None = None
    kept_response: tuple[tuple[int, ...], Leadership, FetchResponse] | None = None

    # Followers

    def note_voter(self, node_id: int, progress: Progress) -> None:
        """Store the progress of a voter."""
        self.progress[node_id] = progress

    def note_observer(self, key: ReplicaKey, progress: Progress) -> None:
        """Store the progress of an observer; over OBSERVERS_MAX the oldest is dropped."""
        if len(self.observers) >= OBSERVERS_MAX and key not in self.observers:
            del self.observers[next(iter(self.observers))]
        self.observers[key] = progress

    def keep_observers(self, observers: dict[ReplicaKey, Progress]) -> None:
        """Replace the known observers by `observers`."""
        self.observers = observers

    def promote(self, key: ReplicaKey) -> Progress:
        """Make an observer a voter; returns the progress of the replica."""
        progress = self.progress[key.node_id] = self.observers.pop(key)
        return progress

    def demote(self, key: ReplicaKey) -> None:
        """Make a voter an observer, if it has ever fetched."""
        progress = self.progress.pop(key.node_id, None)
        if progress is not None:
            self.observers[key] = progress

    def count_fetch(self, node_id: int) -> frozenset[int]:
        """Store the fetch of a voter; returns `fetched_voters`."""
        self.fetched_voters |= {node_id}
        return self.fetched_voters

    def restart_check_quorum(self, check_quorum_ms: int) -> None:
        """Count fetches from zero again, until a new deadline (rule 10.25)."""
        self.fetched_voters, self.check_quorum_ms = frozenset(), check_quorum_ms

    def postpone_begin(self, peer_id: int, begin_ms: int) -> None:
        """Send no BeginQuorumEpoch to a voter before `begin_ms`."""
        known_ms = self.begin_ms.get(peer_id, 0)
        self.begin_ms[peer_id] = begin_ms if begin_ms > known_ms else known_ms

    def next_begin_ms(self, peer_id: int, now_ms: int) -> int:
        """Returns the time of the next BeginQuorumEpoch to a voter; `now_ms` for a new voter."""
        return self.begin_ms.setdefault(peer_id, now_ms)

    def keep_leadership(self, leadership: Leadership) -> Leadership:
        """Store the part that all responses share from now on; returns it."""
        self.leadership = leadership
        return leadership

    def keep_response(
        self, key: tuple[int, ...], leadership: Leadership, response: FetchResponse
    ) -> FetchResponse:
        """Store the last response to a fetch, with the values that determine it; returns it."""
        self.kept_response = (key, leadership, response)
        return response

    # Voters

    def begin_change(self, change: "VoterChange") -> None:
        """Begin a change of the voters, or replace it by its next stage."""
        self.change = change

    def end_change(self) -> "VoterChange":
        """End the pending change and return it; raises Impossible if there is none."""
        change, self.change = self.change, None
        if change is None:
            raise Impossible("a change of voters ends, and none is under way")
        return change

    def describe(self, voter: Voter) -> None:
        """Store the address and versions that a voter sent, at kraft.version 0."""
        self.descriptions = self.descriptions.with_voter(voter)

    def fingerprint(self) -> Hashable:
        """Returns the state as a hashable value, without times."""
        progress = frozenset(self.progress.items())
        observers = frozenset(self.observers.items())
        return (
            self.epoch_start,
            progress,
            observers,
            self.fetched_voters,
            self.change,
            self.descriptions,
        )


@value(kw_only=False)
class VoterChange:
    """The pending change of the voters.

    It is committed once the high watermark is above `offset`. `offset` is -1 until the record is
    appended: until then the leader waits for the versions that the new voter supports.
    """

    request: AddRaftVoterRequest | RemoveRaftVoterRequest
    token: Any
    expires_ms: int
    offset: int = -1


Role = Unattached | Prospective | Candidate | Follower | Leader | Resigned


def leader_role(role: Role) -> Leader:
    """Returns `role` as Leader; raises Impossible for any other role."""
    if not isinstance(role, Leader):
        raise Impossible(f"expected a leader, got {role}")
    return role


def follower_role(role: Role) -> Follower:
    """Returns `role` as Follower; raises Impossible for any other role."""
    if not isinstance(role, Follower):
        raise Impossible(f"expected a follower, got {role}")
    return role


def prospective_role(role: Role) -> Prospective:
    """Returns `role` as Prospective; raises Impossible for any other role."""
    if not isinstance(role, Prospective):
        raise Impossible(f"expected a prospective, got {role}")
    return role


def resigned_role(role: Role) -> Resigned:
    """Returns `role` as Resigned; raises Impossible for any other role."""
    if not isinstance(role, Resigned):
        raise Impossible(f"expected a resigned leader, got {role}")
    return role


def asking_role(role: Role) -> Prospective | Candidate:
    """Returns `role` as Prospective or Candidate; raises Impossible for any other role."""
    if not isinstance(role, Prospective | Candidate):
        raise Impossible(f"expected a prospective or a candidate, got {role}")
    return role
