"""JSON Schema of scenario files, from the same types that read them.

Types that `reading.py` reads by their annotations are described by the same annotations. A type
with a special form (`from_document`) has `to_schema(of)`, where `of` returns the schema of a part.
A name of a sweep (`$pause`) may stand for any value, so the schema allows names everywhere. The
schema does not check whether values contradict each other; reading and lint do.
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
    """Returns the schema of a document of the type `kind`, with a title."""
    parts = Parts()
    root = parts.of(kind)
    return {"$schema": DIALECT, "title": title} | root | {"$defs": parts.definitions}


class Parts:
    """Builds the schemas of types.

    `definitions` maps the name of a type to its schema, which other schemas refer to by name,
    because a type may contain itself.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {
            "swept": {
                "description": "Reference to a name of `sweep` or `let`, replaced by its value.",
                "type": "string",
                "pattern": r"^\$",
            }
        }
        self._kinds: dict[str, Any] = {}

    def of(self, kind: Any) -> Schema:
        """Returns the schema of a type."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._constrained(*arguments)
        if origin in (Union, types.UnionType):
            (inner,) = (argument for argument in arguments if argument is not type(None))
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
        # two verbs may have classes of one name
        name = word if isinstance(word, str) else kind.__name__
        if self._kinds.setdefault(name, kind) is not kind:
            raise ValueError(f"expected one type of each name, got two of {name}")
        if name not in self.definitions:
            # the entry exists before its parts are visited, because a type may contain itself
            self.definitions[name] = {}
            spelled = getattr(kind, "to_schema", None)
            own = object_of(kind, self.of) if spelled is None else spelled(self.of)
            self.definitions[name] = _described(kind) | own
        return {"$ref": f"#/$defs/{name}"}


def object_of(kind: Any, of: SchemaOf) -> Schema:
    """Returns the schema of a dataclass, from its fields."""
    words = words_of(kind)
    required = [key for key, word in words.items() if word.is_required]
    return closed({key: of(word.kind) for key, word in words.items()}, required)


def closed(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """Returns the schema of a mapping with these words and no others."""
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "additionalProperties": False,
    }
    return schema | ({"required": list(required)} if required else {})


def any_of(*schemas: Schema) -> Schema:
    """Returns the schema of alternatives; nested alternatives become one list."""
    flat: list[Schema] = []
    for schema in schemas:
        inner = schema.get("anyOf") if schema.keys() == {"anyOf"} else None
        flat += inner if isinstance(inner, list) else [schema]
    return {"anyOf": [row for number, row in enumerate(flat) if row not in flat[:number]]}


def _described(kind: Any) -> Schema:
    """Returns the docstring of a type as its description, for editors.

    A dataclass without a docstring gets none: Python puts its signature in `__doc__`.
    """
    text = kind.__doc__ or ""
    has_docstring = text and not text.startswith(f"{kind.__name__}(")
    return {"description": " ".join(text.split())} if has_docstring else {}
