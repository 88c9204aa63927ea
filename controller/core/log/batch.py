"""One batch of the metadata log: records appended together, with a base offset and an epoch."""

from dataclasses import field

from ..value import value
from .control_records import ControlRecord
from .records import Record

FETCH_BYTES_MAX = 8 * 1024 * 1024
"""Bytes of batches that a replica requests and a leader returns in one fetch, as Kafka's raft."""


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
