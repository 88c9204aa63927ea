"""A compacted log keeps the latest record of each key, a tombstone for a while (B8.20-B8.36)."""

import gzip
from collections.abc import Sequence
from struct import pack
from typing import NamedTuple

import crc32c
import pytest

from kraftsim.broker_agent.log.batch import header_of, records_of
from kraftsim.broker_agent.log.compaction import compact
from kraftsim.broker_agent.log.compression import payload_of
from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.offsets import first_since
from kraftsim.broker_agent.log.producers import OutOfOrder
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import check
from tests.batches import NOW_MS, record

DAY_MS = 86_400_000
COMPACTED = LogSettings(cleanup_policy="compact", segment_ms=60_000)
EAGER = LogSettings(cleanup_policy="compact", segment_ms=60_000, min_cleanable_dirty_ratio=0.0)
ROLL_MS = 61_000


class Entry(NamedTuple):
    key: bytes
    value: bytes | None
    time: int = 0


def batch(
    *entries: Entry,
    after_ms: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
    codec: int = 0,
) -> bytes:
    data = b"".join(
        record(entry.value, delta=place, time=entry.time, key=entry.key)
        for place, entry in enumerate(entries)
    )
    data = gzip.compress(data) if codec else data
    at_ms, last = NOW_MS + after_ms, max(entry.time for entry in entries)
    body = pack(">hiqqqhii", codec, len(entries) - 1, at_ms, at_ms + last, *producer, len(entries))
    body += data
    return pack(">qiib", 0, len(body) + 9, -1, 2) + crc32c.crc32c(body).to_bytes(4) + body


def append(log: Log, data: bytes, settings: LogSettings = COMPACTED) -> None:
    at = Instant(0, NOW_MS)
    log.append(check(data, settings, "t-0", at.wall_ms), 0, at, settings)
    log.high_watermark = log.end_offset


def filled(*batches: bytes, settings: LogSettings = COMPACTED) -> Log:
    """A log whose last segment has one batch more, so that the others may be cleaned."""
    log = Log(0)
    for data in batches:
        append(log, data, settings)
    append(log, batch(Entry(b"active", b""), after_ms=ROLL_MS), settings)
    return log


def clean(log: Log, after_ms: int = 1000, settings: LogSettings = COMPACTED) -> None:
    compact(log, Instant(after_ms, NOW_MS + after_ms), settings)


def contents(log: Log) -> Sequence[tuple[int, bytes | None]]:
    """Offset and key of each record but the last."""
    found = []
    for stored in log.batches:
        header = header_of(stored)
        records = records_of(header, payload_of(stored, header)) if header.record_count else ()
        found += [(header.base_offset + of.delta, of.key) for of in records]
    return found[:-1]


@pytest.mark.rule("B8.30")
def test_the_latest_record_of_each_key_stays_at_its_offset() -> None:
    log = filled(
        batch(Entry(b"a", b"1"), Entry(b"b", b"1")),
        batch(Entry(b"a", b"2")),
        batch(Entry(b"c", b"1"), Entry(b"c", b"2")),
    )

    clean(log)

    assert contents(log) == [(1, b"b"), (2, b"a"), (4, b"c")]
    assert (log.start_offset, log.end_offset) == (0, 6)
    assert log.read(0, 6, 10**6, reads_one=True)[0][:8] == bytes(8)  # the batch keeps its base
    assert sum(map(len, log.batches)) == log.size


@pytest.mark.rule("B8.21")
def test_the_active_segment_is_not_cleaned() -> None:
    log = Log(0)
    append(log, batch(Entry(b"a", b"1")))
    append(log, batch(Entry(b"a", b"2")))

    clean(log)

    assert len(log.batches) == 2


@pytest.mark.rule("B8.21")
def test_a_batch_above_the_high_watermark_is_not_cleaned() -> None:
    log = filled(batch(Entry(b"a", b"1")), batch(Entry(b"a", b"2")))
    log.high_watermark = 1

    clean(log)

    assert contents(log) == [(0, b"a"), (1, b"a")]


@pytest.mark.rule("B8.33")
@pytest.mark.parametrize("codec", [0, 1])
def test_a_tombstone_deletes_its_key_and_then_goes_itself(codec: int) -> None:
    log = filled(batch(Entry(b"a", b"1")), batch(Entry(b"a", None), codec=codec))

    clean(log)
    assert contents(log) == [(1, b"a")]
    header = header_of(log.batches[-2])
    assert header.attributes == 0x40 | codec
    assert header.base_timestamp == NOW_MS + 1000 + DAY_MS
    assert next(records_of(header, payload_of(log.batches[-2], header))).timestamp == NOW_MS

    append(log, batch(Entry(b"b", b""), after_ms=2 * ROLL_MS))
    clean(log, DAY_MS, EAGER)
    assert contents(log) == [(1, b"a"), (2, b"active")]

    append(log, batch(Entry(b"b", b""), after_ms=3 * ROLL_MS))
    clean(log, DAY_MS + 1000, EAGER)
    assert contents(log) == [(2, b"active"), (3, b"b")]


