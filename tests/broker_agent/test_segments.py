"""Segments roll, and retention deletes them: by the rules of Kafka, with time passed in."""

import pytest

from kraftsim.broker_agent.log.offsets import first_since
from kraftsim.broker_agent.log.settings import LogSettings
from tests.batches import NOW_MS, batch
from tests.broker_agent.message_logs import MEBIBYTE, append, bases, everything, filled


@pytest.mark.rule("B8.2")
def test_a_segment_is_full_by_its_bytes() -> None:
    settings = LogSettings(segment_bytes=MEBIBYTE)
    log = filled(*(batch(b"x" * 400_000) for _ in range(5)), settings=settings)

    assert bases(log) == [0, 2, 4]
    assert everything(log, 0) == b"".join(log.batches[:2])  # a reader gets one segment


@pytest.mark.rule("B8.3")
def test_a_segment_is_old_by_the_time_of_messages() -> None:
    """Measured with 4.3.1 and segment.ms=1000."""
    times = (0, 900, 1001, 3000, -90000)
    batches = [batch(b"x", at_ms=NOW_MS + time) for time in times]

    log = filled(*batches, settings=LogSettings(segment_ms=1000))

    assert bases(log) == [0, 2, 3]


@pytest.mark.rule("B8.15")
def test_retention_by_size_keeps_the_bound_and_up_to_one_segment() -> None:
    """Measured with 4.3.1: 3 of 6 segments of 1,000,720 bytes stay with retention.bytes=2500000."""
    settings = LogSettings(segment_bytes=MEBIBYTE, retention_bytes=2_500_000)
    log = filled(*(batch(b"x" * 100_000) for _ in range(60)), settings=settings)

    log.retain(0, settings)

    assert (log.start_offset, len(log.segments), log.end_offset) == (30, 3, 60)


@pytest.mark.rule("B8.13")
def test_retention_by_time_empties_the_log_and_keeps_its_end() -> None:
    settings = LogSettings(retention_ms=1000)
    log = filled(batch(b"a"), batch(b"b"), settings=settings)

    log.retain(1000, settings)
    assert log.start_offset == 0  # not older than a second

    log.retain(1001, settings)
    assert (log.start_offset, log.end_offset, log.size) == (2, 2, 0)
    assert append(log, batch(b"c")).base_offset == 2


@pytest.mark.rule("B8.11", "B8.14")
def test_retention_stops_at_a_record_of_the_future_and_above_the_high_watermark() -> None:
    settings = LogSettings(retention_ms=1000, segment_ms=1)
    log = filled(batch(b"a", at_ms=NOW_MS + 100_000), batch(b"b"), settings=settings)
    log.retain(5000, settings)
    assert log.start_offset == 0

    log.high_watermark = 0
    log.retain(500_000, settings)
    assert log.start_offset == 0


@pytest.mark.rule("B7.9")
def test_deleted_records_are_not_found_by_time() -> None:
    log = filled(*(batch(b"x", at_ms=NOW_MS + number) for number in range(4)))

    log.delete_before(2, 0)

    assert first_since(log, NOW_MS).offset == 2
    assert log.epochs.epoch_at(2) == 0


def test_the_oldest_batches_make_room() -> None:
    log = filled(*(batch(b"x" * 1000) for _ in range(10)))
    size = log.size

    log.give_up(3 * len(log.batches[0]))

    assert (log.start_offset, len(log.batches)) == (3, 7)
    assert log.size == size * 7 // 10
    assert everything(log, 3)[:8] == (3).to_bytes(8)


# Offsets and epochs
