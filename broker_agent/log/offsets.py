"""Offsets by timestamp (rules B7.7-B7.10)."""

from typing import NamedTuple

from .batch import NONE, expect_whole, header_of
from .compression import records_in
from .log import Log


class Found(NamedTuple):
    """A record by its offset, its timestamp, and the leader epoch of its batch."""

    offset: int
    timestamp: int
    epoch: int


NOTHING = Found(NONE, NONE, NONE)


def first_since(log: Log, timestamp: int) -> Found:
    """Returns the first record by offset with this timestamp or a later one (B7.8, B7.9).

    Raises BadBatch, BadRecord or CannotDecompress if damage hides it.
    """
    for number, segment in enumerate(log.segments):
        if segment.largest_timestamp < timestamp:
            continue
        start = max(log.start_offset, segment.base_offset)
        return _first_in(log, start, log.end_of_segment(number), timestamp)
    return NOTHING


def _first_in(log: Log, start: int, end: int, timestamp: int) -> Found:
    for batch in log.batches_between(start, end):
        header = header_of(batch)
        if header.base_offset in log.damaged:
            expect_whole(batch)
        if header.max_timestamp < timestamp:
            continue
        for record in records_in(batch, header):
            offset = header.base_offset + record.delta
            if record.timestamp >= timestamp and offset >= start:
                return Found(offset, record.timestamp, header.leader_epoch)
    return NOTHING


def largest(log: Log) -> Found:
    """Returns the first record with the largest timestamp, whatever the log start is (B7.10).

    Raises BadBatch if a torn batch hides it.
    """
    best = max(log.segments, key=lambda segment: segment.largest_timestamp)
    if best.largest_timestamp == NONE:
        return _first_without_time(log)
    log.check_found(best.offset_of_largest)
    return Found(best.offset_of_largest, best.largest_timestamp, log.epochs.latest)


def _first_without_time(log: Log) -> Found:
    """Returns the first record without a timestamp, if the first batch has one (B7.10)."""
    for batch in log.batches[:1]:
        header = header_of(batch)
        for record in records_in(batch, header):
            if record.timestamp == NONE:
                offset = header.base_offset + record.delta
                return Found(offset, NONE, header.leader_epoch)
    return NOTHING
