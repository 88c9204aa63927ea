"""Lines of text as records: their partitions, as Kafka's producer chooses them, and their batches.

`kraftsim topic write` and the verb `topic.write` of scenarios send them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kraftsim.controller.wire.codec.varints import zigzag

from ..log.batch import MAGIC, NONE, Header, Record, encoded, encoded_record

BATCH_BYTES = 16384  # batch.size of Kafka's producer; a longer line is a batch of its own
_OVERHEAD_BYTES = 30  # of a record, at most, for a key and a value of less than 2^28 bytes
_SEED, _FACTOR = 0x9747B28C, 0x5BD1E995  # of murmur2 in Kafka's clients
_WORD = 0xFFFFFFFF


class Line(NamedTuple):
    """The key and the value of a record."""

    key: bytes | None
    value: bytes

    @property
    def bytes_max(self) -> int:
        """An upper bound of the bytes of the record."""
        return len(self.key or b"") + len(self.value) + _OVERHEAD_BYTES


class Producer(NamedTuple):
    """What an idempotent producer writes to the header of its next batch."""

    producer_id: int
    epoch: int
    sequence: int


NO_PRODUCER = Producer(NONE, NONE, NONE)


def line_of(text: str, key_separator: str | None) -> Line:
    """Returns a line; the text before the first separator, if there is one, is its key."""
    if key_separator is None or key_separator not in text:
        return Line(None, text.encode())
    key, _, value = text.partition(key_separator)
    return Line(key.encode(), value.encode())


def by_partition(
    lines: Sequence[Line], count: int, ends: Mapping[int, int]
) -> dict[int, list[Line]]:
    """Returns the lines of each partition.

    The key of a line chooses among all `count` partitions. A line without a key goes to the
    partition with the smallest end, of those in `ends`.
    """
    found: dict[int, list[Line]] = {}
    ends = dict(ends)
    for line in lines:
        if line.key is None:
            partition = min(ends, key=lambda number: (ends[number], number))
        else:
            partition = (murmur2(line.key) & 0x7FFFFFFF) % count
        found.setdefault(partition, []).append(line)
        if partition in ends:
            ends[partition] += 1
    return found


def murmur2(data: bytes) -> int:
    """Returns the hash of a key by which Kafka's producer chooses a partition (Utils.murmur2)."""
    found = _SEED ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _FACTOR & _WORD
        word = (word ^ word >> 24) * _FACTOR & _WORD
        found = (found * _FACTOR & _WORD) ^ word
    if whole < len(data):
        found = (found ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _WORD
    found = (found ^ found >> 13) * _FACTOR & _WORD
    return found ^ found >> 15


def batches_of(lines: Sequence[Line], timestamp_ms: int) -> Iterator[bytes]:
    """Yields the batches of a partition's lines, uncompressed, with the timestamp in each."""
    group: list[Line] = []
    size = 0
    for line in lines:
        if group and size + line.bytes_max > BATCH_BYTES:
            yield batch_of(group, timestamp_ms)
            group, size = [], 0
        group.append(line)
        size += line.bytes_max
    if group:
        yield batch_of(group, timestamp_ms)


def batch_of(lines: Sequence[Line], timestamp_ms: int, producer: Producer = NO_PRODUCER) -> bytes:
    """Returns the batch of some lines; an idempotent producer has an id, an epoch, a sequence."""
    records = (Record(0, timestamp_ms, 0, line.key, len(line.value), _body(line)) for line in lines)
    payload = b"".join(
        encoded_record(record, timestamp_ms, delta) for delta, record in enumerate(records)
    )
    header = Header(
        base_offset=0,
        length=0,
        leader_epoch=NONE,
        magic=MAGIC,
        crc=0,
        attributes=0,
        last_delta=len(lines) - 1,
        base_timestamp=timestamp_ms,
        max_timestamp=timestamp_ms,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        base_sequence=producer.sequence,
        record_count=len(lines),
    )
    return encoded(header, payload)


def _body(line: Line) -> bytes:
    key = zigzag(NONE) if line.key is None else zigzag(len(line.key)) + line.key
    no_headers = zigzag(0)
    return b"".join((key, zigzag(len(line.value)), line.value, no_headers))
