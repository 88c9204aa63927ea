"""The bytes of a snapshot: Kafka's `.checkpoint` file, which is also what FetchSnapshot hands out.

Offsets are counted from 0 within the file, every batch has the snapshot's epoch, and its time is
when it was written. A control batch opens the file (rule 10.43), a footer ends it, so that half a
snapshot is never taken for a whole one.
"""

from collections.abc import Sequence

from ..core.batch import (
    Batch,
    ControlRecord,
    KRaftVersion,
    SnapshotFooter,
    SnapshotHeader,
    Voters,
)
from ..core.records import Record
from .control_records import VERSION
from .errors import DecodeError
from .record_batch import decode_batches, encode_batch

RECORDS_PER_BATCH = 1024  # as many as Kafka hands its writer at once; it fills batches up to 8 MiB


def snapshot_batches(
    records: Sequence[Record],
    versions: Sequence[int],
    *,
    epoch: int,
    timestamp_ms: int,
    last_contained_log_timestamp: int,
    kraft_version: int = 0,
    voters: Voters | None = None,
) -> list[Batch]:
    """What an image's records become in the file. Voters are told from kraft.version 1 on."""
    header: tuple[ControlRecord, ...] = (
        SnapshotHeader(last_contained_log_timestamp=last_contained_log_timestamp),
    )
    if kraft_version > 0:
        header += (KRaftVersion(kraft_version=kraft_version),)
        header += () if voters is None else (voters,)
    batches = [_control_batch(header, 0, epoch, timestamp_ms)]
    for start in range(0, len(records), RECORDS_PER_BATCH):
        batch = Batch(
            base_offset=len(header) + start,
            epoch=epoch,
            timestamp_ms=timestamp_ms,
            records=tuple(records[start : start + RECORDS_PER_BATCH]),
            versions=tuple(versions[start : start + RECORDS_PER_BATCH]),
        )
        batches.append(batch)
    end = len(header) + len(records)
    return [*batches, _control_batch((SnapshotFooter(),), end, epoch, timestamp_ms)]


def _control_batch(
    records: tuple[ControlRecord, ...], base_offset: int, epoch: int, timestamp_ms: int
) -> Batch:
    return Batch(
        base_offset=base_offset,
        epoch=epoch,
        timestamp_ms=timestamp_ms,
        records=records,
        versions=(VERSION,) * len(records),
        is_control=True,
    )


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
