"""The bytes of a snapshot: Kafka's `.checkpoint` file, which FetchSnapshot also returns.

Offsets start at 0, every batch has the snapshot's epoch, and its timestamp is the time of writing.
A control batch begins the file (rule 10.43) and a footer ends it, so that a reader detects a
truncated file.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...core.log.batch import Batch
from ...core.log.control_records import SnapshotFooter, SnapshotHeader
from ..errors import DecodeError
from .record_batch import encode_batch, read_batches


def encode_snapshot(batches: Sequence[Batch]) -> bytes:
    """Returns the bytes of all batches of a snapshot, however many."""
    return b"".join(map(encode_batch, batches))


def decode_snapshot(data: bytes) -> list[Batch]:
    """Returns the batches of a complete snapshot, from its header to its footer."""
    return list(read_snapshot(data))


def read_snapshot(data: bytes) -> Iterator[Batch]:
    """Yields the batches of a complete snapshot; decodes each when the caller requests it.

    Raises DecodeError for invalid bytes.
    """
    return checked_snapshot(read_batches(data))


def checked_snapshot(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yields the batches, and raises DecodeError if they are no complete snapshot."""
    batch, offset, epoch = None, 0, 0
    for batch in batches:
        if not offset:
            _check_header(batch)
            epoch = batch.epoch
        if (batch.base_offset, batch.epoch) != (offset, epoch):
            raise DecodeError(
                f"snapshot: expected a batch at offset {offset} of epoch {epoch}, "
                f"got one at {batch.base_offset} of {batch.epoch}"
            )
        offset = batch.last_offset + 1
        yield batch
    if batch is None:
        raise DecodeError("snapshot: expected a header first, got nothing")
    if batch.records != (SnapshotFooter(),):
        raise DecodeError(f"snapshot: expected a footer last, got {_kinds(batch)}")


def _check_header(batch: Batch) -> None:
    if not isinstance(batch.records[0], SnapshotHeader):
        raise DecodeError(f"snapshot: expected a header first, got {_kinds(batch)}")


def _kinds(batch: Batch) -> str:
    return ", ".join(type(record).__name__ for record in batch.records[:3])
