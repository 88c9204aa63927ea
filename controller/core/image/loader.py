"""Replay of a log into an image, batch by batch, with metadata transactions (rule 9.34).

Records between BeginTransaction and EndTransaction become visible together; an aborted transaction
has no effect. Committed state, observers and readers of log files all use this loader.
"""

from collections.abc import Iterable
from typing import cast

from ..log.batch import Batch
from ..log.control_records import ControlRecord
from ..log.records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    Record,
)
from .image import Image
from .replay import apply, apply_control


class Loader:
    """Replays batches into `image`.

    `image` is the visible state. `open_transaction` is the name of the transaction that has not
    ended, or None.
    """

    def __init__(self, image: Image | None = None) -> None:
        self.image = image if image is not None else Image()
        self.open_transaction: str | None = None
        self._held: list[tuple[Record, int, Batch]] = []

    @staticmethod
    def of_snapshot(batches: Iterable[Batch], end_offset: int, epoch: int) -> "Loader":
        """Returns a loader with the image of a snapshot that ends at `end_offset` (exclusive).

        As in Kafka, all state has the offset and epoch of the snapshot's last record.
        """
        loader = Loader()
        for batch in batches:
            loader.load_of_snapshot(batch, end_offset, epoch)
        return loader

    def load_of_snapshot(self, batch: Batch, end_offset: int, epoch: int) -> None:
        """Load one batch of a snapshot."""
        image, offset = self.image, end_offset - 1
        for record in batch.records:
            image.offset = -1
            if batch.is_control:
                apply_control(image, cast(ControlRecord, record), offset=offset, epoch=epoch)
            else:
                apply(image, cast(Record, record), offset=offset, epoch=epoch)

    def copy(self) -> "Loader":
        """Returns an independent copy, including an open transaction."""
        twin = Loader(self.image.copy())
        twin.open_transaction, twin._held = self.open_transaction, self._held[:]
        return twin

    def load(self, batch: Batch) -> None:
        """Replay one batch of the log.

        Records of a metadata transaction become visible when the transaction ends.
        """
        if batch.is_control:
            for offset, control in enumerate(batch.records, batch.base_offset):
                apply_control(
                    self.image, cast(ControlRecord, control), offset=offset, epoch=batch.epoch
                )
            return
        for offset, record in enumerate(batch.records, batch.base_offset):
            if self.open_transaction is None and type(record) is not BeginTransactionRecord:
                self._apply(cast(Record, record), offset, batch)
            else:
                self._hold(cast(Record, record), offset, batch)

    def _hold(self, record: Record, offset: int, batch: Batch) -> None:
        if isinstance(record, BeginTransactionRecord):
            self.open_transaction = record.name or ""
        self._held.append((record, offset, batch))
        if isinstance(record, AbortTransactionRecord):
            self._held = [self._held[0], self._held[-1]]  # drop the aborted records
        if isinstance(record, AbortTransactionRecord | EndTransactionRecord):
            self._release()

    def _release(self) -> None:
        held, self._held, self.open_transaction = self._held, [], None
        for record, offset, batch in held:
            self._apply(record, offset, batch)

    def _apply(self, record: Record, offset: int, batch: Batch) -> None:
        apply(self.image, record, offset=offset, epoch=batch.epoch, timestamp_ms=batch.timestamp_ms)


def replay(batches: Iterable[Batch]) -> Image:
    """Returns the image of a log, replayed from its first batch."""
    loader = Loader()
    for batch in batches:
        loader.load(batch)
    return loader.image
