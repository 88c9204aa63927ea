"""A log takes batches, hands them out, rolls, forgets: by its rules, with time passed in."""

import gzip
from itertools import pairwise

import pytest

from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.offsets import NOTHING, first_since, largest
from kraftsim.broker_agent.log.producers import OutOfOrder, StaleEpoch
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import Refused
from kraftsim.broker_agent.replication.copying import copy_rest, follow_marks
from kraftsim.controller.core.errors import ErrorCode
from tests.batches import NOW_MS, batch, record
from tests.broker_agent.message_logs import (
    SHIPPED,
    STAMPED,
    append,
    everything,
    filled,
    instant,
    moved,
)


def test_a_batch_is_stored_as_sent_but_for_its_place() -> None:
    sent = batch(b"a", b"b")
    log = filled(batch(b"first"), sent)

    stored = everything(log, 1)

    assert stored[:8] == (1).to_bytes(8)
    assert stored[12:16] == bytes(4)  # the leader's epoch, which the producer does not know
    assert stored[16:] == sent[16:]
    assert log.end_offset == 3


@pytest.mark.rule("B4.28")
def test_a_reader_gets_the_batch_that_contains_its_offset() -> None:
    log = filled(batch(b"a", b"b", b"c"), batch(b"d"))

    assert everything(log, 2) == everything(log, 0)
    assert everything(log, 3) == log.batches[1]
    assert everything(log, 4) == b""


@pytest.mark.rule("B4.31", "B4.33")
def test_the_bytes_are_cut_in_the_middle_of_a_batch_but_the_first_comes_whole() -> None:
    log = filled(batch(b"a"), batch(b"b"))
    size = len(log.batches[0])

    assert log.read(0, 2, size + 9, reads_one=False) == [
        log.batches[0],
        log.batches[1][:9],
    ]
    assert log.read(0, 2, 1, reads_one=True) == log.batches[:1]
    assert log.read(0, 2, size - 1, reads_one=False) == []


def test_a_reader_gets_nothing_behind_the_end_that_it_may_read() -> None:
    log = filled(batch(b"a"), batch(b"b"))

    assert log.read(0, 1, 10**9, reads_one=True) == log.batches[:1]


@pytest.mark.parametrize(
    ("data", "settings", "code"),
    [
        (batch(b"a", base_offset=7), LogSettings(), ErrorCode.INVALID_RECORD),
        (batch(b"a" * 200), LogSettings(max_message_bytes=200), ErrorCode.MESSAGE_TOO_LARGE),
        (batch(b"a")[:-1] + b"!", LogSettings(), ErrorCode.CORRUPT_MESSAGE),
        (batch(b"a", attributes=0x20), LogSettings(), ErrorCode.INVALID_RECORD),
        (batch(b"a", producer=(7, 0, -1)), LogSettings(), ErrorCode.INVALID_RECORD),
        (batch(b"a", b"b", payload=b""), LogSettings(), ErrorCode.INVALID_RECORD),
        (batch(b"a", attributes=5), LogSettings(), ErrorCode.UNKNOWN_SERVER_ERROR),
        (batch(b"a", attributes=1), LogSettings(), ErrorCode.UNKNOWN_SERVER_ERROR),
        (batch(b"a"), LogSettings(cleanup_policy="compact"), ErrorCode.INVALID_RECORD),
        (batch(b"a", at_ms=NOW_MS + 3_600_001), LogSettings(), ErrorCode.INVALID_TIMESTAMP),
        (
            batch(b"a", at_ms=0),
            LogSettings(timestamp_before_max_ms=1000),
            ErrorCode.INVALID_TIMESTAMP,
        ),
        (
            batch(b"a", attributes=8),
            LogSettings(timestamp_type="LogAppendTime"),
            ErrorCode.INVALID_TIMESTAMP,
        ),
    ],
)
def test_a_bad_batch_is_refused(data: bytes, settings: LogSettings, code: ErrorCode) -> None:
    log = Log(0)

    with pytest.raises(Refused) as refused:
        append(log, data, settings=settings)

    assert refused.value.code == code
    assert log.end_offset == 0


@pytest.mark.rule("B1.38")
def test_the_bounds_of_a_time_are_named() -> None:
    with pytest.raises(Refused) as refused:
        append(Log(0), batch(b"a", at_ms=2 * NOW_MS))

    ((_, text),) = refused.value.record_errors
    assert f"within [{NOW_MS - 2**63 + 1}, {NOW_MS + 3_600_000}]" in text


@pytest.mark.rule("B1.38")
def test_a_record_with_a_bad_time_is_named_by_the_offset_that_its_client_gave() -> None:
    payload = gzip.compress(record(b"a", delta=0) + record(b"b", delta=2))
    data = batch(b"a", b"b", at_ms=2 * NOW_MS, attributes=1, payload=payload)

    with pytest.raises(Refused) as refused:
        append(Log(0), data)

    (place, first), (next_place, second) = refused.value.record_errors
    assert (place, next_place) == (0, 1)
    assert "offset 0 is" in first
    assert "offset 2 is" in second


