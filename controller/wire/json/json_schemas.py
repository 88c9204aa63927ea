"""Converts a message to a JSON Schema, for the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import MISSING

from ..codec.schema import (
    BOOL,
    FLOAT64,
    NEVER,
    UUID,
    Array,
    Field,
    Fixed,
    Message,
    Struct,
    WireType,
)
from .document import Document


def json_schema(message: Message) -> Document:
    """Returns the JSON Schema of the documents that encode a message."""
    return _struct_schema(message.struct)


def _struct_schema(struct: Struct) -> Document:
    own = struct.attributes
    return {
        "type": "object",
        "properties": {field.json: _field_schema(field, own) for field in struct.fields},
        "required": [field.json for field in struct.fields if own[field.name] is MISSING],
        "additionalProperties": False,
    }


def _field_schema(field: Field, own: Mapping[str, object]) -> Document:
    schema = _schema(field.type)
    if field.nullable_since != NEVER or own[field.name] is None:
        return schema | {"type": [schema["type"], "null"]}
    return schema


def _schema(kind: WireType) -> Document:
    if isinstance(kind, Struct):
        return _struct_schema(kind)
    if isinstance(kind, Array):
        return {"type": "array", "items": _schema(kind.element)}
    if kind is BOOL or kind is FLOAT64:
        return {"type": "boolean" if kind is BOOL else "number"}
    if isinstance(kind, Fixed) and kind is not UUID:
        return {"type": "integer", "minimum": kind.low, "maximum": kind.high}
    return {"type": "string"}
