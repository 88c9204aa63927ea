"""Encodes every metadata record of Kafka 3.9.1, 4.1.1, 4.3.1 and 4.4.0 in every version.

Rules 0.6 and 0.8. A record's value is a frame version, its key, its version and its body, all
flexible, and ends with the body. RegisterBrokerRecord has one tagged field that Kafka lacks, the
start time (KIP-436), which Kafka's readers skip and which is written only if it is not 0.
"""

from functools import cache
from typing import cast

from ...core.log.records import Record
from ..codec.compiler import Encoder, decoder, encoder
from ..codec.schema import Message
from ..codec.varints import read_unsigned, unsigned
from ..errors import DecodeError
from .record_tables import RECORDS

FRAME_VERSION = 1


class UnknownRecordError(DecodeError):
    """A whole record whose key or version this release does not know."""


KEYS: dict[type, int] = {table.model: key for key, table in RECORDS.items()}


def encode_record(record: Record, version: int) -> bytes:
    """Returns the value of a record; raises ValueError if the record has no such version."""
    model: type = type(record)
    prefix, body = _spelling(model, version)
    return prefix + body(record)


@cache
def _spelling(model: type, version: int) -> tuple[bytes, Encoder]:
    key = KEYS[model]
    table = RECORDS[key]
    if not table.min_version <= version <= table.max_version:
        known = f"{table.min_version} to {table.max_version}"
        raise ValueError(f"{table.name}: expected a version of {known}, got {version}")
    prefix = unsigned(FRAME_VERSION) + unsigned(key) + unsigned(version)
    return prefix, encoder(table, version)


def decode_record(data: bytes) -> tuple[Record, int]:
    """Returns the record and its version; raises DecodeError for an unknown key or version."""
    try:
        frame, pos = read_unsigned(data, 0)
        key, pos = read_unsigned(data, pos)
        version, pos = read_unsigned(data, pos)
    except IndexError:
        raise DecodeError(f"expected the frame of a record, got {len(data)} bytes") from None
    if frame != FRAME_VERSION:
        raise DecodeError(f"expected record frame version {FRAME_VERSION}, got {frame}")
    record, end = decoder(_table(key, version), version)(data, pos)
    if end != len(data):
        raise DecodeError(f"expected a record of {end} bytes, got {len(data)}")
    return cast(Record, record), version


def _table(key: int, version: int) -> Message:
    table = RECORDS.get(key)
    if table is None:
        raise UnknownRecordError(f"expected a metadata record, got key {key}")
    if version > table.max_version:
        raise UnknownRecordError(
            f"{table.name}: expected version 0 to {table.max_version}, got {version}"
        )
    return table
