"""The codecs of batches, by their numbers."""

import zlib
from collections.abc import Callable, Iterator
from struct import Struct

from .batch import COMPRESSION, HEADER_BYTES, Data, Header, Record, records_of
from .codecs import (
    PAYLOAD_BYTES_MAX,
    CannotDecompress,
    from_lz4,
    from_snappy,
    from_zstd,
    to_lz4,
    to_snappy,
    to_zstd,
)
from .scan import Scan

NO_CODEC, GZIP, SNAPPY, LZ4, ZSTD = range(5)
CODECS = {"uncompressed": NO_CODEC, "gzip": GZIP, "snappy": SNAPPY, "lz4": LZ4, "zstd": ZSTD}
"""Numbers of the codecs by their names in `compression.type` (B1.3)."""
_WINDOW = 15
_GZIP_WINDOW = 16 + _WINDOW  # of zlib: with a header of gzip
_GZIP_HEADER = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF))  # as Java writes it
_GZIP_TRAILER = Struct("<II")


def payload_of(batch: bytes, header: Header) -> bytes:
    """Returns the records of a batch, decompressed; raises CannotDecompress."""
    payload = batch[HEADER_BYTES:]
    if header.compression == NO_CODEC:
        return payload
    decompress = _DECOMPRESS.get(header.compression)
    if decompress is None:
        raise CannotDecompress("an unknown codec")
    return decompress(payload)


def records_in(batch: bytes, header: Header) -> Iterator[Record]:
    """Yields the records of a batch; raises CannotDecompress, or BadRecord as `records_of`."""
    return records_of(header, payload_of(batch, header))


def scan_of(data: Data, header: Header, start: int, end: int) -> Scan:
    """Returns the scan of the records of a batch, which is in `data` from `start` to `end`.

    Raises CannotDecompress, or BadRecord.
    """
    if header.attributes & COMPRESSION == NO_CODEC:
        return Scan(header, data, start + HEADER_BYTES, end)  # without a copy of the payload
    payload = payload_of(bytes(data[start:end]), header)
    return Scan(header, payload, 0, len(payload))


def compressed(payload: bytes, codec: int, level: int) -> bytes:
    """Returns a payload in a codec."""
    return payload if codec == NO_CODEC else _COMPRESS[codec](payload, level)


def _from_gzip(data: bytes) -> bytes:
    decompressor = zlib.decompressobj(_GZIP_WINDOW)
    try:
        payload = decompressor.decompress(data, PAYLOAD_BYTES_MAX)
    except zlib.error as error:
        raise CannotDecompress(str(error)) from None
    if not decompressor.eof:
        raise CannotDecompress("the payload is torn, or too long")
    return payload


def _to_gzip(payload: bytes, level: int) -> bytes:
    compressor = zlib.compressobj(level, zlib.DEFLATED, -_WINDOW)
    trailer = _GZIP_TRAILER.pack(zlib.crc32(payload), len(payload) & 0xFFFFFFFF)
    return _GZIP_HEADER + compressor.compress(payload) + compressor.flush() + trailer


_DECOMPRESS: dict[int, Callable[[bytes], bytes]] = {
    GZIP: _from_gzip,
    SNAPPY: from_snappy,
    LZ4: from_lz4,
    ZSTD: from_zstd,
}
_COMPRESS: dict[int, Callable[[bytes, int], bytes]] = {
    GZIP: _to_gzip,
    SNAPPY: to_snappy,
    LZ4: to_lz4,
    ZSTD: to_zstd,
}
