"""Snappy, LZ4 and zstd as Kafka's clients and brokers write them; cramjam has the algorithms.

Snappy is in the blocks of snappy-java, or one bare block; LZ4 in a frame of independent blocks. No
payload becomes longer than PAYLOAD_BYTES_MAX. cramjam is imported with the first such batch.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import ModuleType

PAYLOAD_BYTES_MAX = 256 * 1024 * 1024
_INT = 4
_SNAPPY_MAGIC = b"\x82SNAPPY\0"
_SNAPPY_HEADER = _SNAPPY_MAGIC + b"\0\0\0\1\0\0\0\1"  # version, and the oldest that can read it
_SNAPPY_BLOCK = 32 * 1024
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_HEADER_BYTES = 7  # magic, flags, size of blocks, checksum
_LZ4_VERSION, _LZ4_VERSION_1, _LZ4_IS_INDEPENDENT = 0xC0, 0x40, 0x20
_LZ4_HAS_BLOCK_CHECKSUM, _LZ4_HAS_SIZE = 0x10, 0x08
_LZ4_IS_STORED = 1 << 31  # of a block's size
_LZ4_FASTEST, _LZ4_STRONGEST = 1, 12
_LZ4_FAST = 9  # Kafka's default level, which is its fast method (Lz4Compression)
_ZSTD_GUESS, _ZSTD_STEP = 16, 8  # how many times longer a payload may be; and then


class CannotDecompress(Exception):
    """The codec is unknown, or the payload is not in its format (B1.35)."""


def _cramjam() -> "ModuleType":
    import cramjam  # not needed by a cluster whose batches are in gzip, or in no codec

    return cramjam


def _damaged(reason: object) -> NoReturn:
    raise CannotDecompress(str(reason)) from None


# Snappy


def from_snappy(data: bytes) -> bytes:
    """Returns the payload; raises CannotDecompress."""
    if not data.startswith(_SNAPPY_MAGIC):
        return _snappy_block(data, PAYLOAD_BYTES_MAX)
    parts: list[bytes] = []
    left, pos = PAYLOAD_BYTES_MAX, len(_SNAPPY_HEADER)
    while pos < len(data):
        size = int.from_bytes(data[pos : pos + _INT], "big")
        pos += _INT + size
        if pos > len(data):
            _damaged("a block of snappy is torn")
        parts.append(_snappy_block(data[pos - size : pos], left))
        left -= len(parts[-1])
    return b"".join(parts)


def _snappy_block(block: bytes, bytes_max: int) -> bytes:
    snappy = _cramjam().snappy
    try:
        if snappy.decompress_raw_len(block) > bytes_max:
            _damaged("the payload is too long")
        return bytes(snappy.decompress_raw(block))
    except _cramjam().DecompressionError as error:
        _damaged(error)


def to_snappy(payload: bytes, level: int) -> bytes:
    """Returns the payload in snappy, which has no levels."""
    parts = [_SNAPPY_HEADER]
    for start in range(0, len(payload), _SNAPPY_BLOCK):
        block = bytes(_cramjam().snappy.compress_raw(payload[start : start + _SNAPPY_BLOCK]))
        parts += [len(block).to_bytes(_INT, "big"), block]
    return b"".join(parts)


# LZ4


def from_lz4(data: bytes) -> bytes:
    """Returns the payload; raises CannotDecompress."""
    parts: list[bytes] = []
    left = PAYLOAD_BYTES_MAX
    for block, bytes_max in _lz4_blocks(data):
        parts.append(block if bytes_max is None else _lz4_block(block, bytes_max))
        left -= len(parts[-1])
        if left < 0:
            _damaged("the payload is too long")
    return b"".join(parts)


def _lz4_blocks(data: bytes) -> Iterator[tuple[bytes, int | None]]:
    """Yields each block with its largest size as payload; None for one that is stored plain."""
    if len(data) < _LZ4_HEADER_BYTES or not data.startswith(_LZ4_MAGIC):
        _damaged("no frame of LZ4")
    flags, exponent = data[4], data[5] >> 4
    if flags & _LZ4_VERSION != _LZ4_VERSION_1 or not flags & _LZ4_IS_INDEPENDENT or exponent < 4:
        _damaged("a frame that Kafka does not read")
    pos = _LZ4_HEADER_BYTES + (8 if flags & _LZ4_HAS_SIZE else 0)
    while size := int.from_bytes(data[pos : pos + _INT], "little"):
        is_stored, size = size & _LZ4_IS_STORED, size & ~_LZ4_IS_STORED
        pos += _INT + size
        if pos > len(data):
            _damaged("a block of LZ4 is torn")
        yield data[pos - size : pos], None if is_stored else 1 << 8 + 2 * exponent
        pos += _INT if flags & _LZ4_HAS_BLOCK_CHECKSUM else 0
    if pos + _INT > len(data):
        _damaged("a frame of LZ4 without an end")


def _lz4_block(block: bytes, bytes_max: int) -> bytes:
    payload = bytearray(bytes_max)
    try:
        size = _cramjam().lz4.decompress_block_into(block, payload, output_len=bytes_max)
    except _cramjam().DecompressionError as error:
        _damaged(error)
    return bytes(memoryview(payload)[:size])


def to_lz4(payload: bytes, level: int) -> bytes:
    """Returns the payload in a frame of LZ4 that Kafka reads."""
    compressor = _cramjam().lz4.Compressor(
        level=_LZ4_FASTEST if level == _LZ4_FAST else min(level, _LZ4_STRONGEST),
        content_checksum=False,
        block_linked=False,
    )
    compressor.compress(payload)
    return bytes(compressor.finish())


# zstd


def from_zstd(data: bytes) -> bytes:
    """Returns the payload; raises CannotDecompress."""
    cramjam = _cramjam()
    sizes = (len(data) * _ZSTD_GUESS * _ZSTD_STEP**turn for turn in range(64))
    for size in (*takewhile(lambda size: size < PAYLOAD_BYTES_MAX, sizes), PAYLOAD_BYTES_MAX):
        payload = bytearray(size)
        try:
            length = cramjam.zstd.decompress_into(data, payload)
        except cramjam.DecompressionError as error:
            if "whole buffer" not in str(error):  # else the payload is longer
                _damaged(error)
        else:
            return bytes(memoryview(payload)[:length])
    _damaged("the payload is too long")


def to_zstd(payload: bytes, level: int) -> bytes:
    """Returns the payload in one frame of zstd."""
    return bytes(_cramjam().zstd.compress(payload, level=level))
