"""Batches: bounds, and each field that this log never has otherwise."""

import struct
from dataclasses import replace

import pytest
from crc32c import crc32c

from kraftsim.controller.core.log.batch import FETCH_BYTES_MAX, Batch, bounded
from kraftsim.controller.core.log.control_records import LeaderChange
from kraftsim.controller.core.log.records import NoOpRecord, TopicRecord
from kraftsim.controller.core.rpc import FetchPartitionData, FetchResponse, FetchTopicData
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frames import decode_response, encode_response
from kraftsim.controller.wire.records.record_batch import (
    SLICE_RECORDS,
    decode_batches,
    encode_batch,
    encode_batches,
    encode_slice,
)

NO_OP = Batch(
    base_offset=10, epoch=1, timestamp_ms=1795223388988, records=(NoOpRecord(),), versions=(0,)
)
# golden 4.3.1 A1-single, offset 10
NO_OP_SPELLED = bytes.fromhex(
    "000000000000000a 0000003c 00000001 02 86b4a435 0000 00000000 000001a1fba7033c 000001a1fba7033c"
    "ffffffffffffffff ffff ffffffff 00000001 14 00 00 00 01 08 01140000 00"
)


def with_crc(body: bytes) -> bytes:
    """NO_OP's head with another body, and the CRC that goes with it."""
    head = struct.pack(">qiibI", 10, 9 + len(body), 1, 2, crc32c(body))
    return head + body


def test_a_batch_is_spelled_as_kafka_spells_it() -> None:
    assert len(NO_OP_SPELLED) == 72
    assert [NO_OP] == decode_batches(NO_OP_SPELLED)
    assert NO_OP_SPELLED == encode_batch(replace(NO_OP, encoded=[]))


def test_a_batch_is_spelled_once_and_keeps_its_bytes() -> None:
    batch = replace(NO_OP, encoded=[])

    assert encode_batch(batch) is encode_batch(batch)
    (read,) = decode_batches(NO_OP_SPELLED)
    assert [NO_OP_SPELLED] == read.encoded


def test_a_large_batch_is_encoded_in_slices_and_keeps_its_bytes_after_the_last() -> None:
    count = 2 * SLICE_RECORDS + 1
    batch = replace(NO_OP, records=NO_OP.records * count, versions=(0,) * count, encoded=[])
    slices: list[bytes] = []

    assert not encode_slice(batch, slices)
    assert not encode_slice(batch, slices)
    assert batch.encoded == []
    assert encode_slice(batch, slices)

    assert [encode_batch(replace(batch, encoded=[]))] == batch.encoded
    assert [batch] == decode_batches(batch.encoded[0])


def test_a_batch_whose_bytes_became_known_between_two_slices_keeps_them() -> None:
    count = 2 * SLICE_RECORDS
    batch = replace(NO_OP, records=NO_OP.records * count, versions=(0,) * count, encoded=[])
    slices: list[bytes] = []
    encode_slice(batch, slices)
    for_a_follower = encode_batch(batch)

    assert encode_slice(batch, slices)
    assert batch.encoded == [for_a_follower]


def test_a_bound_takes_whole_batches_and_at_least_one() -> None:
    three = [replace(NO_OP, base_offset=offset, encoded=[]) for offset in (10, 11, 12)]

    assert encode_batches([]) == b""
    for bytes_max, count in [(0, 1), (71, 1), (72, 1), (143, 1), (144, 2), (216, 3), (9999, 3)]:
        assert three[:count] == decode_batches(encode_batches(bounded(three, bytes_max))), bytes_max


def test_no_answer_has_more_records_than_its_bound() -> None:
    big = TopicRecord(name="x" * 30_000, topic_id=bytes(16))
    batches = [
        replace(NO_OP, base_offset=offset * 100, records=(big,) * 100, versions=(0,) * 100)
        for offset in range(4)
    ]
    batches = [replace(batch, encoded=[]) for batch in batches]

    response = fetch_response(batches)
    frame = encode_response(1, 17, 1, response)
    assert 2 * 3_000_000 < len(frame) < FETCH_BYTES_MAX
    assert (1, fetch_response(batches[:2])) == decode_response(1, 17, frame[4:])


def fetch_response(batches: list[Batch] | None) -> FetchResponse:
    records = None if batches is None else tuple(batches)
    partition = FetchPartitionData(partition_index=0, records=records)
    return FetchResponse(
        responses=(FetchTopicData(topic_id=bytes(15) + b"\1", partitions=(partition,)),)
    )


def test_no_records_are_empty_and_not_null() -> None:
    for batches in ([], None):
        response = fetch_response(batches)
        frame = encode_response(1, 17, 1, response)

        assert (1, response) == decode_response(1, 17, frame[4:])


def test_a_control_batch_keeps_its_kind() -> None:
    change = LeaderChange(leader_id=3000, voters=(3000, 3001), granting_voters=(3000,))
    batch = replace(NO_OP, records=(change,), is_control=True, encoded=[])

    assert [batch] == decode_batches(encode_batch(batch))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (NO_OP_SPELLED[:60], "expected a batch of 61 bytes or more, got 60"),
        (NO_OP_SPELLED[:71], "expected a batch within 71 bytes"),
        (NO_OP_SPELLED[:16] + b"\1" + NO_OP_SPELLED[17:], "expected magic 2, got 1"),
        (NO_OP_SPELLED[:-2] + b"\1\0", "offset 10: expected CRC 2259985461, got"),
        (with_crc(b"\0\1" + NO_OP_SPELLED[23:]), "expected no compression, as in Kafka's metadata"),
        (with_crc(NO_OP_SPELLED[21:26] + b"\5" + NO_OP_SPELLED[27:]), "records for"),
        (with_crc(NO_OP_SPELLED[21:42] + b"\0" + NO_OP_SPELLED[43:]), "expected one time"),
        (with_crc(NO_OP_SPELLED[21:63] + b"\2" + NO_OP_SPELLED[64:]), "time delta"),
        (with_crc(NO_OP_SPELLED[21:64] + b"\2" + NO_OP_SPELLED[65:]), "offset delta 0, got 1"),
        (with_crc(NO_OP_SPELLED[21:-1] + b"\2"), "no headers"),
        (with_crc(NO_OP_SPELLED[21:] + b"\0"), "expected a batch of 72 bytes, got 73"),
        (with_crc(NO_OP_SPELLED[21:61] + b"\x7f" + NO_OP_SPELLED[62:]), "length at most"),
        (with_crc(NO_OP_SPELLED[21:68] + b"\x63" + NO_OP_SPELLED[69:]), "got key 99"),
        (with_crc(NO_OP_SPELLED[21:69] + b"\x01" + NO_OP_SPELLED[70:]), "version 0 to 0, got 1"),
    ],
)
def test_a_batch_that_this_log_cannot_have_is_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decode_batches(data)

    assert complaint in str(refused.value)


def test_a_count_of_records_is_checked_before_they_are_read() -> None:
    body = bytearray(NO_OP_SPELLED[21:])
    body[2:6], body[36:40] = b"\x7f\xff\xff\xfe", b"\x7f\xff\xff\xff"

    with pytest.raises(DecodeError, match="got 2147483647 in 72 bytes"):
        decode_batches(with_crc(bytes(body)))
