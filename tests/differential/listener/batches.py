"""Batches in a request and in a reply; no code of the log under test encodes or decodes them.

A request describes a batch as JSON: {"values": [20, null]} are two records, of 20 bytes and without
a value. BATCH has the other fields and their defaults; "codec" is Kafka's number.
"""

import gzip
from collections.abc import Callable, Iterator, Mapping
from struct import pack, unpack_from
from typing import Any
from zlib import crc32

import cramjam
import crc32c

from tests.batches import varint

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
CODECS = 7  # bits of the attributes
HEADER_BYTES = 61
SNAPPY_BLOCKS = b"\x82SNAPPY\0" + b"\0\0\0\1\0\0\0\1"
BATCH: Mapping[str, Any] = {
    "values": [],  # sizes, or null
    "keys": None,  # numbers, or null; of one length with `values`
    "times": None,  # deltas of timestamps
    "at": 0,  # the base timestamp
    "codec": NONE,
    "attributes": 0,
    "producer": [-1, -1, -1],  # id, epoch, first sequence
    "crc": 0,  # added to the checksum
    "count": None,  # as many as `values`
    "last_delta": None,  # one less than `values`
    "max_time": None,  # added to `at`; the largest of `times`
    "base_offset": 0,
    "leader_epoch": -1,
    "magic": 2,
    "length": 0,  # added to the length
    "plain": False,  # a codec that did not compress the records
    "deltas": None,  # of offsets
    "headers": 0,  # of each record
    "cut": 0,  # bytes that the records lack at their end
    "junk": 0,  # bytes behind the last record
    "bare": False,  # a block of snappy without the frame of snappy-java
    "tail": 0,  # bytes behind the batch
    "old": None,  # a message for each value, of magic 0 or 1
}


def encoded(batches: list[dict[str, Any]]) -> bytes:
    return b"".join(_encoded({**BATCH, **batch}) for batch in batches)


def _encoded(batch: dict[str, Any]) -> bytes:
    values = batch["values"]
    if batch["old"] is not None:
        return b"".join(_message(batch["old"], batch["at"], _value(size)) for size in values)
    keys = batch["keys"] or [None] * len(values)
    times = batch["times"] or [0] * len(values)
    deltas = batch["deltas"] or range(len(values))
    records = b"".join(
        _record(
            _value(size), delta, time, None if key is None else b"key%d" % key, batch["headers"]
        )
        for size, key, time, delta in zip(values, keys, times, deltas, strict=True)
    )
    records = records[: len(records) - batch["cut"]] + b"\2" * batch["junk"]
    compress = _bare_snappy if batch["bare"] else _COMPRESS[batch["codec"]]
    payload = records if batch["plain"] else compress(records)
    count, last_delta, max_time = batch["count"], batch["last_delta"], batch["max_time"]
    body = pack(
        ">hiqqqhii",
        batch["attributes"] | batch["codec"],
        len(values) - 1 if last_delta is None else last_delta,
        batch["at"],
        batch["at"] + (max(times, default=0) if max_time is None else max_time),
        *batch["producer"],
        len(values) if count is None else count,
    )
    body += payload
    size = len(body) + 9 + batch["length"]
    head = pack(">qiib", batch["base_offset"], size, batch["leader_epoch"], batch["magic"])
    checksum = (crc32c.crc32c(body) + batch["crc"]) % 2**32
    return head + checksum.to_bytes(4, "big") + body + b"\7" * batch["tail"]


def _message(magic: int, at: int, value: bytes | None) -> bytes:
    """A message of Kafka before 0.11, without a key."""
    body = pack(">bbq", 1, 0, at) if magic else pack(">bb", 0, 0)
    body += pack(">ii", -1, -1 if value is None else len(value)) + (value or b"")
    return pack(">qiI", 0, len(body) + 4, crc32(body)) + body


def _record(value: bytes | None, delta: int, time: int, key: bytes | None, headers: int) -> bytes:
    def field(data: bytes | None) -> bytes:
        return varint(-1) if data is None else varint(len(data)) + data

    body = b"\0" + varint(time) + varint(delta) + field(key) + field(value) + varint(headers)
    body += b"".join(field(b"h%d" % place) + field(None) for place in range(headers))
    return varint(len(body)) + body


def _value(size: int | None) -> bytes | None:
    """Bytes that a codec can shorten, but not to nothing."""
    if size is None:
        return None
    return (b"%06d" % (size * 7919 % 10**6) * (size // 6 + 1))[:size]


def decoded(data: bytes) -> Iterator[dict[str, Any]]:
    """Yields each batch of a reply, and what is left of a torn one."""
    pos = 0
    while pos + 12 <= len(data):
        (size,) = unpack_from(">i", data, pos + 8)
        if size < HEADER_BYTES - 12 or pos + 12 + size > len(data):
            break
        yield _decoded(data[pos : pos + 12 + size])
        pos += 12 + size
    if pos < len(data):
        yield {"torn": len(data) - pos}


def _decoded(data: bytes) -> dict[str, Any]:
    names = ("attributes", "lastOffsetDelta", "baseTimestamp", "maxTimestamp", "producerId")
    names += ("producerEpoch", "baseSequence", "recordCount")
    offset, _, epoch, magic, checksum = unpack_from(">qiibI", data)
    fields = dict(zip(names, unpack_from(">hiqqqhii", data, 21), strict=True))
    head = {"baseOffset": offset, "leaderEpoch": epoch, "magic": magic}
    is_whole = crc32c.crc32c(data[21:]) == checksum
    return head | fields | {"isWhole": is_whole, "payload": data[HEADER_BYTES:].hex()}


def decompressed(batch: dict[str, Any]) -> str:
    """The records of a decoded batch, of whatever codec, in hexadecimal digits."""
    payload = bytes.fromhex(batch["payload"])
    return _DECOMPRESS[batch["attributes"] & CODECS](payload).hex()


def _snappy(data: bytes) -> bytes:
    block = bytes(cramjam.snappy.compress_raw(data))
    return SNAPPY_BLOCKS + len(block).to_bytes(4, "big") + block


def _bare_snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def _from_snappy(data: bytes) -> bytes:
    if not data.startswith(SNAPPY_BLOCKS[:8]):
        return bytes(cramjam.snappy.decompress_raw(data))
    parts, pos = [], len(SNAPPY_BLOCKS)
    while pos < len(data):
        size = int.from_bytes(data[pos : pos + 4], "big")
        parts.append(bytes(cramjam.snappy.decompress_raw(data[pos + 4 : pos + 4 + size])))
        pos += 4 + size
    return b"".join(parts)


def _same(data: bytes) -> bytes:
    return data


_COMPRESS: dict[int, Callable[[bytes], bytes]] = {
    NONE: _same,
    GZIP: lambda data: gzip.compress(data, mtime=0),
    SNAPPY: _snappy,
    LZ4: lambda data: bytes(cramjam.lz4.compress(data)),
    ZSTD: lambda data: bytes(cramjam.zstd.compress(data)),
    **dict.fromkeys((5, 6, 7), _same),
}
_DECOMPRESS: dict[int, Callable[[bytes], bytes]] = {
    NONE: _same,
    GZIP: gzip.decompress,
    SNAPPY: _from_snappy,
    LZ4: lambda data: bytes(cramjam.lz4.decompress(data)),
    ZSTD: lambda data: bytes(cramjam.zstd.decompress(data)),
}
