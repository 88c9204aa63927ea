"""Compaction: of each key the latest record stays, a tombstone for a while (rules B8.20-B8.36).

It works on the log of one replica, as if its broker's cleaner looked at it alone.
"""

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress

from .batch import (
    LOG_APPEND_TIME,
    NONE,
    BadBatch,
    BadRecord,
    Header,
    Record,
    encoded,
    encoded_record,
    header_of,
)
from .codecs import CannotDecompress
from .compression import compressed, records_in
from .log import Instant, Log
from .segments import Segment, merged
from .settings import LogSettings

_HORIZON = 0x40  # of attributes: the base timestamp is the time at which tombstones go (B8.33)
_CODEC = 0x07


def compact(log: Log, at: Instant, settings: LogSettings) -> None:
    """Cleans the log, if a large enough part of it is dirty (B8.21, B8.22)."""
    end = _first_uncleanable(log, at, settings)
    start = max(log.cleaned_offset, log.start_offset)
    dirty = [segment for segment in log.segments[:-1] if start <= segment.base_offset < end]
    if not dirty:
        return
    clean_bytes = sum(segment.size for segment in log.segments if segment.base_offset < start)
    dirty_bytes = sum(segment.size for segment in dirty)
    is_late = dirty[0].first_age_ms(at.now_ms) > settings.max_compaction_lag_ms
    if is_late or dirty_bytes > settings.min_cleanable_dirty_ratio * (clean_bytes + dirty_bytes):
        # A log that the cleaner cannot read stays as it is (LogCleanerManager: uncleanable).
        with suppress(BadBatch, BadRecord, CannotDecompress):
            _Run(log, at, settings, start, end).rewrite()


def _first_uncleanable(log: Log, at: Instant, settings: LogSettings) -> int:
    """Returns the base offset of the first segment that may not be cleaned yet (B8.21)."""
    for number, segment in enumerate(log.segments):
        end, lag_ms = log.end_of_segment(number), settings.min_compaction_lag_ms
        is_young = lag_ms > 0 and segment.age_ms(at.now_ms) < lag_ms
        if segment is log.segments[-1] or end > log.high_watermark or is_young:
            return segment.base_offset
    return log.end_offset


class _Run:
    """One cleaning of a log, whose offsets from `start` to `end` are dirty."""

    def __init__(self, log: Log, at: Instant, settings: LogSettings, start: int, end: int) -> None:
        self._log, self._at, self._settings, self._end = log, at, settings, end
        log.check_found(end - 1)
        self._latest = {
            record.key: header.base_offset + record.delta
            for batch in log.batches_between(start, end)
            for header in (header_of(batch),)
            for record in records_in(batch, header)
            if record.key is not None
        }
        self._last_of_producers = {
            (producer.producer_id, producer.batches[-1].last_offset)
            for producer in log.producers
            if producer.batches
        }

    def rewrite(self) -> None:
        """Puts the cleaned segments into the log."""
        log = self._log
        number = sum(segment.base_offset < self._end for segment in log.segments)
        cleaned = [
            (segments, [kept for batch in batches if (kept := self._cleaned(batch)) is not None])
            for segments, batches in self._groups(log.segments[:number])
        ]
        batches = [batch for _, kept in cleaned for batch in kept]
        count = bisect_left(log.base_offsets, self._end)
        log.batches[:count] = batches
        log.base_offsets[:count] = type(log.base_offsets)(
            "q", [header_of(batch).base_offset for batch in batches]
        )
        log.segments[:number] = [merged(segments, kept) for segments, kept in cleaned]
        log.cleaned_offset = self._end

    def _groups(self, segments: list[Segment]) -> Iterator[tuple[list[Segment], list[bytes]]]:
        """Yields neighbours that fit into one segment, with their batches (B8.35)."""
        group: list[Segment] = []
        size = 0
        for segment in segments:
            if group and size + segment.size > self._settings.segment_bytes:
                yield group, self._log.batches_between(group[0].base_offset, segment.base_offset)
                group, size = [], 0
            group.append(segment)
            size += segment.size
        yield group, self._log.batches_between(group[0].base_offset, self._end)

    def _cleaned(self, batch: bytes) -> bytes | None:
        """Returns what stays of a batch; None if nothing does (B8.30-B8.33)."""
        header = header_of(batch)
        records = list(records_in(batch, header))
        due_ms = self._log.horizons.get(header.base_offset)
        has_passed = due_ms is not None and self._at.now_ms >= due_ms
        kept = [record for record in records if self._stays(header, record, has_passed)]
        needs_horizon = due_ms is None and any(record.value_bytes < 0 for record in kept)
        if not kept:
            is_of_producer = (header.producer_id, header.last_offset) in self._last_of_producers
            is_last = header.last_offset + 1 == self._end
            return _emptied(header) if is_of_producer or is_last else None  # B8.32
        if len(kept) == len(records) and not needs_horizon:
            return batch
        if needs_horizon:
            wait_ms = self._settings.delete_retention_ms
            self._log.horizons[header.base_offset] = self._at.now_ms + wait_ms
            base, attributes = self._at.wall_ms + wait_ms, header.attributes | _HORIZON
        else:
            is_set = header.attributes & _HORIZON
            base = header.base_timestamp if is_set else kept[0].timestamp
            attributes = header.attributes
        return self._rebuilt(header, kept, base, attributes)

    def _stays(self, header: Header, record: Record, has_passed: bool) -> bool:
        if record.key is None:
            return False
        offset = header.base_offset + record.delta
        is_latest = offset >= self._latest.get(record.key, NONE)
        return is_latest and (record.value_bytes >= 0 or not has_passed)

    def _rebuilt(self, header: Header, kept: list[Record], base: int, attributes: int) -> bytes:
        codec = header.compression
        payload = b"".join(encoded_record(record, base, record.delta) for record in kept)
        is_stamped = attributes & LOG_APPEND_TIME
        largest = header.max_timestamp if is_stamped else max(of.timestamp for of in kept)
        changed = header._replace(
            attributes=attributes,
            base_timestamp=base,
            max_timestamp=largest,
            record_count=len(kept),
        )
        return encoded(changed, compressed(payload, codec, self._settings.level(codec)))


def _emptied(header: Header) -> bytes:
    """Returns a batch without records, which keeps offsets and sequences."""
    attributes = header.attributes & ~_HORIZON & ~_CODEC
    return encoded(header._replace(attributes=attributes, base_timestamp=NONE, record_count=0), b"")
