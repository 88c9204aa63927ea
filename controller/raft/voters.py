"""Voter sets and their history in the log (rules 10.49, 10.50).

A set takes effect when it is appended, not when it is committed, and truncation reverts it.
"""

from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from ..core.log.batch import Batch
from ..core.log.control_records import KRaftVersion, Voter, Voters
from ..core.uuid import ZERO_UUID, Uuid
from ..core.value import slotted

KEYS_MAX = 20_000  # as many replicas as may have waiting fetches
NOT_IN_LOG = -1  # offset of a set from the configuration or a snapshot


class ReplicaKey(NamedTuple):
    """A replica: its id and its directory id (ZERO_UUID if unknown)."""

    node_id: int
    directory_id: Uuid = ZERO_UUID


@lru_cache(maxsize=KEYS_MAX)
def replica_key(node_id: int, directory_id: Uuid) -> ReplicaKey:
    """Returns a cached ReplicaKey, because every fetch needs one."""
    return ReplicaKey(node_id, directory_id)


@slotted(unsafe_hash=True)
class VoterSet:
    """Voters in order of id, with distinct ids.

    Immutable by convention; lookups are computed at creation, because every step uses them.
    """

    voters: tuple[Voter, ...] = ()
    ids: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _by_id: dict[int, Voter] = field(init=False, compare=False, repr=False)
    _voters_except: dict[int, tuple[Voter, ...]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        voters = self.voters
        self.ids = tuple(voter.voter_id for voter in voters)
        self._by_id = {voter.voter_id: voter for voter in voters}
        self._voters_except = {
            voter.voter_id: tuple(peer for peer in voters if peer is not voter) for voter in voters
        }

    def voters_except(self, node_id: int) -> tuple[Voter, ...]:
        """Returns the voters with an id other than `node_id`."""
        return self._voters_except.get(node_id, self.voters)

    def find(self, node_id: int) -> Voter | None:
        """Returns the voter with that id, or None."""
        return self._by_id.get(node_id)

    def includes(self, key: ReplicaKey) -> bool:
        """True if the set has a voter with the id and directory id of `key`.

        The directory id is compared only if the set has one for the voter (rule 5.36).
        """
        voter = self._by_id.get(key.node_id)
        return voter is not None and voter.voter_directory_id in (ZERO_UUID, key.directory_id)

    @property
    def majority(self) -> int:
        """Smallest number of voters that is a majority."""
        return len(self.voters) // 2 + 1

    def with_voter(self, voter: Voter) -> "VoterSet":
        """Returns the set with `voter` added, or replacing the voter of the same id."""
        unchanged = tuple(old for old in self.voters if old.voter_id != voter.voter_id)
        return VoterSet(tuple(sorted((*unchanged, voter), key=lambda voter: voter.voter_id)))

    def without(self, node_id: int) -> "VoterSet":
        """Returns the set without the voter of that id."""
        return VoterSet(tuple(voter for voter in self.voters if voter.voter_id != node_id))


class VoterHistory:
    """The voter set and kraft.version at every offset of a log, oldest first.

    `latest` is the latest voter set, which every step looks up.
    """

    def __init__(self, configured: VoterSet, kraft_version: int = 0) -> None:
        self._sets: list[tuple[int, VoterSet]] = [(NOT_IN_LOG, configured)]
        self._versions: list[tuple[int, int]] = [(NOT_IN_LOG, kraft_version)]
        self.latest = configured

    @property
    def latest_offset(self) -> int:
        """Offset of the latest set's record; NOT_IN_LOG if no record has it."""
        return self._sets[-1][0]

    @property
    def kraft_version(self) -> int:
        """The latest kraft.version."""
        return self._versions[-1][1]

    def at(self, end_offset: int) -> VoterSet:
        """Returns the set of the latest record below `end_offset`."""
        return next(voters for offset, voters in reversed(self._sets) if offset < end_offset)

    def version_at(self, end_offset: int) -> int:
        """Returns the kraft.version of the latest record below `end_offset`."""
        return next(level for offset, level in reversed(self._versions) if offset < end_offset)

    def appended(self, batch: Batch) -> None:
        """Store the voters and versions in an appended batch."""
        if not batch.is_control:
            return
        for offset, record in enumerate(batch.records, batch.base_offset):
            if isinstance(record, Voters):
                self.latest = VoterSet(record.voters)
                self._sets.append((offset, self.latest))
            elif isinstance(record, KRaftVersion):
                self._versions.append((offset, record.kraft_version))

    def truncated(self, end_offset: int) -> None:
        """Remove the records from `end_offset` on."""
        self._sets = [entry for entry in self._sets if entry[0] < end_offset]
        self._versions = [version for version in self._versions if version[0] < end_offset]
        self.latest = self._sets[-1][1]

    def forget_before(self, offset: int) -> None:
        """Remove the sets and versions that no longer apply at `offset`."""
        for entries in (self._sets, self._versions):
            del entries[
                : max((i for i, entry in enumerate(entries) if entry[0] < offset), default=0)
            ]

    def restart(self, batches: Iterable[Batch]) -> None:
        """Restart from a snapshot.

        A snapshot of kraft.version 0 has no voters; then the configured voters stay.
        """
        self._sets = [(NOT_IN_LOG, self._sets[0][1])]
        self._versions = [(NOT_IN_LOG, self._versions[0][1])]
        for batch in batches:
            for record in batch.records if batch.is_control else ():
                if isinstance(record, Voters):
                    self._sets = [(NOT_IN_LOG, VoterSet(record.voters))]
                elif isinstance(record, KRaftVersion):
                    self._versions = [(NOT_IN_LOG, record.kraft_version)]
        self.latest = self._sets[-1][1]