@pytest.mark.rule("B8.33")
def test_nothing_goes_without_new_batches() -> None:
    log = filled(batch(Entry(b"a", b"1")), batch(Entry(b"a", None)))
    clean(log)
    before = list(log.batches)

    clean(log, after_ms=2 * DAY_MS)

    assert log.batches == before


@pytest.mark.rule("B8.22")
def test_a_clean_log_waits_until_half_of_it_is_dirty() -> None:
    log = filled(*(batch(Entry(b"%d" % place, b"x" * 100)) for place in range(10)))
    clean(log)
    append(log, batch(Entry(b"0", b"x"), after_ms=2 * ROLL_MS))

    append(log, batch(Entry(b"0", b"y"), after_ms=3 * ROLL_MS))
    clean(log)
    assert len(contents(log)) == 12

    clean(log, settings=EAGER)
    assert len(contents(log)) == 11


@pytest.mark.rule("B8.21")
def test_a_young_segment_waits() -> None:
    settings = LogSettings(cleanup_policy="compact", segment_ms=60_000, min_compaction_lag_ms=5000)
    log = filled(batch(Entry(b"a", b"1")), batch(Entry(b"a", b"2")), settings=settings)

    clean(log, after_ms=4999, settings=settings)
    assert len(contents(log)) == 2

    clean(log, after_ms=5000, settings=settings)
    assert contents(log) == [(1, b"a")]


@pytest.mark.rule("B8.22")
def test_a_batch_that_is_late_makes_a_clean_log_dirty() -> None:
    settings = LogSettings(
        cleanup_policy="compact", max_compaction_lag_ms=60_000, min_cleanable_dirty_ratio=1.0
    )
    log = filled(batch(Entry(b"a", b"1")), batch(Entry(b"a", b"2")), settings=settings)
    assert len(log.segments) == 2  # max.compaction.lag.ms rolls too

    clean(log, after_ms=60_000, settings=settings)
    assert len(contents(log)) == 2

    clean(log, after_ms=60_001, settings=settings)
    assert contents(log) == [(1, b"a")]


@pytest.mark.rule("B8.32")
def test_the_last_batch_of_a_producer_stays_without_records() -> None:
    """Measured with 4.3.1 (B8.32)."""
    log = filled(
        batch(Entry(b"a", b"1"), producer=(7, 0, 0)),
        batch(Entry(b"a", b"2"), producer=(7, 0, 1)),
        batch(Entry(b"a", b"3")),
        batch(Entry(b"b", b"3")),
    )

    clean(log)

    emptied = header_of(log.batches[0])
    assert (emptied.base_offset, emptied.base_sequence, emptied.record_count) == (1, 1, 0)
    assert emptied.base_timestamp == -1
    assert contents(log) == [(2, b"a"), (3, b"b")]
    with pytest.raises(OutOfOrder):
        append(log, batch(Entry(b"a", b"4"), producer=(7, 0, 3)))


@pytest.mark.rule("B8.32")
def test_the_last_batch_of_a_run_stays_without_records() -> None:
    log = filled(batch(Entry(b"a", b"1"), Entry(b"a", b"2")))
    clean(log)
    append(log, batch(Entry(b"active", b""), after_ms=2 * ROLL_MS))
    append(log, batch(Entry(b"a", b"3"), after_ms=3 * ROLL_MS))
    append(log, batch(Entry(b"b", b"3"), after_ms=4 * ROLL_MS))

    clean(log, settings=EAGER)

    assert contents(log) == [(3, b"active"), (4, b"a")]


@pytest.mark.rule("B8.35")
def test_small_segments_become_one() -> None:
    log = filled(*(batch(Entry(b"a", b"1"), after_ms=place * ROLL_MS) for place in range(5)))

    clean(log)

    assert [segment.base_offset for segment in log.segments] == [0, 4]
    assert contents(log) == [(3, b"a"), (4, b"a")]


def test_offsets_by_time_are_those_of_records_that_stayed() -> None:
    log = filled(
        batch(Entry(b"a", b"1", 100), Entry(b"b", b"1", 5)), batch(Entry(b"a", b"2"), after_ms=50)
    )

    clean(log)

    assert first_since(log, NOW_MS).offset == 1
    assert first_since(log, NOW_MS + 6).offset == 2
    assert log.segments[0].offset_of_largest == 2
