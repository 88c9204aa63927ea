"""The same tables spelled as JSON: Kafka's field names in lowerCamel, uuids and bytes as base64.

Without a version a document has every field of the model: that is how HTTP speaks. With one it is
what Kafka's own JSON converters print, tagged fields at their default left out.
"""

import base64
from collections.abc import Callable
from dataclasses import MISSING
from functools import cache
from typing import Any, NoReturn

from ..core.batch import ControlRecord
from ..core.records import Record
from ..core.uuid import parse_uuid, uuid_text
from .control_records import CONTROL_RECORDS, TYPES
from .decode_source import defaults, first_of_each
from .metadata_records import KEYS
from .record_tables import RECORDS
from .schema import (
    BOOL,
    BYTES,
    FLOAT64,
    NEVER,
    STRING,
    UUID,
    Array,
    Field,
    Fixed,
    Message,
    Spelled,
    Struct,
    WireType,
)

Document = dict[str, object]
SHOWN_MAX = 64  # characters of a wrong value that a message repeats


class JsonError(ValueError):
    """A document that is no request: where, what was expected, and what came."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path or 'body'}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


def to_json(message: Message, value: object, version: int | None = None) -> Document:
    return _struct_json(message.struct, value, version)


def record_json(record: Record, version: int) -> Document:
    """As kafka-dump-log prints it: `{"type": "TOPIC_RECORD", "version": 0, "data": {...}}`."""
    table = RECORDS[KEYS[type(record)]]
    return {
        "type": _upper_snake(table.name),
        "version": version,
        "data": to_json(table, record, version),
    }


def control_record_json(record: ControlRecord) -> Document:
    """In the same form; the data begins with its own version, as Kafka prints it."""
    table = CONTROL_RECORDS[TYPES[type(record)]]
    data = {"version": 0} | to_json(table, record, 0)
    return {"type": _upper_snake(table.name), "version": 0, "data": data}


@cache
def _upper_snake(name: str) -> str:
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name)
    return words.lstrip("_").upper()


def _struct_json(struct: Struct, value: object, version: int | None) -> Document:
    document: Document = {}
    for field in struct.fields:
        found = getattr(value, field.name)
        if version is None or _prints(field, found, version):
            document[field.json] = _value_json(field.type, found, version)
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
    if isinstance(kind, Spelled):
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


def from_json(message: Message, document: object) -> Any:
    """The core's object. Fields with a default may be left out; unknown ones may not be there."""
    return _read_struct(message.struct, document, "")


def _read_struct(struct: Struct, document: object, path: str) -> object:
    if not isinstance(document, dict):
        _refuse(path, "an object", document)
    assert struct.model is not None, path
    known = {field.json: field for field in struct.fields}
    for name in document:
        if name not in known:
            raise JsonError(_below(path, str(name)), _nearest(str(name), list(known)), "that")
    values = {}
    for name, field in known.items():
        default = defaults(struct.model)[field.name]
        if name in document:
            values[field.name] = _read_field(field, document[name], _below(path, name), default)
        elif default is MISSING:
            raise JsonError(_below(path, name), _expected(field.type), "nothing")
    return struct.model(**values)


def _read_field(field: Field, value: object, path: str, default: object) -> object:
    if value is None and (field.nullable_since != NEVER or default is None):
        return None
    return _read_value(field.type, value, path)


def _read_value(kind: WireType, value: object, path: str) -> object:
    if isinstance(kind, Struct):
        return _read_struct(kind, value, path)
    if isinstance(kind, Array):
        return _read_array(kind, value, path)
    read = _READERS.get(kind, _read_integer)
    try:
        return read(kind, value)
    except (TypeError, ValueError):
        _refuse(path, _expected(kind), value)


def _read_array(kind: Array, value: object, path: str) -> object:
    if not isinstance(value, list):
        _refuse(path, _expected(kind), value)
    items = tuple(
        _read_value(kind.element, item, f"{path}[{index}]") for index, item in enumerate(value)
    )
    return items if kind.keyed_by is None else first_of_each(items, kind.keyed_by)


def _read_integer(kind: WireType, value: object) -> int:
    assert isinstance(kind, Fixed), kind
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    if not kind.low <= value <= kind.high:
        raise ValueError
    return value


def _read_typed(*types: type) -> Callable[[WireType, object], object]:
    def read(_: WireType, value: object) -> object:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise TypeError
        return value

    return read


def _read_uuid(_: WireType, value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError
    return parse_uuid(value)


def _read_bytes(_: WireType, value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError
    return base64.b64decode(value, validate=True)


_READERS: dict[WireType, Callable[[WireType, object], object]] = {
    BOOL: _read_typed(bool),
    FLOAT64: _read_typed(int, float),
    STRING: _read_typed(str),
    UUID: _read_uuid,
    BYTES: _read_bytes,
}


def _expected(kind: WireType) -> str:
    if isinstance(kind, Array):
        return "an array"
    if isinstance(kind, Struct):
        return "an object"
    if kind in _NAMES:
        return _NAMES[kind]
    assert isinstance(kind, Fixed), kind
    return f"an integer from {kind.low} to {kind.high}"


_NAMES: dict[WireType, str] = {
    BOOL: "true or false",
    FLOAT64: "a number",
    STRING: "a string",
    UUID: "a uuid of 22 base64 characters",
    BYTES: "base64",
}


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"a field such as {near[0]!r}" if near else f"one of {', '.join(known) or 'no fields'}"


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _refuse(path: str, expected: str, value: object) -> NoReturn:
    shown = repr(value)
    if len(shown) > SHOWN_MAX:
        shown = shown[:SHOWN_MAX] + "..."
    raise JsonError(path, expected, shown)


def json_schema(message: Message) -> Document:
    """The message as a JSON Schema; see `json_schemas`, which only the OpenAPI document loads."""
    from .json_schemas import json_schema

    return json_schema(message)
