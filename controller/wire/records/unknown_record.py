"""A metadata record that this release does not know, kept as bytes by readers of files.

A controller ends when it reads such a record (rule 0.6). A dump of a file prints it and goes on.
"""

from typing import cast

from ...core.log.records import Record
from ...core.value import value
from ..codec.varints import read_unsigned
from .metadata_records import UnknownRecordError, decode_record


@value(kw_only=False)
class UnknownRecord:
    """The key and the whole value of a record whose key or version is unknown."""

    key: int
    raw: bytes


def decode_or_keep(data: bytes) -> tuple[Record, int]:
    """Returns the record and its version; an unknown record stays an `UnknownRecord`.

    Raises DecodeError for a damaged record.
    """
    try:
        return decode_record(data)
    except UnknownRecordError:
        _, pos = read_unsigned(data, 0)
        key, pos = read_unsigned(data, pos)
        version, _ = read_unsigned(data, pos)
        return cast(Record, UnknownRecord(key, data)), version