@pytest.mark.rule("B1.41")
def test_the_time_of_the_append_stamps_a_batch() -> None:
    log = filled(batch(b"a", at_ms=1000), settings=LogSettings(timestamp_type="LogAppendTime"))

    assert largest(log).timestamp == NOW_MS
    assert everything(log, 0)[22] & 8


def test_a_batch_is_unpacked_and_packed_as_its_topic_says() -> None:
    packed = filled(batch(b"a" * 100, b"a" * 100), settings=LogSettings(compression_type="gzip"))
    log = filled(batch(b"a" * 100, b"a" * 100))

    again = Log(0)
    sent = b"".join((bytes(8), packed.batches[0][8:]))
    append(again, sent, settings=LogSettings(compression_type="uncompressed"))

    assert len(packed.batches[0]) < len(log.batches[0])
    assert again.batches == log.batches


def test_a_new_timestamp_clears_the_bits_that_kafka_does_not_know() -> None:
    stamped = filled(batch(b"a", attributes=0xC0), settings=LogSettings(timestamp_type=STAMPED))
    as_sent = filled(batch(b"a", attributes=0xC0))

    assert everything(stamped, 0)[22] == 0x48
    assert everything(as_sent, 0)[22] == 0xC0


def test_a_batch_of_times_before_1970_has_no_largest_time() -> None:
    log = filled(batch(b"a", at_ms=-50))

    assert everything(log, 0)[35:43] == (-1).to_bytes(8, signed=True)


def test_the_largest_time_of_records_without_times_is_that_of_the_first() -> None:
    assert largest(filled(batch(b"a", at_ms=-1), batch(b"b", at_ms=-1))) == (0, -1, 0)
    assert largest(filled(batch(b"a", at_ms=-50), batch(b"b", at_ms=-1))) == NOTHING


def test_a_compressed_batch_with_a_hole_is_refused_unless_it_changes_its_codec() -> None:
    payload = gzip.compress(record(b"a", delta=0) + record(b"b", delta=2))
    sent = batch(b"a", b"b", attributes=1, payload=payload)

    with pytest.raises(Refused) as refused:
        append(Log(0), sent)

    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert append(Log(0), sent, settings=LogSettings(compression_type="zstd")).base_offset == 0


@pytest.mark.parametrize(
    "data", [batch(b"a", at_ms=-50), batch(b"a", producer=(7, -1, 0))], ids=["time", "epoch"]
)
def test_some_batches_are_stored_as_sent_but_not_packed_anew(data: bytes) -> None:
    with pytest.raises(Refused) as refused:
        append(Log(0), data, settings=LogSettings(compression_type="gzip"))

    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert append(Log(0), data).base_offset == 0


# Producers


def idempotent(sequence: int, *values: bytes, epoch: int = 0) -> bytes:
    return batch(*(values or (b"v",)), producer=(7, epoch, sequence))


@pytest.mark.rule("B3.20")
def test_one_of_the_last_five_batches_is_found_again() -> None:
    log = filled(*(idempotent(number) for number in range(6)))

    assert append(log, idempotent(1)).base_offset == 1
    with pytest.raises(OutOfOrder):
        append(log, idempotent(0))
    assert log.end_offset == 6


@pytest.mark.rule("B3.22", "B3.24", "B3.25")
def test_a_gap_and_an_old_epoch_are_refused_and_a_new_epoch_begins_at_0() -> None:
    log = filled(idempotent(0), idempotent(0, epoch=5))

    with pytest.raises(OutOfOrder):
        append(log, idempotent(2, epoch=5))
    with pytest.raises(StaleEpoch):
        append(log, idempotent(0))
    with pytest.raises(OutOfOrder):
        append(log, idempotent(1, epoch=6))
    assert append(log, idempotent(1, epoch=5)).base_offset == 2


@pytest.mark.rule("B3.24")
def test_a_first_epoch_begins_at_any_sequence() -> None:
    log = filled(idempotent(0, epoch=-1))

    assert append(log, idempotent(3, epoch=2)).base_offset == 1


@pytest.mark.rule("B3.25", "B1.5")
def test_sequences_wrap_to_0() -> None:
    log = filled(idempotent(2**31 - 2, b"a", b"b", b"c"))

    assert append(log, idempotent(2**31 - 2, b"a", b"b", b"c")).base_offset == 0
    assert append(log, idempotent(1)).base_offset == 3


@pytest.mark.rule("B3.30", "B3.31")
def test_a_producer_outlives_its_records_but_not_a_day() -> None:
    log = filled(idempotent(0))
    log.delete_before(1, 0)
    with pytest.raises(OutOfOrder):
        append(log, idempotent(2))

    log.producers.expire(NOW_MS)

    assert append(log, idempotent(2)).base_offset == 1


