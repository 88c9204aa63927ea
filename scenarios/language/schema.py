"""JSON Schema of what is read from a document, from the same types that read it.

What `reading.py` reads by its annotations is described by them; a type that is spelled in a way of
its own (`from_document`) says how in `to_schema(of)`, where `of` gives the schema of its parts.
Words of a sweep (`$pause`) may stand for any value, so that the schema takes them everywhere; it
says nothing of what values have to do with each other, which reading and lint do.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from .constraints import Bare
from .reading import words_of

Schema = dict[str, object]
SchemaOf = Callable[[Any], Schema]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SWEPT: Schema = {"$ref": "#/$defs/swept"}
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean"}


def published(kind: Any, title: str) -> Schema:
    """The schema of a whole document."""
    parts = Parts()
    root = parts.of(kind)
    return {"$schema": DIALECT, "title": title} | root | {"$defs": parts.definitions}


class Parts:
    """`definitions` has every type that has a name, by it: some are within themselves."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {
            "swept": {
                "description": "The name of a sweep, or of let: its value stands here.",
                "type": "string",
                "pattern": r"^\$",
            }
        }
        self._kinds: dict[str, Any] = {}

    def of(self, kind: Any) -> Schema:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._constrained(*arguments)
        if origin in (Union, types.UnionType):
            (inner,) = (one for one in arguments if one is not type(None))
            return any_of(self.of(inner), {"type": "null"})
        if origin is tuple:
            return any_of({"type": "array", "items": self.of(arguments[0])}, SWEPT)
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if is_dataclass(kind) or hasattr(kind, "to_schema"):
            return self._named(kind)
        return self._plain(kind)

    def _plain(self, kind: Any) -> Schema:
        if kind is object:
            return {}
        plain: Schema = {"type": _PLAIN[kind]}
        return plain if kind is str else any_of(plain, SWEPT)

    def _constrained(self, kind: Any, constraint: Any) -> Schema:
        if isinstance(constraint, Bare):
            items = self.of(get_args(kind)[0])
            return any_of({"type": "array", "items": items}, items)
        if kind not in _PLAIN:
            return self.of(kind)
        return any_of({"type": _PLAIN[kind]} | constraint.to_schema(), SWEPT)

    def _named(self, kind: Any) -> Schema:
        word = getattr(kind, "word", None)
        name = word if isinstance(word, str) else kind.__name__  # two verbs may have one class name
        if self._kinds.setdefault(name, kind) is not kind:
            raise ValueError(f"expected one type of each name, got two of {name}")
        if name not in self.definitions:
            self.definitions[name] = {}  # it is there for whoever is within itself
            spelled = getattr(kind, "to_schema", None)
            own = object_of(kind, self.of) if spelled is None else spelled(self.of)
            self.definitions[name] = _described(kind) | own
        return {"$ref": f"#/$defs/{name}"}


def object_of(kind: Any, of: SchemaOf) -> Schema:
    """A dataclass by its fields."""
    words = words_of(kind)
    required = [key for key, word in words.items() if word.is_required]
    return closed({key: of(word.kind) for key, word in words.items()}, required)


def closed(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """These words and no others."""
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "additionalProperties": False,
    }
    return schema | ({"required": list(required)} if required else {})


def any_of(*schemas: Schema) -> Schema:
    """Alternatives in one list, also where some of them are lists of alternatives."""
    flat: list[Schema] = []
    for one in schemas:
        inner = one.get("anyOf") if one.keys() == {"anyOf"} else None
        flat += inner if isinstance(inner, list) else [one]
    return {"anyOf": [one for number, one in enumerate(flat) if one not in flat[:number]]}


def _described(kind: Any) -> Schema:
    """What its docstring says, for editors; a dataclass without one has its signature there."""
    text = kind.__doc__ or ""
    is_said = text and not text.startswith(f"{kind.__name__}(")
    return {"description": " ".join(text.split())} if is_said else {}
