"""Encodes the control records of the metadata log, which the quorum itself writes (rule 10.49).

The key is a version and a type. The value is a flexible message that begins with its own version,
which every release writes and reads as 0.
"""

from functools import cache
from struct import Struct as Packing
from struct import error
from typing import cast

from ...core.log.control_records import ControlRecord
from ..codec.compiler import decoder, encoder
from ..codec.schema import Message
from ..codec.schema_text import read_message
from ..errors import DecodeError
from ..messages.declared import of_sort

VERSION = 0
_KEY = Packing(">hh")
_VALUE_VERSION = Packing(">h")


@cache
def control_record_schema(kind: int) -> Message:
    """Returns the schema of a control record by Kafka's ControlRecordType."""
    return read_message(_DECLARATIONS[kind])


# 0 and 1 are transaction markers, which this log never has.
_DECLARATIONS = {declaration.key: declaration for declaration in of_sort("control")}


def encode_control_record(record: ControlRecord) -> tuple[bytes, bytes]:
    """Returns the encoded key and value of a control record."""
    kind = record.api_key
    body = encoder(control_record_schema(kind), VERSION)(record)
    return _KEY.pack(VERSION, kind), _VALUE_VERSION.pack(VERSION) + body


def decode_control_record(key: bytes, value: bytes) -> ControlRecord:
    """Returns the control record of a key and a value.

    Raises DecodeError for malformed bytes, an unknown type or version.
    """
    try:
        (_, kind), (version,) = _KEY.unpack_from(key), _VALUE_VERSION.unpack_from(value)
    except error:
        raise DecodeError(
            f"expected a control record, got a key of {len(key)} and a value of {len(value)} bytes"
        ) from None
    if kind not in _DECLARATIONS or version != VERSION:
        raise DecodeError(
            f"expected a control record of type 2 to 6 and version {VERSION}, "
            f"got type {kind} and version {version}"
        )
    record, _ = decoder(control_record_schema(kind), VERSION)(value, _VALUE_VERSION.size)
    return cast(ControlRecord, record)
