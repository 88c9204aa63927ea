"""Unsigned and zigzag varints: 7 bits a byte, lowest first (KIP-482 and the record batch)."""

from functools import lru_cache

from ..errors import DecodeError

ZIGZAGS_MAX = 16_384  # cached: the offsets of a batch of 10,000 records, and the usual lengths
SMALL = [bytes((value,)) for value in range(128)]
_UNSIGNED_BYTES_MAX = 5  # of an int32
_ZIGZAG_BYTES_MAX = 10  # of an int64


def unsigned(value: int) -> bytes:
    """Encodes an unsigned varint."""
    if value < 128:
        return SMALL[value]
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


@lru_cache(maxsize=ZIGZAGS_MAX)
def zigzag(value: int) -> bytes:
    """Encodes a zigzag varint."""
    return unsigned(value << 1 if value >= 0 else (-value << 1) - 1)


def read_unsigned(data: bytes | bytearray, pos: int) -> tuple[int, int]:
    """Returns the varint at `pos` and the position after it.

    Raises IndexError at the end of the data.
    """
    byte = data[pos]
    if byte < 128:
        return byte, pos + 1
    second = data[pos + 1]
    if second < 128:  # as in the lengths of most batches
        return byte & 127 | second << 7, pos + 2
    return _read_long(data, pos, _UNSIGNED_BYTES_MAX)


def read_zigzag(data: bytes | bytearray, pos: int) -> tuple[int, int]:
    """Returns the signed varint at `pos` and the position after it.

    Raises IndexError at the end of the data.
    """
    byte = data[pos]
    if byte < 128:
        return byte >> 1 ^ -(byte & 1), pos + 1
    second = data[pos + 1]
    if second < 128:  # as in most lengths of records
        value = byte & 127 | second << 7
        return value >> 1 ^ -(value & 1), pos + 2
    value, pos = _read_long(data, pos, _ZIGZAG_BYTES_MAX)
    return value >> 1 ^ -(value & 1), pos


def _read_long(data: bytes | bytearray, pos: int, bytes_max: int) -> tuple[int, int]:
    value = 0
    for length in range(bytes_max):
        byte = data[pos + length]
        value |= (byte & 127) << 7 * length
        if byte < 128:
            return value, pos + length + 1
    raise DecodeError(f"expected a varint of at most {bytes_max} bytes, got a longer one at {pos}")