# Segments and retention


@pytest.mark.rule("B7.8")
def test_the_first_record_of_a_time_is_found_by_offset() -> None:
    """Measured with 4.3.1."""
    log = filled(batch(*(b"x",) * 7, times=(0, 50, 20, 30, 50, 100, -5000)))

    def since(time: int) -> int:
        return first_since(log, NOW_MS + time).offset

    assert [since(time) for time in (10, 21, 51, -6000)] == [1, 1, 5, 0]
    assert first_since(log, NOW_MS + 101) == NOTHING
    assert largest(log).offset == 5


@pytest.mark.rule("B7.10")
def test_the_largest_time_is_known_after_its_record_was_deleted() -> None:
    log = filled(batch(b"a"), batch(b"b", at_ms=NOW_MS - 1))
    log.delete_before(2, 0)

    assert largest(log)[:2] == (0, NOW_MS)


@pytest.mark.rule("B5.34")
def test_the_end_of_an_epoch_is_the_start_of_the_next() -> None:
    """Measured with 4.3.1: the cache [(0, 0), (1, 3)] of a log that ends at 5."""
    log = Log(0)
    for epoch in (0, 0, 0, 1, 1):
        append(log, batch(b"x"), epoch=epoch)

    ends = [log.epochs.end_of(epoch, log.end_offset) for epoch in (0, 1, 2, -1)]

    assert ends == [(0, 3), (1, 5), (-1, -1), (-1, -1)]


@pytest.mark.rule("B5.31")
def test_a_later_entry_of_an_epoch_replaces_what_it_contradicts() -> None:
    log = Log(0)
    for epoch, offset in ((0, 0), (2, 3), (4, 7)):
        log.epochs.assign(epoch, offset)

    log.epochs.assign(4, 9)
    same = log.epochs.entries.copy()
    log.epochs.assign(5, 3)

    assert same == [(0, 0), (2, 3), (4, 7)]
    assert log.epochs.entries == [(0, 0), (5, 3)]


@pytest.mark.rule("B1.42")
def test_a_batch_does_not_exceed_a_segment() -> None:
    with pytest.raises(Refused) as refused:
        filled(batch(b"x" * 200), settings=LogSettings(segment_bytes=200))

    assert refused.value.code == ErrorCode.RECORD_LIST_TOO_LARGE


@pytest.mark.rule("B8.12")
def test_a_topic_that_only_compacts_has_no_retention() -> None:
    settings = LogSettings(cleanup_policy="compact", retention_ms=1, retention_bytes=0)
    log = filled(batch(b"x", key=b"k"), settings=settings)

    log.retain(10**9, settings)

    assert log.start_offset == 0
    assert everything(log, 0)


@pytest.mark.rule("B1.50", "B1.51")
def test_a_follower_shares_the_bytes_of_its_leader() -> None:
    leader = filled(batch(b"a"), idempotent(0))
    follower = Log(0)

    copy_rest(leader, follower, instant(), SHIPPED)
    append(leader, idempotent(1))
    copy_rest(leader, follower, instant(), SHIPPED)
    follow_marks(leader, follower, 0)

    assert all(a is b for a, b in zip(leader.batches, follower.batches, strict=True))
    assert follower.end_offset == follower.high_watermark == 3
    assert append(follower, idempotent(1)).base_offset == 2
    assert list(pairwise(follower.base_offsets)) == [(0, 1), (1, 2)]


@pytest.mark.rule("B7.51")
def test_a_moved_log_has_what_a_copy_from_its_start_has() -> None:
    gone, cut, kept = batch(b"a"), batch(b"b", b"c"), batch(b"d", producer=(7, 0, 0))
    log = filled(batch(b"z", producer=(8, 0, 0)), gone, cut, kept)
    log.delete_before(3, now_ms=0)
    assert log.size == sum(map(len, log.batches))
    assert {producer.producer_id for producer in log.producers} == {7, 8}

    log = moved(log)

    assert (log.start_offset, list(log.base_offsets)) == (3, [2, 4])
    assert log.size == len(cut) + len(kept)
    assert {producer.producer_id for producer in log.producers} == {7}


@pytest.mark.rule("B5.30", "B7.51")
def test_a_moved_log_has_the_leader_epochs_of_its_batches() -> None:
    empty, log = Log(0), filled(batch(b"a"))
    logs = []
    for current in (empty, log):
        current.epochs.begin_to_lead(4, current.end_offset)
        assert current.epochs.latest == 4

        logs.append(moved(current))
        logs[-1].epochs.begin_to_lead(4, current.end_offset)

    assert [of.epochs.entries for of in logs] == [[], [(0, 0)]]
