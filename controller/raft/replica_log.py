"""The log of a replica with its voters and snapshot: what is durable, and what is committed.

Other modules read these fields and change them only by the transitions here. A transition that
needs the disk says so in its turn (rule 10.5).
"""

from dataclasses import replace

from ..core.errors import Impossible
from ..core.log.batch import Batch
from ..core.log.control_records import Voter
from ..core.rpc import SnapshotId
from .identity import Identity
from .log import MetadataLog
from .protocol import Turn
from .snapshot import Download, Reading, Snapshot
from .voters import VoterHistory, VoterSet


class ReplicaLog:
    """The log, voters and snapshot of one replica.

    The log is durable below `persisted_offset` and committed below `high_watermark`.
    `leader_high_watermark` is the last one that the leader sent, -1 if unknown. `download` is a
    snapshot that is being fetched from the leader, `reading` a complete one that is being decoded.
    """

    def __init__(self, identity: Identity, log: MetadataLog, snapshot: Snapshot | None) -> None:
        self.identity = identity
        self.me = identity.key
        self.log = log
        self.snapshot = snapshot
        self.history = VoterHistory(identity.voters, identity.kraft_version)
        if snapshot is not None:
            self.history.restart(snapshot.batches)
        for batch in log.batches:
            self.history.appended(batch)
        held = 0 if snapshot is None else snapshot.snapshot_id.end_offset
        self.high_watermark = max(log.start_offset, held)
        self.persisted_offset = log.end_offset
        self.leader_high_watermark = -1
        self.download: Download | None = None
        self.reading: Reading | None = None

    @property
    def voters(self) -> VoterSet:
        """The voters by the latest record, committed or not."""
        return self.history.latest

    @property
    def is_voter(self) -> bool:
        """True if this replica is a voter."""
        return self.voters.includes(self.me)

    @property
    def other_voters(self) -> tuple[Voter, ...]:
        """The voters other than this replica."""
        return self.voters.voters_except(self.me.node_id)

    @property
    def snapshot_id(self) -> SnapshotId | None:
        """The id of the latest snapshot, or None."""
        return None if self.snapshot is None else self.snapshot.snapshot_id

    # Records

    def accept(self, batch: Batch, turn: Turn) -> None:
        """Append a batch that this replica wrote as leader, or fetched from the leader."""
        self.log.append(batch)
        self.history.appended(batch)
        turn.write_batch(batch)

    def truncate(self, end_offset: int, turn: Turn) -> None:
        """Truncate the log; raises Impossible below the high watermark."""
        self.log.truncate(end_offset)
        end_offset = self.log.end_offset  # the log truncates whole batches
        if end_offset < self.high_watermark:
            watermark = self.high_watermark
            raise Impossible(f"truncation to {end_offset}, below the high watermark {watermark}")
        self.history.truncated(end_offset)
        self.persisted_offset = min(self.persisted_offset, end_offset)
        turn.truncate_log(end_offset)

    # Progress

    def mark_persisted(self, end_offset: int) -> None:
        """Record that the log is durable up to `end_offset` (exclusive)."""
        self.persisted_offset = max(self.persisted_offset, min(end_offset, self.log.end_offset))

    def advance_high_watermark(self, offset: int) -> None:
        """Raise the high watermark to `offset`; it never falls (rule 9.39)."""
        if offset > self.high_watermark:
            self.high_watermark = offset

    def learn_high_watermark(self, offset: int) -> None:
        """Store the high watermark of the leader, which never falls within its epoch."""
        if offset > self.leader_high_watermark:
            self.leader_high_watermark = offset

    # Snapshots

    def take_snapshot(
        self, snapshot: Snapshot, turn: Turn, *, begin: SnapshotId | None = None
    ) -> None:
        """Take this replica's own snapshot, and remove the records that it replaces.

        The log then begins at the snapshot, or at the earlier snapshot `begin`, so that a follower
        that is only slightly behind can still fetch records.
        """
        end_offset = snapshot.snapshot_id.end_offset
        if end_offset > self.high_watermark:
            raise Impossible(f"{end_offset} over {self.high_watermark} (9.46)")
        start = snapshot.snapshot_id if begin is None else begin
        self.history.forget_before(start.end_offset)
        self.log.begin_at(start.end_offset, start.epoch)
        self.snapshot = snapshot
        turn.write_snapshot(snapshot)

    def replace_log(self, snapshot: Snapshot, turn: Turn) -> None:
        """Replace the whole log by a snapshot of the leader (rule 10.45)."""
        end_offset = snapshot.snapshot_id.end_offset
        self.log.restart(end_offset, snapshot.snapshot_id.epoch)
        self.history.restart(snapshot.batches)
        self.persisted_offset = end_offset
        self.advance_high_watermark(end_offset)
        self.snapshot = snapshot
        turn.write_snapshot(snapshot)

    def begin_download(self, snapshot_id: SnapshotId) -> None:
        """Begin to fetch a snapshot of the leader."""
        self.download = Download(snapshot_id)

    def extend_download(self, data: bytes) -> Download:
        """Add a slice to the snapshot that is being fetched; returns all of it so far."""
        if self.download is None:
            raise Impossible("a slice of a snapshot, and none is being fetched")
        self.download = replace(self.download, data=self.download.data + data)
        return self.download

    def end_download(self) -> None:
        """End the download, complete or refused."""
        self.download = None

    def begin_reading(self, reading: Reading) -> None:
        """Begin to decode a complete snapshot."""
        self.reading = reading

    def end_reading(self) -> None:
        """End the decoding, complete or not."""
        self.reading = None

    def forget_leader(self) -> None:
        """Drop the high watermark and the snapshot of the former leader."""
        self.leader_high_watermark, self.download = -1, None
