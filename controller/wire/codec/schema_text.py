"""Reads schemas that are written as text, for messages that no code but a refusal looks into.

A message is its fields, separated by white space. A field is a name, the versions that have it, the
versions in which it may be null, its tag, its default, and its type:

    name@3-9?4#0=-1:int32

`@3-` and `@-9` leave a bound open, `?` alone means every version. `name[...]` is an array of
structs, `name{...}` one struct, `name:string[]` an array of strings. The classes of the structs are
made here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, make_dataclass

from ...core.rpc.data_plane import ELEMENT
from ...core.uuid import ZERO_UUID
from .schema import (
    BOOL,
    BYTES,
    INT8,
    INT16,
    INT32,
    INT64,
    LATEST,
    NEVER,
    STRING,
    UINT16,
    UUID,
    Array,
    Field,
    Fixed,
    Struct,
    Variable,
    WireType,
)

_TOKEN = re.compile(
    r"(?P<name>\w+)(?:@(?P<since>\d*)-(?P<until>\d*))?(?P<nullable>\?\d*)?(?:#(?P<tag>\d+))?"
    r"(?:=(?P<default>[^:\[{\s]+))?(?::(?P<type>\w+)(?P<many>\[\])?|(?P<opens>[\[{]))"
    r"|(?P<closes>[\]}])"
)
_KINDS: Mapping[str, Fixed | Variable] = {
    kind.name: kind for kind in (BOOL, INT8, INT16, INT32, INT64, UINT16, UUID, STRING, BYTES)
}
_ZEROS: Mapping[str, object] = {"bool": False, "uuid": ZERO_UUID, "string": "", "bytes": b""}


def read_struct(text: str, name: str, base: type) -> Struct:
    """Returns the struct of a text; `name` and `base` are those of its class."""
    return _struct(_TOKEN.finditer(text), name, base)


def _struct(tokens: Iterator[re.Match[str]], name: str, base: type = object) -> Struct:
    """Returns the struct that ends at the next closing bracket, or with the tokens."""
    read: list[Field] = []
    attributes = []
    for token in tokens:
        if token["closes"]:
            break
        inside = _struct(tokens, f"{name}.{token['name']}") if token["opens"] else None
        kind, default = _type_of(token, inside)
        read.append(_field(token, kind, default))
        metadata = {ELEMENT: inside.model} if inside is not None and isinstance(kind, Array) else {}
        attributes.append((token["name"], object, field(default=default, metadata=metadata)))
    own = {"__module__": __name__}
    model = make_dataclass(
        name, attributes, bases=(base,), namespace=own, slots=True, unsafe_hash=True
    )
    return Struct(model, tuple(read))


def _type_of(token: re.Match[str], inside: Struct | None) -> tuple[WireType, object]:
    """Returns the type of a field, and its default."""
    text = token["default"]
    if inside is not None and token["opens"] == "{":
        assert inside.model is not None
        return inside, None if text else inside.model()
    if inside is not None:
        return Array(inside), None if text else ()
    kind = _KINDS[token["type"]]
    if token["many"]:
        return Array(kind), None if text else ()
    if text is None:
        return kind, _ZEROS.get(kind.name, 0)
    return kind, None if text == "null" else int(text, 0)


def _field(token: re.Match[str], kind: WireType, default: object) -> Field:
    nullable = token["nullable"]
    return Field(
        token["name"],
        kind,
        since=int(token["since"] or 0),
        until=int(token["until"] or LATEST),
        nullable_since=NEVER if nullable is None else int(nullable[1:] or 0),
        tag=None if token["tag"] is None else int(token["tag"]),
        default=default,
    )
