"""What an image's records become in a snapshot (rule 10.43).

Offsets are counted from 0 within it, every batch has the snapshot's epoch, and its time is when it
was written. A control batch opens it, a footer ends it, so that half of one is never taken for all.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ..log.batch import Batch, ControlRecord, KRaftVersion, SnapshotFooter, SnapshotHeader, Voters
from ..log.records import Record

RECORDS_PER_BATCH = 128  # about a millisecond's work: heartbeats are served between two batches


def snapshot_batches(
    records: Iterable[tuple[Record, int]],
    *,
    epoch: int,
    timestamp_ms: int,
    last_contained_log_timestamp: int,
    kraft_version: int = 0,
    voters: Voters | None = None,
) -> Iterator[Batch]:
    """Yields each batch once its records, each with its version, are drawn. Voters are told from
    kraft.version 1 on."""
    header: tuple[ControlRecord, ...] = (
        SnapshotHeader(last_contained_log_timestamp=last_contained_log_timestamp),
    )
    if kraft_version > 0:
        header += (KRaftVersion(kraft_version=kraft_version),)
        header += () if voters is None else (voters,)
    yield _control_batch(header, 0, epoch, timestamp_ms)
    offset, left = len(header), iter(records)
    while chunk := tuple(islice(left, RECORDS_PER_BATCH)):
        yield Batch(
            base_offset=offset,
            epoch=epoch,
            timestamp_ms=timestamp_ms,
            records=tuple([record for record, _ in chunk]),
            versions=tuple([version for _, version in chunk]),
        )
        offset += len(chunk)
    yield _control_batch((SnapshotFooter(),), offset, epoch, timestamp_ms)


def _control_batch(
    records: tuple[ControlRecord, ...], base_offset: int, epoch: int, timestamp_ms: int
) -> Batch:
    return Batch(
        base_offset=base_offset,
        epoch=epoch,
        timestamp_ms=timestamp_ms,
        records=records,
        versions=(0,) * len(records),
        is_control=True,
    )
