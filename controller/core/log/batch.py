"""One batch of the metadata log: records appended together, with a base offset and an epoch."""

from collections.abc import Iterable
from dataclasses import field

from ..value import value
from .control_records import ControlRecord
from .records import Record

FETCH_BYTES_MAX = 8 * 1024 * 1024
"""Bytes of batches that a replica requests, and that a leader returns at most, in one fetch."""


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


def opaque(encoded: list[bytes]) -> Batch:
    """Returns bytes that are no batches of the metadata log, such as those of stored messages."""
    return Batch(base_offset=0, epoch=0, timestamp_ms=0, records=(), versions=(), encoded=encoded)


class BoundedBatches(tuple[Batch, ...]):
    """Batches of a response of which the encoder writes `bytes_max` bytes, but at least one batch.

    Only the encoder knows the sizes.
    """

    bytes_max: int = 0


def bounded(batches: Iterable[Batch], bytes_max: int) -> BoundedBatches:
    """Returns the batches with their bound."""
    found = BoundedBatches(batches)
    found.bytes_max = bytes_max
    return found
