"""The fields of requests, from the schemas, and other legal values for each."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.wire.apis.table import APIS, DECOMMISSION_BROKER, Api
from kraftsim.controller.wire.codec.schema import (
    BOOL,
    BYTES,
    FLOAT64,
    NEVER,
    UUID,
    Array,
    Field,
    Fixed,
    Struct,
)

Body = dict[str, Any]
SCHEMAS: dict[str, Api] = {api.name: api for api in (*APIS.values(), DECOMMISSION_BROKER)}
OTHER_UUID = uuid_text(b"another.uuid.xyz")
NUMBERS = (0, 1, -1, 2, 3, 4, 7)
TEXTS = ("t1", "b", "1", "", "10.0.0.9")
LARGE = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """A body in which one field has another value; `path` such as "CreateTopics.topics.name"."""

    path: str
    value: object
    body: Body


def fields_of(api: str) -> set[str]:
    """Returns the path of each field of an API's request."""
    return set(_paths(SCHEMAS[api].request.struct, api))


def _paths(struct: Struct, path: str) -> Iterator[str]:
    for field in struct.fields:
        here = f"{path}.{field.json}"
        if not isinstance(field.type, Struct) or field.nullable_since != NEVER:
            yield here
        if (inner := _inner(field)) is not None and inner.model is not None:
            yield from _paths(inner, here)


def _inner(field: Field) -> Struct | None:
    kind = field.type.element if isinstance(field.type, Array) else field.type
    return kind if isinstance(kind, Struct) else None


def changes(api: str, body: Body, values: dict[str, tuple[Any, ...]]) -> Iterator[Change]:
    """Yields the body once for each other value of each field.

    `values` has further values by the path of a field.
    """
    for path, value, changed in _changed(SCHEMAS[api].request.struct, api, body, values):
        yield Change(path, value, changed)


def _changed(
    struct: Struct, path: str, body: Body, values: dict[str, tuple[Any, ...]]
) -> Iterator[tuple[str, object, Body]]:
    for field in struct.fields:
        here, now = f"{path}.{field.json}", body.get(field.json)
        for value in (*values.get(here, ()), *_others(field, now)):
            if value != now or field.json not in body:
                yield here, value, body | {field.json: value}
        inner = _inner(field)
        if inner is None or inner.model is None:
            continue
        if isinstance(now, list):
            for place, element in enumerate(now):
                for deeper, value, changed in _changed(inner, here, element, values):
                    whole = [*now[:place], changed, *now[place + 1 :]]
                    yield deeper, value, body | {field.json: whole}
        elif isinstance(now, dict) and not _is_symbol(now):
            for deeper, value, changed in _changed(inner, here, now, values):
                yield deeper, value, body | {field.json: changed}


def _is_symbol(value: Body) -> bool:
    return any(name.startswith("$") for name in value)


def _others(field: Field, now: Any) -> Iterator[Any]:
    if field.nullable_since != NEVER:
        yield None
    if isinstance(field.type, Array):
        yield from _other_arrays(field.type, now)
    else:
        yield from _scalars(field.type, now)


def _other_arrays(kind: Array, now: Any) -> Iterator[Any]:
    yield []
    if isinstance(kind.element, Struct) and kind.element.model is not None:
        return
    element = kind.element.fields[0].type if isinstance(kind.element, Struct) else kind.element
    for value in _scalars(element, None):
        yield [value]


def _scalars(kind: Any, now: Any) -> Iterator[Any]:
    if kind is UUID:
        yield from (OTHER_UUID, uuid_text(bytes(16)))
    elif kind is BYTES:
        yield from (base64.b64encode(text).decode() for text in (b"other", b"", b"another"))
    elif isinstance(kind, Fixed):
        yield from (True, False) if kind is BOOL else _numbers(kind, now)
    elif not isinstance(kind, Struct):
        yield from TEXTS


def _numbers(kind: Fixed, now: Any) -> Iterator[int]:
    numbers = (*NUMBERS, now + 1 if isinstance(now, int) else LARGE)
    return (number for number in numbers if kind is FLOAT64 or kind.low <= number <= kind.high)
