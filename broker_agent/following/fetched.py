"""What a follower makes of its leader's answers: it cuts its log, or appends (rule B5)."""

from ..log.batch import (
    HEADER_BYTES,
    MAGIC,
    MAGIC_END,
    BadBatch,
    BadRecord,
    Header,
    has_valid_crc,
    header_of,
    size_at,
)
from ..log.codecs import CannotDecompress
from ..log.compression import scan_of
from ..log.log import Instant, Log
from ..log.recovery import truncate
from ..log.settings import LogSettings
from ..replication.followers import Truncated


class Misplaced(Exception):
    """A fetched batch begins before the end of the log."""


def append(log: Log, records: bytes, epoch: int, at: Instant, settings: LogSettings) -> int:
    """Appends fetched batches, and returns their bytes; `epoch` is the one that is followed.

    Raises BadBatch, and appends nothing, if one is damaged; raises Misplaced for one that does not
    continue the log (B1.50).
    """
    appended = 0
    for batch, header in _checked(records):
        if header.leader_epoch > epoch:  # the leader may have lost its office meanwhile (B5.14)
            break
        if header.base_offset < log.end_offset:
            if log.end_offset > log.start_offset or header.last_offset < log.end_offset:
                raise Misplaced(f"expected offset {log.end_offset}, got {header.base_offset}")
            log.begin_anew(header.base_offset, at.now_ms)  # B5.16
        offset_of_max = header.base_offset + _delta_of_newest(batch, header)
        log.append_fetched(batch, header, offset_of_max, at, settings)
        appended += len(batch)
    return appended


def _checked(records: bytes) -> list[tuple[bytes, Header]]:
    """Returns the whole batches with their headers; raises BadBatch for a damaged one (B1.20)."""
    found: list[tuple[bytes, Header]] = []
    start = 0
    while size := size_at(records, start):
        batch = records[start : start + size]
        is_current = size >= HEADER_BYTES and batch[MAGIC_END - 1] == MAGIC
        if not is_current or not has_valid_crc(batch):
            raise BadBatch(f"the batch at byte {start} of a reply is damaged")
        found.append((batch, header_of(batch)))
        start += size
    return found


def _delta_of_newest(batch: bytes, header: Header) -> int:
    """Returns which record has the largest timestamp; 0 of a batch that cannot be read."""
    try:
        return scan_of(batch, header, 0, len(batch)).offset_of_newest
    except (BadRecord, CannotDecompress):
        return 0


def cut(log: Log, offset: int, now_ms: int) -> Truncated | None:
    """Cuts the log at an offset, which may be below its start; returns what it lost."""
    before, committed = log.end_offset, log.high_watermark
    if offset < log.start_offset:
        log.begin_anew(offset, now_ms)
    else:
        truncate(log, offset)
    after = log.end_offset
    return None if after == before else Truncated(after, before, max(after, committed))


def follow(log: Log, high_watermark: int, log_start: int, now_ms: int) -> bool:
    """Takes the high watermark and the log start of the leader (B5.20, B5.22).

    Returns True if the high watermark has changed.
    """
    before = log.high_watermark
    log.high_watermark = max(min(high_watermark, log.end_offset), log.start_offset)
    log.delete_before(min(log_start, log.end_offset), now_ms)
    return log.high_watermark != before
