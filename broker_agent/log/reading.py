"""The records of a log, one by one, for a person."""

from collections.abc import Iterator
from typing import NamedTuple

from kraftsim.controller.wire.codec.varints import read_zigzag

from .batch import LOG_OVERHEAD, BadBatch, header_of
from .compression import records_in
from .log import Log


class Shown(NamedTuple):
    """A record with its place."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None


def records_from(log: Log, offset: int) -> Iterator[Shown]:
    """Yields the records that consumers may read, from an offset on.

    Raises BadBatch at a damaged batch, as a consumer does that compares checksums.
    """
    first = max(offset, log.start_offset)
    for batch in log.batches_between(first, log.high_watermark):
        header = header_of(batch)
        if header.base_offset in log.damaged:
            raise BadBatch(f"the batch at offset {header.base_offset} is damaged")
        for record in records_in(batch, header):
            place = header.base_offset + record.delta
            if place >= first:
                yield Shown(place, record.timestamp, record.key, _value(record.body))


def split(data: bytes) -> Iterator[bytes]:
    """Yields the batches of whole stored batches, one after another."""
    position = 0
    while position < len(data):
        end = position + LOG_OVERHEAD + int.from_bytes(data[position + 8 : position + LOG_OVERHEAD])
        yield data[position:end]
        position = end


def _value(body: bytes) -> bytes | None:
    """Returns the value in the body of a record, which has the key before it."""
    length, pos = read_zigzag(body, 0)
    length, pos = read_zigzag(body, pos + max(length, 0))
    return None if length < 0 else body[pos : pos + length]
