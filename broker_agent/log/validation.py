"""What a leader checks of a produced batch, and what it makes of it (rules B1.10-B1.42)."""

from collections.abc import Sequence
from typing import NamedTuple

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.wire.records.checksum import checksum

from .batch import (
    ATTRIBUTES_LOW,
    COMPRESSION,
    CONTROL,
    CRC_START,
    HEADER_BYTES,
    KNOWN,
    LENGTH,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC,
    MAGIC_END,
    NONE,
    PLACE,
    TRANSACTIONAL,
    BadBatch,
    BadRecord,
    Data,
    Header,
    Record,
    encoded,
    encoded_record,
    header_of,
    records_of,
    size_at,
)
from .codecs import CannotDecompress
from .compression import NO_CODEC, ZSTD, compressed, scan_of
from .scan import Scan
from .settings import LogSettings

ZSTD_SINCE = 7
SHOWN_ERRORS_MAX = 3
_LONG = 1 << 64
_BUILT = LOG_APPEND_TIME | TRANSACTIONAL | CONTROL  # bits that a batch built anew keeps


class Refused(Exception):
    """A batch is refused; `record_errors` has the number and the fault of each bad record."""

    def __init__(
        self,
        code: ErrorCode,
        message: str | None = None,
        record_errors: Sequence[tuple[int, str]] = (),
    ) -> None:
        super().__init__(code, message)
        self.code, self.message, self.record_errors = code, message, tuple(record_errors)


class Accepted(NamedTuple):
    """A batch that passed, in `data` from `start` to `end`, and what the leader will write over."""

    data: Data
    start: int
    end: int
    header: Header
    attributes: int
    max_timestamp: int
    offset_of_max: int
    """The delta of the first record with the largest timestamp."""

    @property
    def batch(self) -> bytes:
        """The bytes of the batch."""
        return bytes(self.data[self.start : self.end])

    def at(self, offset: int, epoch: int) -> tuple[bytes, Header]:
        """Returns the batch at its offset, with what the leader writes over (B1.41), its header."""
        data, start, end, header, attributes, max_timestamp, _ = self
        if attributes == header.attributes and max_timestamp == header.max_timestamp:
            place = (offset, end - start - LOG_OVERHEAD, epoch, MAGIC)
            rest = memoryview(data)[start + MAGIC_END : end]
            stored = b"".join((PLACE.pack(*place), rest))
            return stored, tuple.__new__(Header, (*place, *header[4:]))  # behind the place
        changed = header._replace(
            attributes=attributes & KNOWN,
            max_timestamp=max_timestamp,
            base_offset=offset,
            leader_epoch=epoch,
        )
        stored = encoded(changed, bytes(data[start + HEADER_BYTES : end]))
        return stored, header_of(stored)


