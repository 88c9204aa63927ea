"""The bytes of a snapshot: Kafka's `.checkpoint` file, which is also what FetchSnapshot hands out.

Offsets are counted from 0 within the file, every batch has the snapshot's epoch, and its time is
when it was written. A control batch opens the file (rule 10.43), a footer ends it, so that half a
snapshot is never taken for a whole one.
"""

from collections.abc import Sequence

from ..core.batch import Batch, SnapshotFooter, SnapshotHeader
from .errors import DecodeError
from .record_batch import decode_batches, encode_batch


def encode_snapshot(batches: Sequence[Batch]) -> bytes:
    """All of them: unlike an answer to a Fetch, a file has no bound."""
    return b"".join(map(encode_batch, batches))


def decode_snapshot(data: bytes) -> list[Batch]:
    """The batches of a whole snapshot, its header the first and its footer the last."""
    batches = decode_batches(data)
    if not batches or not isinstance(batches[0].records[0], SnapshotHeader):
        raise DecodeError(f"snapshot: expected a header first, got {_kinds(batches[:1])}")
    if batches[-1].records != (SnapshotFooter(),):
        raise DecodeError(f"snapshot: expected a footer last, got {_kinds(batches[-1:])}")
    offset, epoch = 0, batches[0].epoch
    for batch in batches:
        if (batch.base_offset, batch.epoch) != (offset, epoch):
            raise DecodeError(
                f"snapshot: expected a batch at offset {offset} of epoch {epoch}, "
                f"got one at {batch.base_offset} of {batch.epoch}"
            )
        offset = batch.last_offset + 1
    return batches


def _kinds(batches: Sequence[Batch]) -> str:
    names = [type(record).__name__ for batch in batches for record in batch.records[:3]]
    return ", ".join(names) or "nothing"
