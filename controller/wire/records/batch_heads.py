"""The headers of the batches in a log file, without decoding records.

A file that is being written may end with an incomplete batch, which is ignored; bytes that cannot
begin a batch raise DecodeError.
"""

from collections.abc import Iterator
from struct import Struct as Packing

from ...core.value import value
from ..errors import DecodeError
from .record_batch import MAGIC

# base offset, length of the rest, epoch, magic, CRC, attributes, last delta, base and max time
_HEAD = Packing(">qiibIhiqq")
_LENGTH_END = 12
BATCH_BYTES_MIN = 61  # of a batch without records


@value(kw_only=False)
class BatchHead:
    """The header of one batch; `position` and `end` are byte offsets in the file."""

    position: int
    end: int
    base_offset: int
    last_offset: int
    epoch: int
    timestamp_ms: int


def batch_heads(data: bytes | memoryview, position: int = 0) -> Iterator[BatchHead]:
    """Yields the header of every complete batch from `position`, at which a batch must begin.

    Raises DecodeError if no batch begins at a position.
    """
    while len(data) - position >= BATCH_BYTES_MIN:
        offset, length, epoch, magic, _, _, delta, _, max_ms = _HEAD.unpack_from(data, position)
        end = position + _LENGTH_END + length
        if not length and not any(data[position:]):
            raise DecodeError(
                f"expected a batch, got zeros to the end of the file, {len(data) - position} "
                "bytes: the segment is preallocated, or its end was lost in a crash"
            )
        if end < position + BATCH_BYTES_MIN or magic != MAGIC or delta < 0:
            raise DecodeError(
                f"expected a batch of magic {MAGIC}, got magic {magic} and {length} bytes"
            )
        if end > len(data):
            return
        yield BatchHead(position, end, offset, offset + delta, epoch, max_ms)
        position = end
