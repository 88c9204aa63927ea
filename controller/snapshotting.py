"""When what is committed is worth a snapshot, and the snapshot (rules 10.43, 10.46).

By size, or by time if anything was committed since: what grows without end begins anew.
"""

from .core.batch import Batch, Voters
from .core.image_records import records_of
from .core.loader import Loader
from .core.record_versions import record_version
from .core.rpc import SnapshotId
from .core.settings import Settings
from .core.snapshot_batches import snapshot_batches
from .raft.protocol import Turn
from .raft.quorum import Quorum
from .raft.snapshots import Snapshot


class Snapshotting:
    """One controller's own snapshots; the log stays back to the one before the last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._bytes = 0
        self._last_ms = 0
        self._last_timestamp_ms = 0

    def committed(self, batch: Batch, quorum: Quorum) -> None:
        self._bytes += quorum.snapshot_format.size(batch)
        self._last_timestamp_ms = batch.timestamp_ms

    def began_anew(self, now_ms: int) -> None:
        """The log begins with a snapshot, ours or the leader's."""
        self._bytes, self._last_ms = 0, now_ms

    def maybe_take(self, loader: Loader, quorum: Quorum, turn: Turn) -> None:
        """Between metadata transactions only: a snapshot holds no half of one (rule 9.34)."""
        if loader.open_transaction is None and self._is_due(turn.now_ms):
            log = quorum.log
            whole = SnapshotId(end_offset=log.start_offset, epoch=log.start_epoch)
            begin = quorum.snapshot_id or whole
            quorum.take_snapshot(self._snapshot(loader, quorum, turn), turn, begin=begin)
            self.began_anew(turn.now_ms)

    def _is_due(self, now_ms: int) -> bool:
        settings = self._settings
        if self._bytes >= settings.metadata_log_max_record_bytes_between_snapshots:
            return True
        interval_ms = settings.metadata_log_max_snapshot_interval_ms
        return 0 < interval_ms <= now_ms - self._last_ms and self._bytes > 0

    def _snapshot(self, loader: Loader, quorum: Quorum, turn: Turn) -> Snapshot:
        image = loader.image
        end_offset = image.offset + 1
        records = tuple(records_of(image))
        batches = snapshot_batches(
            records,
            tuple(record_version(record, image.metadata_version) for record in records),
            epoch=image.epoch,
            timestamp_ms=turn.wall_ms,
            last_contained_log_timestamp=self._last_timestamp_ms,
            kraft_version=quorum.history.version_at(end_offset),
            voters=Voters(voters=quorum.history.at(end_offset).voters),
        )
        snapshot_id = SnapshotId(end_offset=end_offset, epoch=image.epoch)
        return Snapshot(snapshot_id, tuple(batches), quorum.snapshot_format.spell(tuple(batches)))
