"""A snapshot that a fleet fetches in slices, decoded once for all its brokers."""

from kraftsim.controller.core.rpc import SnapshotId, SnapshotPartitionData
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot

from .image_history import ImageHistory


class SnapshotIntake:
    """The slices of a snapshot; several brokers may fetch it at the same time."""

    def __init__(self, history: ImageHistory) -> None:
        self._history = history
        self._snapshot_id = SnapshotId()
        self._data = b""

    def take(self, data: SnapshotPartitionData) -> None:
        """Append a slice if it continues the snapshot; load the snapshot once it is complete."""
        if data.error_code or data.snapshot_id.end_offset <= self._history.log.end_offset:
            return
        if data.snapshot_id != self._snapshot_id:
            self._snapshot_id, self._data = data.snapshot_id, b""
        if data.position == len(self._data):
            self._data += data.unaligned_records
        if len(self._data) == data.size:
            batches, self._data = decode_snapshot(self._data), b""
            snapshot_id = data.snapshot_id
            self._history.begin_anew(batches, snapshot_id.end_offset, snapshot_id.epoch)
