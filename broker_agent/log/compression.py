"""The codecs of batches: gzip is read and written, the payloads of the others are opaque.

Batches in snappy, lz4 and zstd are stored as they come: their records are not looked at, because
the standard library of Python 3.11 decompresses none of the three.
"""

import zlib
from struct import Struct

from .batch import HEADER_BYTES, Header

NO_CODEC, GZIP = 0, 1
CODECS = {"uncompressed": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
"""Numbers of the codecs by their names in `compression.type` (B1.3)."""
UNCOMPRESSED_BYTES_MAX = 256 * 1024 * 1024
_WINDOW = 15
_GZIP_WINDOW = 16 + _WINDOW  # of zlib: with a header of gzip
_HEADER = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF))  # as Java writes it
_TRAILER = Struct("<II")


class CannotDecompress(Exception):
    """The codec is unknown, or the payload is not in its format (B1.35)."""


def is_opaque(codec: int) -> bool:
    """True if the payload of the codec cannot be read here."""
    return codec not in (NO_CODEC, GZIP)


def payload_of(batch: bytes, header: Header) -> bytes | None:
    """Returns the records of a batch, decompressed; None if they are opaque.

    Raises CannotDecompress.
    """
    codec = header.compression
    if codec == NO_CODEC:
        return batch[HEADER_BYTES:]
    if codec not in CODECS.values():
        raise CannotDecompress
    if codec != GZIP:
        return None
    decompressor = zlib.decompressobj(_GZIP_WINDOW)
    try:
        payload = decompressor.decompress(batch[HEADER_BYTES:], UNCOMPRESSED_BYTES_MAX)
    except zlib.error:
        raise CannotDecompress from None
    if not decompressor.eof:
        raise CannotDecompress
    return payload


def compressed(payload: bytes, codec: int, gzip_level: int) -> bytes:
    """Returns a payload in `codec`, which is none or gzip."""
    if codec == NO_CODEC:
        return payload
    compressor = zlib.compressobj(gzip_level, zlib.DEFLATED, -_WINDOW)
    trailer = _TRAILER.pack(zlib.crc32(payload), len(payload) & 0xFFFFFFFF)
    return _HEADER + compressor.compress(payload) + compressor.flush() + trailer
