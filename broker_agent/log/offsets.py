"""Offsets by timestamp (rules B7.7-B7.10)."""

from typing import NamedTuple

from .batch import NONE, header_of, records_of
from .compression import payload_of
from .log import Log


class Found(NamedTuple):
    """A record by its offset, its timestamp, and the leader epoch of its batch."""

    offset: int
    timestamp: int
    epoch: int


NOTHING = Found(NONE, NONE, NONE)


def first_since(log: Log, timestamp: int) -> Found:
    """Returns the first record by offset with this timestamp or a later one (B7.8, B7.9)."""
    for number, segment in enumerate(log.segments):
        if segment.largest_timestamp < timestamp:
            continue
        is_last = number + 1 == len(log.segments)
        end = log.end_offset if is_last else log.segments[number + 1].base_offset
        return _first_in(log, max(log.start_offset, segment.base_offset), end, timestamp)
    return NOTHING


def _first_in(log: Log, start: int, end: int, timestamp: int) -> Found:
    for batch, base in zip(log.batches, log.base_offsets, strict=True):
        if base >= end:
            break
        header = header_of(batch)
        if header.last_offset < start or header.max_timestamp < timestamp:
            continue
        for offset, stamp in _stamps(batch):
            if stamp >= timestamp and offset >= start:
                return Found(offset, stamp, header.leader_epoch)
    return NOTHING


def _stamps(batch: bytes) -> list[tuple[int, int]]:
    """Returns offset and timestamp of each record of a batch, which was checked when it came."""
    header = header_of(batch)
    records = records_of(header, payload_of(batch, header))
    return [(header.base_offset + of.delta, of.timestamp) for of in records]


def largest(log: Log) -> Found:
    """Returns the first record with the largest timestamp, whatever the log start is (B7.10)."""
    best = max(log.segments, key=lambda segment: segment.largest_timestamp)
    if best.largest_timestamp == NONE:
        return NOTHING
    return Found(best.offset_of_largest, best.largest_timestamp, log.epochs.latest)
