"""One batch of the metadata log: records appended together, with a base offset and an epoch."""

from dataclasses import field

from ..value import value
from .records import Record

FETCH_BYTES_MAX = 8 * 1024 * 1024
"""Bytes of batches that a replica requests and a leader returns in one fetch, as Kafka's raft."""


@value
class LeaderChange:
    """The control record that opens an epoch (rule 10.20); version 0 in every release."""

    leader_id: int
    voters: tuple[int, ...]
    granting_voters: tuple[int, ...]


@value
class SnapshotHeader:
    """The control record that begins a snapshot.

    `last_contained_log_timestamp` is the timestamp of the last batch it contains, in milliseconds.
    """

    last_contained_log_timestamp: int


@value
class SnapshotFooter:
    """The control record that ends a snapshot."""

    pass


@value
class KRaftVersion:
    """The control record that finalizes kraft.version."""

    kraft_version: int


@value
class VoterEndpoint:
    """One listener of a voter."""

    name: str
    host: str
    port: int


@value
class VersionRange:
    """The versions of kraft.version that a voter supports, both ends included."""

    min_supported_version: int
    max_supported_version: int


@value
class Voter:
    """One voter: its id, directory, listeners and supported versions."""

    voter_id: int
    voter_directory_id: bytes
    endpoints: tuple[VoterEndpoint, ...]
    k_raft_version_feature: VersionRange


@value
class Voters:
    """The control record that holds the voters (KIP-853)."""

    voters: tuple[Voter, ...]


ControlRecord = LeaderChange | SnapshotHeader | SnapshotFooter | KRaftVersion | Voters


@value
class Batch:
    """A batch of data records, or a batch of control records (`is_control`).

    `timestamp_ms` is wall time, which no decision reads. `versions` are the record versions that
    metadata.version permitted at the time of writing. `encoded` holds the bytes of the batch once
    they are known; equality ignores it.
    """

    base_offset: int
    epoch: int
    timestamp_ms: int
    records: tuple[Record, ...] | tuple[ControlRecord, ...]
    versions: tuple[int, ...]
    is_control: bool = False
    encoded: list[bytes] = field(default_factory=list, compare=False, repr=False)

    @property
    def last_offset(self) -> int:
        """The offset of the batch's last record."""
        return self.base_offset + len(self.records) - 1
