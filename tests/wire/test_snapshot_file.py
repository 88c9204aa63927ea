"""Snapshot files beyond what was recorded: large ones, damaged ones, other orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.controller.core.image.snapshot_batches import RECORDS_PER_BATCH, snapshot_batches
from kraftsim.controller.core.log.batch import FETCH_BYTES_MAX, Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, SnapshotHeader, Voters
from kraftsim.controller.core.log.records import NoOpRecord, Record, TopicRecord
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.records.control_records import control_record_schema
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot, encode_snapshot

from .instances import instances

NO_OP = NoOpRecord()
NO_VOTERS = Voters(voters=())


def snapshot(
    count: int = 3,
    *,
    record: Record = NO_OP,
    epoch: int = 4,
    kraft_version: int = 1,
    voters: Voters | None = NO_VOTERS,
) -> list[Batch]:
    return list(
        snapshot_batches(
            ((record, 0),) * count,
            epoch=epoch,
            timestamp_ms=1795223604654,
            last_contained_log_timestamp=1795223604626,
            kraft_version=kraft_version,
            voters=voters,
        )
    )


@pytest.mark.slow
@given(st.data())
def test_every_snapshot_comes_back(data: st.DataObject) -> None:
    voters = data.draw(st.none() | instances(control_record_schema(6), 0))
    batches = snapshot(data.draw(st.integers(0, 5)), voters=voters)

    assert batches == decode_snapshot(encode_snapshot(batches))


@pytest.mark.rule("10.43")
def test_voters_are_told_from_kraft_version_1_on() -> None:
    header = SnapshotHeader(last_contained_log_timestamp=1795223604626)
    version = KRaftVersion(kraft_version=1)

    told = [
        snapshot(kraft_version=0)[0].records,
        snapshot(kraft_version=1)[0].records,
        snapshot(kraft_version=1, voters=None)[0].records,
    ]
    assert told == [(header,), (header, version, NO_VOTERS), (header, version)]


@pytest.mark.parametrize("count", [0, 1, RECORDS_PER_BATCH, RECORDS_PER_BATCH + 1])
def test_many_records_are_several_batches_and_none_is_lost(count: int) -> None:
    header, *data, footer = decode_snapshot(encode_snapshot(snapshot(count)))

    assert count == sum(len(batch.records) for batch in data)
    assert all(len(batch.records) <= RECORDS_PER_BATCH for batch in data)
    assert len(header.records) + count == footer.base_offset


def test_a_snapshot_is_spelled_whole_however_large_it_is() -> None:
    big = TopicRecord(name="x" * 30_000, topic_id=bytes(16))
    batches = snapshot(300, record=big)

    data = encode_snapshot(batches)
    assert len(data) > FETCH_BYTES_MAX
    assert batches == decode_snapshot(data)


@pytest.mark.parametrize("lost", range(1, 4))
def test_a_snapshot_without_its_end_is_refused(lost: int) -> None:
    batches = snapshot()

    with pytest.raises(DecodeError, match=r"expected a (header first|footer last), got"):
        decode_snapshot(encode_snapshot(batches[: len(batches) - lost]))
    with pytest.raises(DecodeError):
        decode_snapshot(encode_snapshot(batches)[:-lost])


@pytest.mark.parametrize(
    ("batches", "complaint"),
    [
        (snapshot()[1:], "expected a header first, got NoOpRecord, NoOpRecord, NoOpRecord"),
        (snapshot()[:2], "expected a footer last, got NoOpRecord"),
        (snapshot()[::2], "expected a batch at offset 3 of epoch 4, got one at 6 of 4"),
        (snapshot() + snapshot(), "expected a batch at offset 7 of epoch 4, got one at 0 of 4"),
        (
            snapshot()[:2] + snapshot(epoch=5)[2:],
            "expected a batch at offset 6 of epoch 4, got one at 6 of 5",
        ),
    ],
)
def test_batches_that_are_no_snapshot_are_refused(batches: list[Batch], complaint: str) -> None:
    with pytest.raises(DecodeError, match=complaint):
        decode_snapshot(encode_snapshot(batches))
