"""Snapshots as values, and the interface that encodes them.

The bytes are those of Kafka's `.checkpoint` files. Each quorum gets a `SnapshotFormat`, so that no
module of `raft` depends on the encoding.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

from ..core.log.batch import Batch
from ..core.rpc import SnapshotId
from ..core.value import slotted, value

BATCH_BYTES, RECORD_BYTES = 61, 60  # estimated sizes for batches that are not encoded
REFERENCES_MAX = 256  # snapshots that may be in transfer; each replica also keeps its own
READ_RECORDS_MAX = 1_000  # records of one step, and the rest of their batch: about 10 ms of work


@value(kw_only=False, eq=False)
class SnapshotFormat:
    """Encodes and decodes snapshots.

    `encode` returns the bytes of a snapshot's batches. `read` yields the batches of such bytes, and
    raises ValueError or LookupError for other bytes. `size` returns the size of a batch in bytes;
    it may encode and cache the batch. `encode_slice` encodes the next records of a large batch,
    appends their bytes to the list, and returns True once the whole batch is cached.
    """

    encode: Callable[[tuple[Batch, ...]], bytes]
    read: Callable[[bytes], Iterable[Batch]]
    size: Callable[[Batch], int]
    encode_slice: Callable[[Batch, list[bytes]], bool]


def by_reference() -> SnapshotFormat:
    """Returns a format whose bytes only refer to batches, for replicas that share a process."""
    references = _References()
    return SnapshotFormat(references.encode, references.read, _estimated_size, _needs_no_bytes)


class _References:
    """The batches to which the bytes of snapshots refer, by number."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Batch, ...]] = {}
        self._count = 0

    def encode(self, batches: tuple[Batch, ...]) -> bytes:
        number = self._count
        self._count += 1
        self._known[number] = batches
        self._known.pop(number - REFERENCES_MAX, None)
        return b"%016d" % number

    def read(self, data: bytes) -> tuple[Batch, ...]:
        return self._known[int(data)]


def _estimated_size(batch: Batch) -> int:
    return BATCH_BYTES + RECORD_BYTES * len(batch.records)


def _needs_no_bytes(_batch: Batch, _slices: list[bytes]) -> bool:
    return True


@value(kw_only=False)
class Snapshot:
    """All committed state below `snapshot_id.end_offset`, in the smallest number of records."""

    snapshot_id: SnapshotId
    batches: tuple[Batch, ...]
    data: bytes


@value(kw_only=False)
class Download:
    """The part of a snapshot that has been fetched so far."""

    snapshot_id: SnapshotId
    data: bytes = b""


@slotted(eq=False)
class Reading:
    """A complete snapshot that is being decoded; `undecoded` yields the remaining batches."""

    snapshot_id: SnapshotId
    data: bytes
    undecoded: Iterator[Batch]
    batches: list[Batch] = field(default_factory=list)

    def go_on(self) -> bool:
        """Decode batches up to the bound of a step; returns True once all batches are decoded."""
        records = 0
        for batch in self.undecoded:
            self.batches.append(batch)
            records += len(batch.records)
            if records >= READ_RECORDS_MAX:
                return False
        return True
