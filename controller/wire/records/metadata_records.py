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
from ..codec.schema_text import read_message
from ..codec.varints import read_unsigned, unsigned
from ..errors import DecodeError
from ..messages.declared import of_sort
from ..messages.grammar import Declaration

FRAME_VERSION = 1


class UnknownRecordError(DecodeError):
    """A whole record whose key or version this release does not know."""


@cache
def record_schema(key: int) -> Message:
    """Returns the schema of a record by its key (metadata/src/main/resources/common/metadata)."""
    return read_message(_DECLARATIONS[key])


_DECLARATIONS = {declaration.key: declaration for declaration in of_sort("record")}


def encode_record(record: Record, version: int) -> bytes:
    """Returns the value of a record; raises ValueError if the record has no such version."""
    prefix, body = _spelling(record.api_key, version)
    return prefix + body(record)


@cache
def _spelling(key: int, version: int) -> tuple[bytes, Encoder]:
    declaration = _DECLARATIONS[key]
    low, high = declaration.min_version, declaration.max_version
    if not low <= version <= high:
        raise ValueError(
            f"{declaration.name}: expected a version of {low} to {high}, got {version}"
        )
    prefix = unsigned(FRAME_VERSION) + unsigned(key) + unsigned(version)
    return prefix, encoder(record_schema(key), version)


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
    _expect_known(key, version)
    record, end = decoder(record_schema(key), version)(data, pos)
    if end != len(data):
        raise DecodeError(f"expected a record of {end} bytes, got {len(data)}")
    return cast(Record, record), version


def _expect_known(key: int, version: int) -> None:
    declaration: Declaration | None = _DECLARATIONS.get(key)
    if declaration is None:
        raise UnknownRecordError(f"expected a metadata record, got key {key}")
    if version > declaration.max_version:
        raise UnknownRecordError(
            f"{declaration.name}: expected version 0 to {declaration.max_version}, got {version}"
        )
