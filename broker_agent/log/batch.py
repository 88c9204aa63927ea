"""Record batches of magic 2 as bytes: headers, records, what a broker writes over (B1.1-B1.7).

A stored batch is one immutable `bytes`, shared by replicas, snapshots and branches that have it.
"""

from collections.abc import Iterator
from struct import Struct, error
from typing import NamedTuple

from kraftsim.controller.wire.codec.varints import read_zigzag, zigzag
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.records.checksum import crc32c

MAGIC = 2
LOG_OVERHEAD = 12  # base offset and length
SIZE_MIN = 14  # of what follows the length, in any format
MAGIC_END = 17
HEADER_BYTES = 61
ATTRIBUTES_LOW = 22  # the byte with the attributes that there are
CRC_START = 21  # the checksum is of all that follows it (B1.2)
_NULL = 1  # the length of a null key, as a varint
NONE = -1  # no timestamp, producer, epoch or sequence (B1.6)

COMPRESSION, LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 0x07, 0x08, 0x10, 0x20  # of attributes
KNOWN = 0x7F  # bits that Kafka writes, with that of a delete horizon
_HEADER = Struct(">qiibIhiqqqhii")
PLACE = Struct(">qiib")  # base offset, length, leader epoch, magic
LENGTH = Struct(">i")


Data = bytes | bytearray
"""Bytes that hold a batch: its own, or those of the request in which it came."""


class Header(NamedTuple):
    """The first 61 bytes of a batch."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def last_offset(self) -> int:
        """The offset of the last record."""
        return self.base_offset + self.last_delta

    @property
    def compression(self) -> int:
        """The number of the codec; 0 is none."""
        return self.attributes & COMPRESSION


class Record(NamedTuple):
    """One record of a batch; `body` is what follows the offset delta: key, value, headers."""

    attributes: int
    timestamp: int
    delta: int
    key: bytes | None
    value_bytes: int
    body: bytes


class BadRecord(Exception):
    """The records of a batch are not what its header says, or not in Kafka's format."""


class BadBatch(Exception):
    """The bytes of a set of batches cannot be split (CORRUPT_MESSAGE)."""


def header_of(data: Data, start: int = 0) -> Header:
    """Returns the header of the batch at `start`, which has at least HEADER_BYTES."""
    return tuple.__new__(Header, _HEADER.unpack_from(data, start))  # half the time of Header._make


def size_at(records: Data, start: int) -> int:
    """Returns the size of the batch at `start` of a set; 0 if there is none.

    A torn batch ends the set. Raises BadBatch (B1.7).
    """
    left = len(records) - start
    if left < LOG_OVERHEAD:
        return 0
    length: int = LENGTH.unpack_from(records, start + 8)[0]
    if length < SIZE_MIN:
        raise BadBatch(
            f"Record size {length} is less than the minimum record overhead ({SIZE_MIN})"
        )
    if left < MAGIC_END:
        return 0
    magic = records[start + 16]
    if magic > MAGIC:
        raise BadBatch(f"Invalid magic found in record: {magic - 256 if magic > 127 else magic}")
    return length + LOG_OVERHEAD if left >= length + LOG_OVERHEAD else 0


def expect_whole(batch: bytes) -> None:
    """Raises BadBatch if a stored batch is not as long as its header says: it is torn."""
    if LENGTH.unpack_from(batch, 8)[0] + LOG_OVERHEAD != len(batch):
        raise BadBatch("the length of a stored batch is not its length")


def has_valid_crc(batch: bytes) -> bool:
    """True if a batch with a whole header has the checksum of its header."""
    return crc32c(memoryview(batch)[CRC_START:]) == header_of(batch).crc


def encoded(header: Header, records: bytes) -> bytes:
    """Returns the bytes of a batch with these records, with its length and checksum."""
    length = len(records) + HEADER_BYTES - LOG_OVERHEAD
    data = _HEADER.pack(*header._replace(length=length, crc=0)) + records
    crc = crc32c(memoryview(data)[CRC_START:])
    return b"".join((data[:MAGIC_END], crc.to_bytes(4, "big"), memoryview(data)[CRC_START:]))


def records_of(header: Header, payload: bytes) -> Iterator[Record]:
    """Yields the records of a batch from its decompressed payload.

    Raises BadRecord if they are fewer or more than the header says (B1.33), or malformed.
    """
    pos, is_stamped = 0, header.attributes & LOG_APPEND_TIME
    try:
        for _ in range(header.record_count):
            length, pos = read_zigzag(payload, pos)
            end = pos + length
            if length < 0 or end > len(payload):
                raise BadRecord("a record is longer than its batch")
            yield _record(header, payload, pos, end, bool(is_stamped))
            pos = end
    except (IndexError, DecodeError, error) as bad:
        raise BadRecord(str(bad)) from None
    if pos != len(payload):
        raise BadRecord("bytes follow the last record")


def _record(header: Header, payload: bytes, pos: int, end: int, is_stamped: bool) -> Record:
    attributes = payload[pos]
    timestamp_delta, pos = read_zigzag(payload, pos + 1)
    delta, pos = read_zigzag(payload, pos)
    body = pos
    if payload[pos] == _NULL:
        key, pos = None, pos + 1
    else:
        length, pos = read_zigzag(payload, pos)
        key = payload[pos : pos + length] if length >= 0 else None
        pos = pos + length if length >= 0 else pos
    value_bytes, pos = read_zigzag(payload, pos)
    pos = pos + value_bytes if value_bytes >= 0 else pos
    if payload[pos]:
        pos = end_of_headers(payload, pos, end)
    else:
        pos += 1
    if pos != end:
        raise BadRecord("the parts of a record are not as long as the record")
    timestamp = header.max_timestamp if is_stamped else header.base_timestamp + timestamp_delta
    values = (attributes, timestamp, delta, key, value_bytes, payload[body:end])
    return tuple.__new__(Record, values)  # takes half the time of Record(...)


def end_of_headers(payload: Data, pos: int, end: int) -> int:
    """Returns the position behind the headers of a record, whose count is at `pos`."""
    count, pos = read_zigzag(payload, pos)
    if count < 0:
        raise BadRecord("a record has fewer than no headers")
    for _ in range(count):
        length, pos = read_zigzag(payload, pos)
        if length < 0:
            raise BadRecord("a header has no key")
        length, pos = read_zigzag(payload, pos + length)
        pos = pos + length if length >= 0 else pos
        if pos > end:
            break
    return pos


def encoded_record(record: Record, base_timestamp: int, delta: int) -> bytes:
    """Returns the bytes of a record in a batch that is built anew."""
    rest = b"".join(
        (
            record.attributes.to_bytes(1, "big"),
            zigzag(record.timestamp - base_timestamp),
            zigzag(delta),
            record.body,
        )
    )
    return zigzag(len(rest)) + rest
