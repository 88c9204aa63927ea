"""Decodes a JSON document to a core object; errors name the closest valid field.

Fields with a default in the model are optional; unknown fields are an error.
"""

import base64
from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, NoReturn

from ...core.java_text import STRING_BYTES_MAX
from ...core.uuid import parse_uuid
from ..codec import schema
from ..codec.decode_source import first_of_each

SHOWN_MAX = 64  # characters of an invalid value that a message repeats


class JsonError(ValueError):
    """An invalid document: the path, the expected and the received value."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path or 'body'}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


def from_json(message: schema.Message, document: object) -> Any:
    """Builds a request, response or record from decoded JSON, by the schema `message`.

    Raises JsonError, with the path of the value, if the JSON does not match the schema.
    """
    return _read_struct(message.struct, document, "")


def _read_struct(struct: schema.Struct, document: object, path: str) -> object:
    if not isinstance(document, dict):
        _refuse(path, "an object", document)
    assert struct.model is not None, path
    known = {field.json: field for field in struct.fields}
    for name in document:
        if name not in known:
            raise JsonError(
                _below(path, str(name)), _nearest(str(name), list(known)), "an unknown field"
            )
    values = {}
    for name, field in known.items():
        default = struct.attributes[field.name]
        if name in document:
            values[field.name] = _read_field(field, document[name], _below(path, name), default)
        elif default is MISSING:
            raise JsonError(_below(path, name), _expected(field.type), "nothing")
    return struct.model(**values)


def _read_field(field: schema.Field, value: object, path: str, default: object) -> object:
    if value is None and (field.nullable_since != schema.NEVER or default is None):
        return None
    return _read_value(field.type, value, path)


def _read_value(kind: schema.WireType, value: object, path: str) -> object:
    if isinstance(kind, schema.Struct):
        return _read_struct(kind, value, path)
    if isinstance(kind, schema.Array):
        return _read_array(kind, value, path)
    read = _READERS.get(kind, _read_integer)
    try:
        return read(kind, value)
    except (TypeError, ValueError):
        _refuse(path, _expected(kind), value)


def _read_array(kind: schema.Array, value: object, path: str) -> object:
    if not isinstance(value, list):
        _refuse(path, _expected(kind), value)
    items = tuple(
        _read_value(kind.element, item, f"{path}[{index}]") for index, item in enumerate(value)
    )
    return items if kind.keyed_by is None else first_of_each(items, kind.keyed_by)


def _read_integer(kind: schema.WireType, value: object) -> int:
    assert isinstance(kind, schema.Fixed), kind
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    if not kind.low <= value <= kind.high:
        raise ValueError
    return value


def _read_typed(*types: type) -> Callable[[schema.WireType, object], object]:
    def read(_: schema.WireType, value: object) -> object:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise TypeError
        return value

    return read


def _read_string(_: schema.WireType, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    if len(value.encode()) > STRING_BYTES_MAX:  # half a surrogate pair raises ValueError, too
        raise ValueError
    return value


def _read_uuid(_: schema.WireType, value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError
    return parse_uuid(value)


def _read_bytes(_: schema.WireType, value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError
    return base64.b64decode(value, validate=True)


_READERS: dict[schema.WireType, Callable[[schema.WireType, object], object]] = {
    schema.BOOL: _read_typed(bool),
    schema.FLOAT64: _read_typed(int, float),
    schema.STRING: _read_string,
    schema.UUID: _read_uuid,
    schema.BYTES: _read_bytes,
}


def _expected(kind: schema.WireType) -> str:
    if isinstance(kind, schema.Array):
        return "an array"
    if isinstance(kind, schema.Struct):
        return "an object"
    if kind in _NAMES:
        return _NAMES[kind]
    assert isinstance(kind, schema.Fixed), kind
    return f"an integer from {kind.low} to {kind.high}"


_NAMES: dict[schema.WireType, str] = {
    schema.BOOL: "true or false",
    schema.FLOAT64: "a number",
    schema.STRING: f"a string of at most {STRING_BYTES_MAX} bytes of UTF-8",
    schema.UUID: "a uuid of 22 base64 characters",
    schema.BYTES: "base64",
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
