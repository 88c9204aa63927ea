"""Encodes messages as JSON: Kafka's field names in lower camel case, uuids and bytes as base64.

Without a version a document has every field of the model, as in HTTP. With a version it equals the
output of Kafka's own JSON converters, which omit tagged fields at their default.
"""

import base64
from functools import cache
from typing import Any

from ...core.log.control_records import ControlRecord
from ...core.log.records import Record
from ...core.uuid import uuid_text
from ..codec.schema import BYTES, UUID, Array, Converted, Field, Fixed, Message, Struct, WireType
from ..records.control_records import control_record_schema
from ..records.metadata_records import record_schema
from .document import Document
from .json_reading import JsonError, from_json
from .json_schemas import json_schema

__all__ = ["JsonError", "control_record_json", "from_json", "json_schema", "record_json", "to_json"]


def to_json(message: Message, value: object, version: int | None = None) -> Document:
    """Returns a message as a JSON document; without a version, with every field of the model."""
    return _struct_json(message.struct, value, version)


def record_json(record: Record | ControlRecord, version: int) -> Document:
    """Returns a record as kafka-dump-log prints it.

    The form is `{"type": "TOPIC_RECORD", "version": 0, "data": {...}}`.
    """
    table = record_schema(record.api_key)
    return {
        "type": _upper_snake(table.name),
        "version": version,
        "data": to_json(table, record, version),
    }


def control_record_json(record: Record | ControlRecord) -> Document:
    """Returns a control record as kafka-dump-log prints it; its data begins with its version."""
    table = control_record_schema(record.api_key)
    data = {"version": 0} | to_json(table, record, 0)
    return {"type": _upper_snake(table.name), "version": 0, "data": data}


@cache
def _upper_snake(name: str) -> str:
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name)
    return words.lstrip("_").upper()


def _struct_json(struct: Struct, value: object, version: int | None) -> Document:
    document: Document = {}
    for field in struct.fields:
        part = getattr(value, field.name)
        if version is None or _prints(field, part, version):
            document[field.json] = _value_json(field.type, part, version)
    return document


def _prints(field: Field, value: object, version: int) -> bool:
    if not field.since <= version <= field.until:
        return False
    return field.tag is None or value != field.default


def _value_json(kind: WireType, value: Any, version: int | None) -> object:
    if value is None:
        return None
    if isinstance(kind, Array):
        return [_element_json(kind.element, item, version) for item in value]
    if isinstance(kind, Struct):
        return _struct_json(kind, value, version)
    if isinstance(kind, Converted):
        return _base64(kind.encode(value))
    if kind is UUID:
        return uuid_text(value)
    if kind is BYTES:
        return _base64(value)
    return int(value) if isinstance(kind, Fixed) and kind.high else value


def _element_json(kind: WireType, item: object, version: int | None) -> object:
    if isinstance(kind, Struct) and kind.model is None:
        (field,) = kind.fields
        return {field.json: _value_json(field.type, item, version)}
    return _value_json(kind, item, version)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
