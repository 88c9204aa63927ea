"""One batch of the metadata log: records that were appended together, at offsets and an epoch."""

from dataclasses import field

from ..value import value
from .records import Record


@value
class LeaderChange:
    """The control record that opens an epoch (rule 10.20); version 0 in every release."""

    leader_id: int
    voters: tuple[int, ...]
    granting_voters: tuple[int, ...]


@value
class SnapshotHeader:
    last_contained_log_timestamp: int


@value
class SnapshotFooter:
    pass


@value
class KRaftVersion:
    kraft_version: int


@value
class VoterEndpoint:
    name: str
    host: str
    port: int


@value
class VersionRange:
    min_supported_version: int
    max_supported_version: int


@value
class Voter:
    voter_id: int
    voter_directory_id: bytes
    endpoints: tuple[VoterEndpoint, ...]
    k_raft_version_feature: VersionRange


@value
class Voters:
    voters: tuple[Voter, ...]


ControlRecord = LeaderChange | SnapshotHeader | SnapshotFooter | KRaftVersion | Voters


@value
class Batch:
    """`records` are all data or all control records; `timestamp_ms` is wall time, a stamp only.

    `versions` are the record versions that metadata.version allowed when each was written.
    `spelled` caches the batch's bytes once the wire has spelled them; equality ignores it.
    """

    base_offset: int
    epoch: int
    timestamp_ms: int
    records: tuple[Record, ...] | tuple[ControlRecord, ...]
    versions: tuple[int, ...]
    is_control: bool = False
    spelled: list[bytes] = field(default_factory=list, compare=False, repr=False)

    @property
    def last_offset(self) -> int:
        return self.base_offset + len(self.records) - 1
