"""What a power cut and damaged bytes cost a log, and what the next process makes of it."""

import pytest

from kraftsim.broker_agent.log.batch import BadBatch, has_valid_crc
from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.offsets import first_since, largest
from kraftsim.broker_agent.log.producers import OutOfOrder
from kraftsim.broker_agent.log.recovery import (
    Part,
    damage,
    lose_tail,
    recover,
    truncate,
)
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import check
from kraftsim.broker_agent.replication.copying import copy_rest
from tests.batches import NOW_MS, batch

SHIPPED = LogSettings()
EVERYTHING = 10**9


def append(log: Log, data: bytes, *, epoch: int = 0, settings: LogSettings = SHIPPED) -> int | None:
    """The offset at which the batch was stored; None of a duplicate."""
    at = Instant(0, NOW_MS)
    appended, stored = log.append(check(data, settings, "t-0", at.wall_ms), epoch, at, settings)
    log.high_watermark = log.end_offset
    return None if stored is None else appended.base_offset


def filled(count: int = 5, settings: LogSettings = SHIPPED) -> Log:
    """A log of as many batches of one record, by one producer."""
    log = Log(0)
    for number in range(count):
        append(log, sent(number), settings=settings)
    return log


def sent(sequence: int) -> bytes:
    return batch(b"%d" % sequence, at_ms=NOW_MS + sequence, producer=(7, 0, sequence))


@pytest.mark.rule("B8.40", "B8.41")
def test_a_power_cut_loses_what_was_not_flushed() -> None:
    flushed = LogSettings(flush_messages=2)

    assert lose_tail(filled(), None) == 5
    assert lose_tail(filled(settings=flushed), None) == 1


@pytest.mark.rule("B8.41")
def test_a_roll_flushes_the_segments_before_it() -> None:
    size = len(sent(0))
    log = filled(5, LogSettings(segment_bytes=2 * size))

    assert lose_tail(log, None) == 1
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4]


def test_the_last_records_go_with_the_batches_that_have_them() -> None:
    log = filled(2)
    append(log, batch(b"a", b"b", b"c"))

    assert lose_tail(log, 1) == 3
    assert (log.end_offset, log.high_watermark) == (2, 2)
    assert log.segments[-1].size == sum(map(len, log.batches))


def test_offsets_continue_at_the_new_end() -> None:
    log = filled(5)
    lose_tail(log, 2)

    assert append(log, batch(b"next")) == 3


@pytest.mark.rule("B8.43", "B3.33")
def test_producers_are_what_the_batches_say_that_are_left() -> None:
    log = filled(5)
    lose_tail(log, 3)

    with pytest.raises(OutOfOrder):
        append(log, sent(5))
    assert append(log, sent(1)) is None
    assert append(log, sent(2)) == 2


@pytest.mark.rule("B5.32")
def test_epochs_that_began_later_are_forgotten() -> None:
    log = filled(2)
    append(log, batch(b"a"), epoch=3)

    truncate(log, 2)

    assert log.epochs.entries == [(0, 0)]


def test_a_log_that_is_cut_below_its_start_is_empty_there() -> None:
    log = Log(0)
    append(log, batch(b"a", b"b", b"c"))
    log.delete_before(2, 0)

    truncate(log, 0)

    assert (log.start_offset, log.end_offset, log.batches) == (2, 2, [])
    assert append(log, batch(b"next")) == 2


def test_the_largest_timestamp_is_that_of_what_is_left() -> None:
    log = filled(5)

    truncate(log, 3)

    assert largest(log)[:2] == (2, NOW_MS + 2)


@pytest.mark.rule("B4.38")
def test_a_damaged_batch_is_served_as_it_is() -> None:
    log = filled(5)
    damage(log, 2, Part.RECORDS)

    read = b"".join(log.read(0, 5, EVERYTHING, reads_one=True))

    assert read == b"".join(log.batches)
    assert not has_valid_crc(log.batches[2])


@pytest.mark.rule("B4.38")
def test_a_torn_batch_hides_the_offsets_from_it_on() -> None:
    """As 4.3.1: Fetch at 0 and 1 is served, at 2 and behind it CORRUPT_MESSAGE."""
    log = filled(5)
    damage(log, 2, Part.LENGTH)

    assert log.read(1, 5, EVERYTHING, reads_one=True) == log.batches[1:]
    for offset in (2, 3, 4):
        with pytest.raises(BadBatch):
            log.read(offset, 5, EVERYTHING, reads_one=True)
    assert first_since(log, NOW_MS + 1).offset == 1
    for look in (lambda: first_since(log, NOW_MS + 2), lambda: largest(log)):
        with pytest.raises(BadBatch):
            look()
    assert append(log, batch(b"next")) == 5


@pytest.mark.rule("B8.43")
@pytest.mark.parametrize("part", list(Part))
def test_a_process_cuts_its_log_at_the_damage(part: Part) -> None:
    """As 4.3.1 after kill -9: two of five batches are left."""
    log = filled(5)
    damage(log, 2, part)

    assert recover(log) == 3
    assert (log.end_offset, log.damaged) == (2, set())


@pytest.mark.rule("B8.43")
def test_a_process_does_not_read_segments_that_were_flushed() -> None:
    log = filled(5, LogSettings(segment_bytes=2 * len(sent(0))))
    damage(log, 1, Part.RECORDS)

    assert recover(log) == 0
    assert log.damaged == {1}


def test_a_follower_copies_up_to_a_damaged_batch_and_keeps_its_own() -> None:
    leader, follower, new = filled(3), filled(2), Log(0)
    damage(leader, 1, Part.RECORDS)

    assert copy_rest(leader, follower, Instant(0, NOW_MS), SHIPPED)
    assert not copy_rest(leader, new, Instant(0, NOW_MS), SHIPPED)

    assert (follower.end_offset, follower.damaged) == (3, set())
    assert (new.end_offset, new.damaged) == (1, set())
