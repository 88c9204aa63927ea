"""What a disk loses or damages of a log, and what the next process makes of it (rules B8.40-B8.44).

A process that is killed loses nothing. A power cut loses what was not flushed. A broker that starts
after either looks for damage in what may not have been flushed, and cuts the log there.
"""

from bisect import bisect_left
from enum import StrEnum

from .batch import HEADER_BYTES, header_of
from .log import Log
from .segments import Segment, merged


class Part(StrEnum):
    """What is damaged of a stored batch."""

    RECORDS = "records"
    """A byte of the records: the checksum is wrong."""
    LENGTH = "length"
    """The length in the header: whoever looks for a later offset does not find it."""


TORN_LENGTH = 5  # below the least that any format has


def damage(log: Log, base_offset: int, part: Part) -> None:
    """Damages the batch with this base offset; copies of it in other logs stay as they are."""
    index = bisect_left(log.base_offsets, base_offset)
    batch = bytearray(log.batches[index])
    if part is Part.LENGTH:
        batch[8:12] = TORN_LENGTH.to_bytes(4)
    else:
        batch[(HEADER_BYTES + len(batch)) // 2] ^= 0xFF
    log.batches[index] = bytes(batch)
    log.damaged.add(base_offset)


def lose_tail(log: Log, records: int | None) -> int:
    """Loses the last records, by default those that are not flushed; returns how many.

    A batch is lost as a whole: what is left of it is torn.
    """
    end = log.end_offset
    truncate(log, log.recovery_point if records is None else max(end - records, log.start_offset))
    return end - log.end_offset


def recover(log: Log) -> int:
    """Cuts the log at the first damaged batch that may not be flushed; returns the records lost.

    A process that starts after an unclean end reads the segment with the recovery point, and those
    behind it (B8.43). It takes what it has read for flushed.
    """
    end, scanned = log.end_offset, log.segment_at(log.recovery_point).base_offset
    found = [base for base in log.damaged if base >= scanned]
    if found:
        truncate(log, min(found))
    log.flush()
    return end - log.end_offset


def truncate(log: Log, offset: int) -> None:
    """Cuts the log before the batch that contains the offset.

    Later segments go, epochs that began later too, and producers are what the batches say
    (B5.32, B3.33).
    """
    index = log.index_of(offset)
    if index == len(log.batches):
        log.epochs.cut_end(offset)  # also of an epoch without a record (KAFKA-10706)
        return
    cut = log.base_offsets[index]
    kept = log.batches[:index]
    log.segments = [segment for segment in log.segments if segment.base_offset <= cut]
    active = log.segments[-1]
    in_active = log.batches_between(active.base_offset, cut)
    end = header_of(in_active[-1]).last_offset + 1 if in_active else active.base_offset
    if end < log.start_offset:  # nothing of what is left may be read
        end, kept, in_active = log.start_offset, [], []
        log.segments = [Segment(end, active.created_ms)]
    else:
        log.segments[-1] = merged((active,), in_active)
    log.batches, log.base_offsets = kept, log.base_offsets[: len(kept)]
    log.end_offset = end
    log.high_watermark = min(log.high_watermark, end)
    log.recovery_point = min(log.recovery_point, end)
    log.cleaned_offset = min(log.cleaned_offset, log.segments[-1].base_offset)
    log.horizons = {base: due for base, due in log.horizons.items() if base < end}
    log.damaged = {base for base in log.damaged if base < end}
    log.epochs.cut_end(end)
    log.producers.rebuild(log.base_offsets[0] if kept else end, map(header_of, kept))
