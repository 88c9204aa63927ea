"""The heads of the batches in a log file: where each begins and ends, without reading its records.

A file that is being written may end with a part of a batch. That is its end for now, and no error;
what cannot be the beginning of any batch is one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct as Packing

from ..errors import DecodeError
from .record_batch import MAGIC

# base offset, length of the rest, epoch, magic, CRC, attributes, last delta, base and max time
_HEAD = Packing(">qiibIhiqq")
_LENGTH_END = 12
BATCH_BYTES_MIN = 61  # without a record


@dataclass(frozen=True, slots=True)
class BatchHead:
    """`position` and `end` count bytes of the file."""

    position: int
    end: int
    base_offset: int
    last_offset: int
    epoch: int
    timestamp_ms: int


def batch_heads(data: bytes | memoryview, position: int = 0) -> Iterator[BatchHead]:
    """Of every whole batch of the file `data` from `position` on, where one must begin."""
    while len(data) - position >= BATCH_BYTES_MIN:
        offset, length, epoch, magic, _, _, delta, _, max_ms = _HEAD.unpack_from(data, position)
        end = position + _LENGTH_END + length
        if end < position + BATCH_BYTES_MIN or magic != MAGIC or delta < 0:
            raise DecodeError(
                f"byte {position}: expected a batch of magic {MAGIC}, "
                f"got magic {magic} and {length} bytes"
            )
        if end > len(data):
            return
        yield BatchHead(position, end, offset, offset + delta, epoch, max_ms)
        position = end
