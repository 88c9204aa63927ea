"""The batches of a snapshot (rule 10.43).

Offsets start at 0, every batch has the snapshot's epoch, and its timestamp is the time of writing.
A control batch begins the snapshot and a footer ends it, so that a reader detects a truncated file.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ..log.batch import Batch
from ..log.control_records import (
    ControlRecord,
    KRaftVersion,
    SnapshotFooter,
    SnapshotHeader,
    Voters,
)
from ..log.records import Record

RECORDS_PER_BATCH = 128  # about 1 ms of work: heartbeats are served between two batches


def snapshot_batches(
    records: Iterable[tuple[Record, int]],
    *,
    epoch: int,
    timestamp_ms: int,
    last_contained_log_timestamp: int,
    kraft_version: int = 0,
    voters: Voters | None = None,
) -> Iterator[Batch]:
    """Yields each batch as soon as its records are drawn.

    `records` are pairs of record and record version. The header includes the voters from
    kraft.version 1 on.
    """
    header: tuple[ControlRecord, ...] = (
        SnapshotHeader(last_contained_log_timestamp=last_contained_log_timestamp),
    )
    if kraft_version > 0:
        header += (KRaftVersion(kraft_version=kraft_version),)
        header += () if voters is None else (voters,)
    yield _control_batch(header, 0, epoch, timestamp_ms)
    offset, pending = len(header), iter(records)
    while chunk := tuple(islice(pending, RECORDS_PER_BATCH)):
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
