"""A leader reads compressed batches as Kafka does, and writes what `compression.type` says."""

import gzip
from struct import pack

import pytest

from kraftsim.broker_agent.log import codecs
from kraftsim.broker_agent.log.batch import HEADER_BYTES, header_of, records_of
from kraftsim.broker_agent.log.codecs import CannotDecompress, from_lz4, from_snappy, from_zstd
from kraftsim.broker_agent.log.compression import CODECS, payload_of
from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.offsets import first_since
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import Refused, check
from kraftsim.controller.core.errors import ErrorCode
from tests.batches import NOW_MS, batch, record

SHIPPED = LogSettings()
SNAPPY_HEADER = b"\x82SNAPPY\0\0\0\0\1\0\0\0\1"
LZ4_HEADER = b"\x04\x22\x4d\x18\x60\x40\x82"
RECORDS = b"".join(record(b"%d" % place, delta=place, time=place) for place in range(3))


def snappy_block(data: bytes) -> bytes:
    """A literal of less than 60 bytes."""
    return bytes((len(data), len(data) - 1 << 2)) + data


def snappy(data: bytes) -> bytes:
    block = snappy_block(data)
    return SNAPPY_HEADER + pack(">i", len(block)) + block


def lz4(data: bytes) -> bytes:
    """A frame of one block that is stored plain."""
    return LZ4_HEADER + pack("<I", len(data) | 1 << 31) + data + bytes(4)


def zstd(data: bytes) -> bytes:
    """A frame of one raw block, with its size in one byte."""
    return b"\x28\xb5\x2f\xfd\x20" + bytes((len(data),)) + pack("<I", len(data) << 3 | 1)[:3] + data


PACK = {1: gzip.compress, 2: snappy, 3: lz4, 4: zstd}


def compressed(codec: int, records: bytes = RECORDS, count: int = 3) -> bytes:
    """A batch whose records are in a codec, written out here."""
    values = (b"",) * count
    return batch(*values, attributes=codec, payload=PACK[codec](records), times=tuple(range(count)))


@pytest.mark.parametrize("codec", PACK)
def test_a_compressed_batch_is_stored_as_it_was_sent(codec: int) -> None:
    sent = compressed(codec)

    accepted = check(sent, SHIPPED, "t-0", NOW_MS)

    assert accepted.batch == sent
    assert accepted.offset_of_max == 2


@pytest.mark.parametrize("codec", PACK)
def test_the_records_of_a_compressed_batch_are_counted(codec: int) -> None:
    with pytest.raises(Refused) as refused:
        check(compressed(codec, count=4), SHIPPED, "t-0", NOW_MS)

    assert refused.value.code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", PACK)
def test_a_compacted_topic_needs_the_key_of_a_compressed_record(codec: int) -> None:
    with pytest.raises(Refused) as refused:
        check(compressed(codec), LogSettings(cleanup_policy="compact"), "t-0", NOW_MS)

    assert [place for place, _ in refused.value.record_errors] == [0, 1, 2]


@pytest.mark.parametrize("codec", [*PACK, 5, 6, 7])
def test_a_payload_in_another_format_is_refused(codec: int) -> None:
    with pytest.raises(Refused) as refused:
        check(batch(b"plain", attributes=codec), SHIPPED, "t-0", NOW_MS)

    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("codec", PACK)
def test_a_time_is_looked_up_in_a_compressed_batch(codec: int) -> None:
    log, at = Log(0), Instant(0, NOW_MS)
    log.append(check(compressed(codec), SHIPPED, "t-0", NOW_MS), 0, at, SHIPPED)

    assert first_since(log, NOW_MS + 1).offset == 1


@pytest.mark.rule("B1.31")
@pytest.mark.parametrize("sent", [None, *PACK])
@pytest.mark.parametrize("name", CODECS)
def test_the_codec_of_the_topic_is_that_of_its_batches(sent: int | None, name: str) -> None:
    data = compressed(sent) if sent else batch(b"0", b"1", b"2", times=(0, 1, 2))

    accepted = check(data, LogSettings(compression_type=name), "t-0", NOW_MS)

    header = header_of(accepted.batch)
    assert header.compression == CODECS[name]
    assert payload_of(accepted.batch, header) == RECORDS
    assert len(list(records_of(header, RECORDS))) == 3


@pytest.mark.parametrize("name", CODECS)
def test_a_long_payload_comes_back_from_every_codec(name: str) -> None:
    settings = LogSettings(compression_type=name)
    value = b"0123456789abcdef" * 20_000

    accepted = check(batch(value), settings, "t-0", NOW_MS)

    header = header_of(accepted.batch)
    assert payload_of(accepted.batch, header) == batch(value)[HEADER_BYTES:]
    is_packed = CODECS[name] != 0
    assert (len(accepted.batch) < len(value) // 10) == is_packed


def test_a_level_that_is_chosen_acts() -> None:
    value = b" ".join(b"%x" % (place * 7919 % 65_537) for place in range(9000))
    for name, weak, strong in (("lz4", 9, 17), ("zstd", 1, 19), ("gzip", 1, 9)):
        sizes = [
            len(
                check(
                    batch(value),
                    LogSettings(compression_type=name, **{f"{name}_level": level}),
                    "t-0",
                    NOW_MS,
                ).batch
            )
            for level in (weak, strong)
        ]
        assert sizes[0] > sizes[1], name


def test_a_bare_block_of_snappy_is_read() -> None:
    assert from_snappy(snappy_block(RECORDS)) == RECORDS


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (from_snappy, snappy(RECORDS)[:-1]),
        (from_snappy, SNAPPY_HEADER + b"\0\0\0\2\x05\x00"),
        (from_lz4, lz4(RECORDS)[:-6]),
        (from_lz4, lz4(RECORDS)[:-2]),
        (from_lz4, LZ4_HEADER + pack("<I", 3) + b"\xff\xff\xff" + bytes(4)),
        (from_lz4, lz4(RECORDS).replace(b"\x60\x40", b"\x40\x40")),  # blocks that need each other
        (from_zstd, zstd(RECORDS)[:-1]),
        (from_zstd, b""),
    ],
)
def test_a_damaged_payload_is_refused(read: object, data: bytes) -> None:
    assert callable(read)
    with pytest.raises(CannotDecompress):
        read(data)


@pytest.mark.parametrize("name", ["snappy", "lz4", "zstd"])
def test_a_payload_longer_than_the_bound_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = check(batch(bytes(100_000)), LogSettings(compression_type=name), "t-0", NOW_MS)
    monkeypatch.setattr(codecs, "PAYLOAD_BYTES_MAX", 90_000)

    with pytest.raises(CannotDecompress, match="too long"):
        payload_of(accepted.batch, header_of(accepted.batch))
