"""Record batches of the metadata log: magic 2, CRC-32C, no compression, deterministic bytes.

A batch keeps its bytes in `Batch.encoded` once it is encoded or decoded, because every follower
gets the same bytes. The layout is that of Kafka's DefaultRecordBatch."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from struct import Struct as Packing
from typing import NoReturn, cast

from ...core.log.batch import FETCH_BYTES_MAX, Batch, BoundedBatches
from ...core.log.control_records import ControlRecord
from ...core.log.records import Record
from ..codec.varints import read_zigzag, zigzag
from ..errors import DecodeError
from .checksum import crc32c
from .control_records import VERSION as CONTROL_RECORD_VERSION
from .control_records import decode_control_record, encode_control_record
from .metadata_records import decode_record, encode_record

READ_BATCHES_MAX = 4096  # cached decoded batches: those that a fleet decodes at the same time
SLICE_RECORDS = 2_500  # encoded in one step: about 10 ms of work
MAGIC = 2
CONTROL = 0x20  # attribute bit; batches with any other bit are refused
COMPRESSION = 0x07  # attribute bits
CODECS = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
RecordDecoder = Callable[[bytes], tuple[Record, int]]
NO_PRODUCER = (-1, -1, -1)  # id, epoch, base sequence
_HEAD = Packing(">qiibI")  # base offset, length of the rest, epoch, magic, CRC of what follows
_BODY = Packing(">hiqqqhii")  # attributes, last delta, base and max time, producer, record count
_LENGTH_END = 12
_RECORD_BYTES_MIN = 7
_NO_KEY, _NO_HEADERS, _NO_ATTRIBUTES_OR_DELTA = b"\x01", b"\x00", b"\x00\x00"


def encode_batches(batches: Sequence[Batch]) -> bytes:
    """Returns the bytes of as many whole batches as fit into their bound, but at least of one.

    A reader thus always makes progress.
    """
    bytes_max = batches.bytes_max if isinstance(batches, BoundedBatches) else FETCH_BYTES_MAX
    encoded = [batch.encoded[0] if batch.encoded else encode_batch(batch) for batch in batches]
    if sum(map(len, encoded)) > bytes_max:
        fitting = sum(size <= bytes_max for size in accumulate(map(len, encoded)))
        encoded = encoded[: max(fitting, 1)]
    return b"".join(encoded)


def encode_batch(batch: Batch) -> bytes:
    """Returns the bytes of a batch, encoded once."""
    slices: list[bytes] = []
    while not encode_slice(batch, slices):
        pass
    return batch.encoded[0]


def encode_slice(batch: Batch, slices: list[bytes]) -> bool:
    """Encode the next records of a batch; returns True once all are in `encoded`.

    `slices` has the encoded records of the earlier calls; the first call gets an empty list.
    """
    if not batch.encoded:
        first, count = len(slices) * SLICE_RECORDS, len(batch.records)
        slices.append(_encode_records(batch, first, min(first + SLICE_RECORDS, count)))
        if first + SLICE_RECORDS < count:
            return False
        batch.encoded.append(_whole(batch, b"".join(slices)))
    return True


def _whole(batch: Batch, records: bytes) -> bytes:
    count = len(batch.records)
    if not count:
        raise ValueError("expected a batch of one record or more, got none")
    times = (batch.timestamp_ms, batch.timestamp_ms)
    attributes = CONTROL if batch.is_control else 0
    body = _BODY.pack(attributes, count - 1, *times, *NO_PRODUCER, count) + records
    length = _HEAD.size - _LENGTH_END + len(body)
    return _HEAD.pack(batch.base_offset, length, batch.epoch, MAGIC, crc32c(body)) + body


def _encode_records(batch: Batch, first: int, end: int) -> bytes:
    pieces: list[bytes] = []
    for delta in range(first, end):
        record = batch.records[delta]
        if batch.is_control:
            key, value = encode_control_record(cast(ControlRecord, record))
            key = zigzag(len(key)) + key
        else:
            key, value = _NO_KEY, encode_record(cast(Record, record), batch.versions[delta])
        before = _NO_ATTRIBUTES_OR_DELTA + zigzag(delta) + key + zigzag(len(value))
        length = len(before) + len(value) + len(_NO_HEADERS)
        pieces += (zigzag(length), before, value, _NO_HEADERS)
    return b"".join(pieces)


def decode_batches(data: bytes) -> list[Batch]:
    """Returns all batches of `data`; raises DecodeError if the last one is incomplete."""
    return list(read_batches(data))


def read_batches(data: bytes) -> Iterator[Batch]:
    """Yields the batches of `data`; decodes each batch when the caller requests it.

    Raises DecodeError if the last batch is incomplete.
    """
    pos = 0
    while pos < len(data):
        end = _batch_end(data, pos)
        yield _read_batch(data[pos:end])
        pos = end


def _batch_end(data: bytes, pos: int) -> int:
    available = len(data) - pos
    if available < _HEAD.size + _BODY.size:
        raise DecodeError(
            f"expected a batch of {_HEAD.size + _BODY.size} bytes or more, got {available}"
        )
    length = int.from_bytes(data[pos + 8 : pos + _LENGTH_END], "big", signed=True)
    if not _HEAD.size + _BODY.size <= length + _LENGTH_END <= available:
        raise DecodeError(
            f"expected a batch within {available} bytes, got one of {length} and 12 bytes"
        )
    return pos + _LENGTH_END + length


@lru_cache(maxsize=READ_BATCHES_MAX)
def _read_batch(data: bytes) -> Batch:
    """Decodes a complete batch.

    The result is cached, because all brokers of a process read the same end of the log.
    """
    return decode_batch(data)


def decode_batch(data: bytes, decode: RecordDecoder = decode_record) -> Batch:
    """Returns the batch of exactly these bytes; raises DecodeError if they are damaged.

    `decode` returns the record and the version of a record's value.
    """
    base_offset, _, epoch, magic, crc = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise DecodeError(f"batch at offset {base_offset}: expected magic {MAGIC}, got {magic}")
    computed = crc32c(data[_HEAD.size :])
    if crc != computed:
        raise DecodeError(f"batch at offset {base_offset}: expected CRC {crc}, got {computed}")
    attributes, last_delta, base_ms, max_ms, *_, count = _BODY.unpack_from(data, _HEAD.size)
    if attributes & COMPRESSION:
        raise DecodeError(
            f"batch at offset {base_offset}: expected no compression, as in Kafka's metadata log, "
            f"got {CODECS.get(attributes & COMPRESSION, 'an unknown one')}"
        )
    if attributes & ~CONTROL:
        raise DecodeError(
            f"batch at offset {base_offset}: expected attributes 0 or {CONTROL}, got {attributes}"
        )
    if not 0 < count <= len(data) // _RECORD_BYTES_MIN or last_delta != count - 1:
        raise DecodeError(
            f"batch at offset {base_offset}: expected records for {last_delta + 1} offsets, "
            f"got {count} in {len(data)} bytes"
        )
    if base_ms != max_ms:
        raise DecodeError(
            f"batch at offset {base_offset}: expected one time, got {base_ms} to {max_ms}"
        )
    records, versions = _read_records(data, count, decode, is_control=attributes == CONTROL)
    return Batch(
        base_offset=base_offset,
        epoch=epoch,
        timestamp_ms=base_ms,
        records=records,
        versions=versions,
        is_control=attributes == CONTROL,
        encoded=[data],
    )


Records = tuple[Record, ...] | tuple[ControlRecord, ...]


def _read_records(
    data: bytes, count: int, decode: RecordDecoder, *, is_control: bool
) -> tuple[Records, tuple[int, ...]]:
    """Returns the records and their versions; the records must fill the batch."""
    read: list[tuple[Record | ControlRecord, int]] = []
    pos = _HEAD.size + _BODY.size
    try:
        for delta in range(count):
            key, value, pos = _read_record(data, pos, delta)
            if is_control:
                read.append((decode_control_record(key or b"", value), CONTROL_RECORD_VERSION))
            else:
                read.append(decode(value))
    except IndexError:
        raise DecodeError(f"expected {count} records, got {len(data)} bytes") from None
    if pos != len(data):
        raise DecodeError(f"expected a batch of {pos} bytes, got {len(data)}")
    records, versions = zip(*read, strict=True)
    return cast(Records, records), versions


def _read_record(data: bytes, pos: int, delta: int) -> tuple[bytes | None, bytes, int]:
    """Returns key, value and end of a record.

    The offset of the record must be `delta` above that of the batch.
    """
    length, pos = read_zigzag(data, pos)
    end = pos + length
    if length < 0 or end > len(data):
        _refuse("record", "length", f"at most {len(data) - pos}", length)
    if data[pos] or data[pos + 1]:
        _refuse("record", "attributes and time delta", "0, 0", tuple(data[pos : pos + 2]))
    offset_delta, pos = read_zigzag(data, pos + 2)
    if offset_delta != delta:
        _refuse("record", "offset delta", delta, offset_delta)
    key, pos = _read_bytes(data, pos, end)
    value, pos = _read_bytes(data, pos, end)
    if value is None or pos + 1 != end or data[pos]:
        _refuse("record", "one value and no headers in bytes", end - pos, value)
    return key, value, end


def _read_bytes(data: bytes, pos: int, end: int) -> tuple[bytes | None, int]:
    length, pos = read_zigzag(data, pos)
    if length == -1:
        return None, pos
    if not 0 <= length <= end - pos:
        _refuse("record", "length of key or value", f"at most {end - pos}", length)
    return data[pos : pos + length], pos + length


def _refuse(label: str, subject: str, expected: object, got: object) -> NoReturn:
    raise DecodeError(f"{label}: expected {subject} {expected}, got {got!r:.64}")
