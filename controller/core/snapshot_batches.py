"""What an image's records become in a snapshot (rule 10.43).

Offsets are counted from 0 within it, every batch has the snapshot's epoch, and its time is when it
was written. A control batch opens it, a footer ends it, so that half of one is never taken for all.
"""

from collections.abc import Sequence

from .batch import Batch, ControlRecord, KRaftVersion, SnapshotFooter, SnapshotHeader, Voters
from .records import Record

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
        versions=(0,) * len(records),
        is_control=True,
    )