def only_batch(records: bytes | None, version: int) -> bytes:
    """Returns the one batch of a request; raises Refused for another shape (B1.10, B1.11)."""
    records = records or b""  # of null, 4.3.1 replies nothing (B1.12)
    try:
        size = size_at(records, 0)
        if not size or records[MAGIC_END - 1] != MAGIC:
            raise Refused(ErrorCode.INVALID_RECORD)
        if version < ZSTD_SINCE and _codec_of(records) == ZSTD:
            raise Refused(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
        if size_at(records, size):
            raise Refused(ErrorCode.INVALID_RECORD)
    except BadBatch:
        raise Refused(ErrorCode.CORRUPT_MESSAGE) from None
    return records[:size]


def is_plain(data: Data, start: int, end: int) -> bool:
    """True if neither `only_batch` nor `find_refusal` refuses what is there, in ZSTD_SINCE.

    It is one batch, which ends at `end`.
    """
    return (
        end - start >= HEADER_BYTES
        and LENGTH.unpack_from(data, start + 8)[0] == end - start - LOG_OVERHEAD
        and data[start + MAGIC_END - 1] == MAGIC
        and not data[start + ATTRIBUTES_LOW] & TRANSACTIONAL
    )


def has_unknown_codec(records: bytes | None, version: int) -> bool:
    """True if the look for zstd fails, and the whole request with it (B1.10)."""
    records = records or b""
    is_batch = size_at(records, 0) >= HEADER_BYTES and records[MAGIC_END - 1] == MAGIC
    return is_batch and version < ZSTD_SINCE and _codec_of(records) > ZSTD


def _codec_of(records: bytes) -> int:
    return header_of(records).compression if len(records) >= HEADER_BYTES else NO_CODEC


def find_refusal(records: bytes | None) -> Refused | None:
    """Returns why the first batch for one partition lets the whole request be refused.

    Kafka looks for transactional batches before it looks at partitions, and fails with a batch that
    it cannot split off (B1.11, B1.45).
    """
    try:
        size = size_at(records or b"", 0)
    except BadBatch as bad:
        return Refused(ErrorCode.CORRUPT_MESSAGE, str(bad))
    if records is None or size < HEADER_BYTES or records[MAGIC_END - 1] != MAGIC:
        return None
    if header_of(records).attributes & TRANSACTIONAL:
        return Refused(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    return None


def check(
    data: Data,
    settings: LogSettings,
    partition: str,
    wall_ms: int,
    start: int = 0,
    end: int | None = None,
) -> Accepted:
    """Returns the batch from `start` to `end` as the leader may store it; raises Refused.

    `partition` is its name as texts have it, such as "t-0".
    """
    if end is None:
        end = len(data)
    header = _checked_header(data, start, end, settings)
    try:
        scan = scan_of(data, header, start, end)
    except CannotDecompress:  # B1.35
        raise Refused(ErrorCode.UNKNOWN_SERVER_ERROR) from None
    except BadRecord:  # B1.33
        raise Refused(ErrorCode.INVALID_RECORD) from None
    if settings.is_compacted or not _are_timely(header, scan, settings, wall_ms):
        _check_records(header, scan, settings, partition, wall_ms)
    codec = header.attributes & COMPRESSION
    if settings.codec is not None and settings.codec != codec:
        records = list(records_of(header, scan.payload))
        data, header = _built(header, records, settings.codec, settings)
        start, end = 0, len(data)
        if end > settings.max_message_bytes:  # B1.42
            raise Refused(ErrorCode.MESSAGE_TOO_LARGE)
    elif codec != NO_CODEC and not scan.is_dense:
        raise Refused(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka has skipped keys and values (B1.30)
    return _stamped(data, start, end, header, scan, settings, wall_ms)


def _checked_header(data: Data, start: int, end: int, settings: LogSettings) -> Header:
    """Returns the header of a batch; raises Refused if no client may send such a batch."""
    is_whole = end - start >= HEADER_BYTES
    header = header_of(data, start) if is_whole else _padded(data, start, end)
    offset, _, _, _, crc, attributes, last_delta, _, _, producer_id, _, sequence, count = header
    if offset:  # B1.20, in this order
        raise Refused(ErrorCode.INVALID_RECORD)
    if end - start > settings.max_message_bytes:
        raise Refused(ErrorCode.MESSAGE_TOO_LARGE)
    if not is_whole or checksum()(memoryview(data)[start + CRC_START : end]) != crc:
        raise Refused(ErrorCode.CORRUPT_MESSAGE)
    if (  # B1.32
        count <= 0
        or count != last_delta + 1
        or attributes & CONTROL
        or (producer_id >= 0 and sequence < 0)
    ):
        raise Refused(ErrorCode.INVALID_RECORD)
    return header


def _padded(data: Data, start: int, end: int) -> Header:
    """Returns the header of a batch that has not all of it."""
    return header_of(data[start:end].ljust(HEADER_BYTES, b"\0"))


def _check_records(
    header: Header, scan: Scan, settings: LogSettings, partition: str, wall_ms: int
) -> None:
    """Raises Refused with every bad record (B1.36-B1.39)."""
    needs_key = settings.is_compacted
    errors: list[tuple[int, str]] = []
    is_about_time = False
    for place, record in enumerate(records_of(header, scan.payload)):
        if needs_key and record.key is None:
            text = "Compacted topic cannot accept message without key in topic partition "
            errors.append((place, text + partition))
        elif (flaw := _flaw_of_time(header, record, settings, wall_ms)) is not None:
            errors.append((place, flaw))
            is_about_time = True
    if is_about_time:
        text = "One or more records have been rejected due to invalid timestamp"
        raise Refused(ErrorCode.INVALID_TIMESTAMP, text, errors)
    if errors:
        shown = ", ".join(
            f"RecordError(batchIndex={place}, message='{text}')"
            for place, text in errors[:SHOWN_ERRORS_MAX]
        )
        text = (
            f"One or more records have been rejected due to {len(errors)} record errors in total, "
            f"and only showing the first three errors at most: [{shown}]"
        )
        raise Refused(ErrorCode.INVALID_RECORD, text, errors)


def _are_timely(header: Header, scan: Scan, settings: LogSettings, wall_ms: int) -> bool:
    """True if no record has a bad timestamp (B1.38, B1.39); False if one may have one."""
    if settings.is_stamped:
        return not header.attributes & LOG_APPEND_TIME
    return (
        scan.oldest > NONE
        and wall_ms - scan.oldest <= settings.timestamp_before_max_ms
        and scan.newest - wall_ms <= settings.timestamp_after_max_ms
    )


def _flaw_of_time(
    header: Header, record: Record, settings: LogSettings, wall_ms: int
) -> str | None:
    before_ms, after_ms = settings.timestamp_before_max_ms, settings.timestamp_after_max_ms
    if not settings.is_stamped and record.timestamp != NONE:  # B1.38
        if wall_ms - record.timestamp <= before_ms and record.timestamp - wall_ms <= after_ms:
            return None
        first, last = _as_long(wall_ms - before_ms), _as_long(wall_ms + after_ms)
        return (
            f"Timestamp {record.timestamp} of message with offset {record.delta} is out of range. "
            f"The timestamp should be within [{first}, {last}]"
        )
    if header.attributes & LOG_APPEND_TIME:  # B1.39
        key = len(record.key or b"")
        return (
            f"Invalid timestamp type in message DefaultRecord(offset={record.delta}, "
            f"timestamp={record.timestamp}, key={key} bytes, value={record.value_bytes} bytes). "
            "Producer should not set timestamp type to LogAppendTime."
        )
    return None


def _as_long(number: int) -> int:
    """Returns the number as Java's long, which wraps: the text of 4.3.1 shows it (B1.38)."""
    return (number + _LONG // 2) % _LONG - _LONG // 2


def _stamped(
    data: Data,
    start: int,
    end: int,
    header: Header,
    scan: Scan,
    settings: LogSettings,
    wall_ms: int,
) -> Accepted:
    """Returns the batch with the timestamps that it is stored with (B1.41)."""
    if settings.is_stamped:
        attributes, largest, place = header.attributes | LOG_APPEND_TIME, wall_ms, 0
    else:
        attributes = header.attributes & ~LOG_APPEND_TIME
        largest = scan.newest
        place = scan.offset_of_newest if largest >= NONE else 0
        largest = max(largest, NONE)
    values = (data, start, end, header, attributes, largest, place)
    return tuple.__new__(Accepted, values)  # takes half the time of Accepted(...)


def _built(
    header: Header, records: Sequence[Record], codec: int, settings: LogSettings
) -> tuple[bytes, Header]:
    """Returns a batch of the same records in another codec, with dense offsets (B1.30)."""
    is_idempotent = header.producer_id != NONE
    if any(record.timestamp < NONE for record in records) or (
        header.producer_epoch == NONE if is_idempotent else header.attributes & TRANSACTIONAL
    ):  # Kafka's builder fails (B1.30)
        raise Refused(ErrorCode.UNKNOWN_SERVER_ERROR)
    base = records[0].timestamp
    payload = b"".join(encoded_record(record, base, place) for place, record in enumerate(records))
    changed = header._replace(
        attributes=header.attributes & _BUILT | codec, base_timestamp=base, base_offset=0
    )
    batch = encoded(changed, compressed(payload, codec, settings.level(codec)))
    return batch, header_of(batch)
