"""Makes schemas of declarations, with the classes that are written from the same declarations."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from functools import cache
from importlib import import_module
from types import ModuleType

from ...core.uuid import ZERO_UUID
from ..messages import grammar
from ..messages.declared import LOG_SUBJECTS, SHARED_STRUCTS, shared_struct
from . import schema
from .schema import (
    BOOL,
    BYTES,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    UUID,
)

_KINDS: Mapping[str, schema.Fixed | schema.Variable] = {
    kind.name: kind
    for kind in (
        BOOL,
        INT8,
        INT16,
        INT32,
        INT64,
        UINT16,
        FLOAT64,
        UUID,
        STRING,
        BYTES,
    )
}
_ZEROS: Mapping[str, object] = {
    BOOL.name: False,
    FLOAT64.name: 0.0,
    UUID.name: ZERO_UUID,
    STRING.name: "",
    BYTES.name: b"",
}
_WORDS: Mapping[str, object] = {"null": None, "true": True, "false": False}


def read_messages(
    api: grammar.Declaration,
    converted: Mapping[str, schema.Converted],
    check: Callable[..., None] | None = None,
) -> tuple[schema.Message, schema.Message]:
    """Returns the schemas of the request and of the response of an API.

    `converted` has the types, by name, whose values are objects of core; `check` is that of the
    request.
    """
    module = _classes_of(api.subject)
    versions = (api.min_version, api.max_version, api.flexible_since)
    request, response = (
        schema.Message(
            side.struct.name,
            _struct(side.struct, module, converted),
            *versions,
            is_cached="cached" in side.words,
            is_shared="shared" in side.words,
            check=check_of_side,
        )
        for side, check_of_side in zip(grammar.sides(api), (check, None), strict=True)
    )
    return request, response


def read_message(declaration: grammar.Declaration) -> schema.Message:
    """Returns the schema of a record or of other data."""
    versions = (declaration.min_version, declaration.max_version, declaration.flexible_since)
    module = _classes_of(declaration.subject)
    struct = _struct(grammar.read_struct(declaration.model, declaration.body), module, {})
    return schema.Message(declaration.name, struct, *versions)


def _classes_of(subject: str) -> ModuleType:
    folder = "log" if subject in LOG_SUBJECTS else "rpc"
    return import_module(f"{__package__.rpartition('.wire')[0]}.core.{folder}.{subject}")


def _struct(
    declared: grammar.DeclaredStruct, module: ModuleType, converted: Mapping[str, schema.Converted]
) -> schema.Struct:
    fields: list[schema.Field] = []
    attributes: dict[str, object] = {}
    for field in declared.fields or ():
        if not field.is_sent:
            attributes[field.name] = _named(field.default or "null", module)
            continue
        kind = _type_of(field, module, converted)
        default = _default_of(field, kind, module)
        attributes[field.name] = MISSING if field.is_required else default
        fields.append(_field(field, kind, default))
    model = None if declared.name == grammar.UNNAMED else getattr(module, declared.name)
    return schema.Struct(model, tuple(fields), attributes)


@cache
def _shared(name: str) -> schema.Struct:
    return _struct(shared_struct(name), _classes_of(SHARED_STRUCTS[name].subject), {})


def _type_of(
    field: grammar.DeclaredField, module: ModuleType, converted: Mapping[str, schema.Converted]
) -> schema.WireType:
    kind: schema.Fixed | schema.Variable | schema.Converted | schema.Struct | None
    if isinstance(field.type, str):
        kind = _KINDS.get(field.type) or converted.get(field.type)
        assert kind is not None, f"{field.name}: expected a type of the wire, got {field.type}"
    elif field.type.fields is None:
        kind = _shared(field.type.name)
    else:
        kind = _struct(field.type, module, converted)
    if not field.is_array:
        return kind
    if isinstance(kind, schema.Converted):
        raise TypeError(f"{field.name}: expected an array of a type or structure")
    return schema.Array(kind, field.options.get("key"), "repeats" in field.options)


def _default_of(field: grammar.DeclaredField, kind: schema.WireType, module: ModuleType) -> object:
    text = field.default
    if text == "null" or field.is_required:
        return None
    if isinstance(kind, schema.Struct):
        assert kind.model is not None, field.name
        return kind.model()
    if isinstance(kind, schema.Array):
        return tuple(map(int, text.split(","))) if text else ()
    return _ZEROS.get(kind.name, 0) if text is None else _named(text, module)


def _named(text: str, module: ModuleType) -> object:
    """Returns the value of a default that is a number, a word, or a name of the module."""
    if text in _WORDS:
        return _WORDS[text]
    return getattr(module, text) if text[0].isalpha() else int(text, 0)


def _field(field: grammar.DeclaredField, kind: schema.WireType, default: object) -> schema.Field:
    if field.default == "zero" and isinstance(kind, schema.Struct) and kind.model is not None:
        default = kind.model(**{inside.name: 0 for inside in kind.fields})
    return schema.Field(
        field.name,
        kind,
        field.since,
        field.until,
        field.nullable_since,
        field.tag,
        default,
        on_demand="on_demand" in field.options,
        empty_is_null_before=int(field.options.get("empty_is_null_before", 0)),
        json_name=field.options.get("json", ""),
    )
