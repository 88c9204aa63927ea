"""Judges a broker's log by what producers sent, what they were answered, and what consumers got.

It reads bytes by itself, and imports nothing of kraftsim: what it judges cannot be its truth.
"""

import zlib
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

import crc32c

# Base offset, length, leader epoch, magic, checksum, attributes, delta of the last offset, base and
# maximal timestamp, producer: id, epoch, sequence; number of records.
HEADER = Struct(">qiibIhiqqqhii")
CODEC, STAMPED = 0x07, 0x08
GZIP = 1
CHECKSUM_END = 21


class Fields(NamedTuple):
    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    checksum: int
    attributes: int
    last_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    sequence: int
    count: int


class Wrong(AssertionError):
    """A promise of the log was broken."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a topic says of its log: the codec of the broker, and what retention keeps."""

    codec: int | None = None
    is_stamped: bool = False
    retention_bytes: int = -1
    retention_ms: int = -1


@dataclass(slots=True)
class LogOracle:
    """The log of one partition, of which no disk loses anything."""

    kept: Kept = Kept()
    sent: dict[int, bytes] = field(default_factory=dict)  # by the offset that was answered
    got: dict[int, bytes] = field(default_factory=dict)  # what consumers got first at an offset
    by_sequence: dict[tuple[int, int, int], int] = field(default_factory=dict)
    end: int = 0
    start: int = 0
    deleted_before: int = 0

    def acknowledged(self, batch: bytes, offset: int) -> None:
        """A producer was answered without an error; a duplicate has the offset of the first."""
        fields = fields_of(batch)
        if fields.producer_id >= 0:
            key = (fields.producer_id, fields.producer_epoch, fields.sequence)
            first = self.by_sequence.get(key)
            if first is not None and first != offset:
                raise Wrong(f"sequence {key}: expected its first offset {first}, got {offset}")
            if first is not None:
                return
            self.by_sequence[key] = offset
        if offset < self.end:
            raise Wrong(f"expected an offset from {self.end} on, got {offset}")
        self.sent[offset] = batch
        self.end = offset + fields.count

    def fetched(self, start: int, end: int, records: bytes) -> None:
        """A consumer has read everything from the log start to the high watermark."""
        sequences: set[tuple[int, int, int]] = set()
        following = None
        for batch in split(records):
            fields = fields_of(batch)
            self._compare(batch, fields)
            if following is not None and fields.base_offset != following:
                raise Wrong(f"expected offset {following}, got {fields.base_offset}")
            following = fields.base_offset + fields.count
            key = (fields.producer_id, fields.producer_epoch, fields.sequence)
            if fields.producer_id >= 0 and key in sequences:
                raise Wrong(f"expected sequence {key} once, got it twice")
            sequences.add(key)
        if (following or start) != end:
            raise Wrong(f"expected records up to {end}, got them up to {following}")
        if end < self.end:
            raise Wrong(f"expected an end from {self.end} on, got {end}")

    def _compare(self, batch: bytes, fields: Fields) -> None:
        sent = self.sent.get(fields.base_offset)
        if sent is None:
            raise Wrong(f"offset {fields.base_offset}: nothing was answered with it")
        if self.got.setdefault(fields.base_offset, batch) != batch:
            raise Wrong(f"offset {fields.base_offset}: expected the batch that was read before")
        if crc32c.crc32c(batch[CHECKSUM_END:]) != fields.checksum:
            raise Wrong(f"offset {fields.base_offset}: the checksum is wrong")
        expected, own = fields_of(sent), self.kept
        allowed = {"base_offset": fields.base_offset, "leader_epoch": fields.leader_epoch}
        payload = batch[HEADER.size :]
        is_recompressed = own.codec is not None and own.codec != expected.attributes & CODEC
        if own.is_stamped:
            allowed["max_timestamp"] = fields.max_timestamp
        if own.is_stamped or is_recompressed:
            codec = expected.attributes & CODEC if own.codec is None else own.codec
            stamp = STAMPED if own.is_stamped else 0
            allowed |= {"attributes": codec | stamp, "checksum": fields.checksum}
        if is_recompressed:
            allowed["length"] = fields.length
            payload = zlib.decompress(payload, 16 + zlib.MAX_WBITS)
        if fields != expected._replace(**allowed) or payload != sent[HEADER.size :]:
            raise Wrong(f"offset {fields.base_offset}: expected the batch that was sent")

    def began(self, start: int, now_ms: int) -> None:
        """The log start is known; what is before it was deleted by a client or by retention."""
        sizes = {base: len(self.got.get(base, batch)) for base, batch in self.sent.items()}
        for base, batch in self.sent.items():
            fields = fields_of(self.got.get(base, batch))
            last = base + fields.count - 1
            if not self.start <= last < start or last < self.deleted_before:
                continue
            is_old = 0 <= self.kept.retention_ms < now_ms - fields.max_timestamp
            left = sum(size for other, size in sizes.items() if other >= start)
            is_too_much = 0 <= self.kept.retention_bytes <= left
            if not (is_old or is_too_much):
                raise Wrong(f"offset {base}: retention must keep it")
        self.start = max(self.start, start)


def fields_of(batch: bytes) -> Fields:
    return Fields._make(HEADER.unpack_from(batch))


def split(records: bytes) -> list[bytes]:
    """Batches, of which the last may be torn and is left out."""
    batches = []
    while len(records) >= HEADER.size:
        size = int.from_bytes(records[8:12]) + 12
        if size > len(records):
            break
        batches.append(records[:size])
        records = records[size:]
    return batches
