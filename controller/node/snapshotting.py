"""Creates snapshots of the committed image (rules 10.43, 10.46).

A snapshot is due after a number of bytes, or after a time in which anything was committed. Kafka
writes snapshots in a separate thread; here a copy of the image is written one batch a step, and
heartbeats are served between two steps.
"""

from collections import deque
from collections.abc import Iterator

from ..core.image.image_records import records_of
from ..core.image.loader import Loader
from ..core.image.snapshot_batches import RECORDS_PER_BATCH, snapshot_batches
from ..core.log.batch import Batch
from ..core.log.control_records import Voters
from ..core.log.record_versions import record_version
from ..core.rpc import SnapshotId
from ..core.settings import Settings
from ..raft.protocol import Turn
from ..raft.quorum import Quorum
from ..raft.snapshot import Snapshot

COUNTED_RECORDS_MAX = 2_500  # of a batch whose bytes are counted in the step that loads it
FREED_RECORDS_MAX = 2_000  # records of one step: about 1 ms of work


class Draft:
    """A snapshot that is being written.

    `written` are the finished batches; `_pending` yields the others.
    """

    def __init__(self, snapshot_id: SnapshotId, batches: Iterator[Batch]) -> None:
        self.snapshot_id = snapshot_id
        self.written: list[Batch] = []
        self._pending = batches

    def go_on(self, quorum: Quorum) -> bool:
        """Write batches until one is full; returns True once all batches are written."""
        for batch in self._pending:
            quorum.snapshot_format.size(batch)  # caches the batch's bytes for the snapshot file
            self.written.append(batch)
            if len(batch.records) >= RECORDS_PER_BATCH:
                return False
        return True


class Snapshotting:
    """Creates the snapshots of one controller.

    The log keeps the records since the snapshot before the last.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._draft: Draft | None = None
        self._forgotten: list[Batch] = []
        self._uncounted: deque[Batch] = deque()
        self._slices: list[bytes] = []  # encoded slices of `_uncounted[0]`
        self._bytes = 0
        self._last_ms = 0
        self._last_timestamp_ms = 0

    def committed(self, batch: Batch, quorum: Quorum) -> None:
        """Count the bytes of a committed batch, those of a large batch in a later step.

        To count them may be to encode them, which takes as long as to load the batch.
        """
        self._last_timestamp_ms = batch.timestamp_ms
        if len(batch.records) > COUNTED_RECORDS_MAX:
            self._uncounted.append(batch)
        else:
            self._bytes += quorum.snapshot_format.size(batch)

    def maybe_count(self, quorum: Quorum) -> bool:
        """Encode the next slice of the oldest uncounted batch, and count its bytes after the last.

        Returns False if every batch is counted.
        """
        if not self._uncounted:
            return False
        if quorum.snapshot_format.encode_slice(self._uncounted[0], self._slices):
            self._bytes += quorum.snapshot_format.size(self._uncounted.popleft())
            self._slices = []
        return True

    def began_anew(self, now_ms: int) -> None:
        """Drop the draft, because a snapshot of the leader replaced the log."""
        self._draft = None
        self._uncounted.clear()
        self._slices = []
        self._bytes, self._last_ms = 0, now_ms

    @property
    def has_work(self) -> bool:
        """True while a draft is unfinished, a batch is not counted, or records must be freed."""
        return self._draft is not None or bool(self._uncounted) or bool(self._forgotten)

    def maybe_begin(self, loader: Loader, quorum: Quorum, turn: Turn) -> None:
        """Begin a snapshot if it is due and no metadata transaction is open (rule 9.34).

        A controller that loads its log again after a restart waits until the image is newer than
        its last snapshot.
        """
        latest = 0 if quorum.snapshot_id is None else quorum.snapshot_id.end_offset
        is_newer = loader.image.offset >= latest and loader.open_transaction is None
        if self._draft is None and is_newer and self._is_due(turn.now_ms):
            self._draft = self._new_draft(loader, quorum, turn)
            self._bytes, self._last_ms = 0, turn.now_ms
            self.maybe_go_on(quorum, turn)

    def maybe_go_on(self, quorum: Quorum, turn: Turn) -> None:
        """Write one batch of the draft, if there is one; the last batch completes the snapshot."""
        self._free()
        if self._draft is not None and self._draft.go_on(quorum):
            self._take(self._draft, quorum, turn)
            self._draft = None

    def _free(self) -> None:
        """Free a bounded number of records that a snapshot replaced.

        To free all records of a large log takes as long as to write them.
        """
        freed = 0
        while self._forgotten and freed < FREED_RECORDS_MAX:
            freed += len(self._forgotten.pop().records)

    def _is_due(self, now_ms: int) -> bool:
        settings = self._settings
        if self._bytes >= settings.metadata_log_max_record_bytes_between_snapshots:
            return True
        interval_ms = settings.metadata_log_max_snapshot_interval_ms
        return 0 < interval_ms <= now_ms - self._last_ms and self._bytes > 0

    def _new_draft(self, loader: Loader, quorum: Quorum, turn: Turn) -> Draft:
        image = loader.image.copy_of_records()  # copy on write
        end_offset, level = image.offset + 1, image.metadata_version
        batches = snapshot_batches(
            ((record, record_version(record, level)) for record in records_of(image)),
            epoch=image.epoch,
            timestamp_ms=turn.wall_ms,
            last_contained_log_timestamp=self._last_timestamp_ms,
            kraft_version=quorum.history.version_at(end_offset),
            voters=Voters(voters=quorum.history.at(end_offset).voters),
        )
        return Draft(SnapshotId(end_offset=end_offset, epoch=image.epoch), batches)

    def _take(self, draft: Draft, quorum: Quorum, turn: Turn) -> None:
        log, batches = quorum.log, tuple(draft.written)
        whole = SnapshotId(end_offset=log.start_offset, epoch=log.start_epoch)
        older = () if quorum.snapshot is None else quorum.snapshot.batches
        self._forgotten = [*older, *log.read(log.start_offset)]
        snapshot = Snapshot(draft.snapshot_id, batches, quorum.snapshot_format.encode(batches))
        quorum.take_snapshot(snapshot, turn, begin=quorum.snapshot_id or whole)
        self._free()
