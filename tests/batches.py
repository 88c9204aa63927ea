"""Record batches of magic 2, written out here: no code of the log under test makes them."""

from struct import pack

import crc32c

NOW_MS = 1_700_000_000_000


def varint(number: int) -> bytes:
    """A zigzag varint."""
    value = number << 1 if number >= 0 else (-number << 1) - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes((*encoded, value))


def record(value: bytes | None, *, delta: int, time: int = 0, key: bytes | None = None) -> bytes:
    """One record; `time` is the delta of its timestamp."""

    def field(data: bytes | None) -> bytes:
        return varint(-1) if data is None else varint(len(data)) + data

    body = b"\0" + varint(time) + varint(delta) + field(key) + field(value) + varint(0)
    return varint(len(body)) + body


def batch(
    *values: bytes | None,
    key: bytes | None = None,
    at_ms: int = NOW_MS,
    times: tuple[int, ...] = (),
    attributes: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
    payload: bytes | None = None,
    base_offset: int = 0,
    magic: int = 2,
) -> bytes:
    """A batch as a producer sends it; `producer` is id, epoch and first sequence."""
    deltas = times or (0,) * len(values)
    records = b"".join(
        record(value, delta=place, time=deltas[place], key=key)
        for place, value in enumerate(values)
    )
    body = pack(
        ">hiqqqhii",
        attributes,
        len(values) - 1,
        at_ms,
        at_ms + max(deltas, default=0),
        *producer,
        len(values),
    )
    body += records if payload is None else payload
    head = pack(">qiib", base_offset, len(body) + 9, -1, magic)
    return head + crc32c.crc32c(body).to_bytes(4, "big") + body
