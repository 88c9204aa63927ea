"""Reads a document (from YAML or JSON) into checked values of our own types, and writes it back.

Reading is strict: an unknown key, a missing word, and a value of another type raise Problem. A type
with a special form in the file has `from_document(value, path)` and `to_document()`. Other
dataclasses and containers are read by their annotations, which may have constraints
(`constraints.py`).
"""

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from .constraints import Bare
from .spelling import in_short
from .suggestions import nearest

Path = tuple[str | int, ...]
_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


class Problem(ValueError):
    """A mistake in a document: `what` describes it, `path` is its position in the document."""

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        self.what = what

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.path else self.what

    @property
    def place(self) -> str:
        """The path as text, as in `do[2].on`."""
        return "".join(
            f"[{member}]" if isinstance(member, int) else f".{member}" for member in self.path
        )[1:]


def key_of(name: str) -> str:
    """Returns the word of a field: `for_` is `for` in files, because Python reserves `for`."""
    return name.rstrip("_")


def mapping(value: object, path: Path) -> Mapping[str, object]:
    """Returns `value`; raises Problem if it is not a mapping or has a key that is not a string."""
    if not isinstance(value, Mapping):
        raise Problem(path, f"expected a mapping, got {in_short(value)}")
    for key in value:
        if not isinstance(key, str):
            raise Problem(path, f"expected a text as key, got {key!r}")
    return value


def expect_keys(value: Mapping[Any, object], known: Sequence[str], path: Path) -> None:
    """Raises Problem for a key that is not in `known`, with the nearest known key."""
    for key in value:
        if key not in known:
            raise Problem((*path, key), f"unknown key {key!r}: expected {nearest(key, known)}")


def read(kind: Any, value: object, path: Path = ()) -> Any:
    """Returns `value` as an instance of the type `kind`; raises Problem if that is impossible."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:  # first, because an annotation has the attributes of its type
        return _read_constrained(arguments, value, path)
    if hasattr(kind, "from_document"):
        return kind.from_document(value, path)
    if is_dataclass(kind):
        return read_words(kind, mapping(value, path), path)
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return None if value is None else read(inner, value, path)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise Problem(path, f"expected a list, got {in_short(value)}")
        return tuple(read(arguments[0], member, (*path, i)) for i, member in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        pairs = mapping(value, path)
        return {key: read(arguments[1], member, (*path, key)) for key, member in pairs.items()}
    return _read_plain(kind, value, path)


def _read_constrained(arguments: tuple[Any, ...], value: object, path: Path) -> Any:
    kind, constraint = arguments
    if isinstance(constraint, Bare):
        return read(kind, constraint.listed(value), path)
    inner = read(kind, value, path)
    try:
        constraint.check(inner)
    except ValueError as error:
        raise Problem(path, str(error)) from None
    return inner


def _read_plain(kind: Any, value: object, path: Path) -> object:
    if kind is object:
        return value
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if kind is float and (isinstance(value, float) or is_number):
        return float(value)  # type: ignore[arg-type]  # a number, as checked above
    if isinstance(value, kind) and (kind is not int or is_number):
        return value
    raise Problem(path, f"expected {_NAMES[kind]}, got {in_short(value)}")


class Word(NamedTuple):
    """A field of a dataclass that is a word of the file; `kind` is the type of its value."""

    name: str
    kind: Any
    is_required: bool


@cache
def words_of(kind: Any) -> Mapping[str, Word]:
    """Returns the fields of a dataclass, by their words in the file."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        key_of(field.name): Word(field.name, hints[field.name], _is_required(field))
        for field in fields(kind)
    }


def read_words(kind: Any, value: Mapping[str, object], path: Path) -> Any:
    """Reads a dataclass by its fields, even if the type has `from_document`."""
    known = words_of(kind)
    expect_keys(value, tuple(known), path)
    for key, word in known.items():
        if key not in value and word.is_required:
            raise Problem(path, f"expected the key {key!r}, got none")
    field_values = {
        known[key].name: read(known[key].kind, member, (*path, key))
        for key, member in value.items()
    }
    try:
        made: object = kind(**field_values)
    except ValueError as error:  # values that contradict each other
        raise Problem(path, str(error)) from None
    return made


def _is_required(field: "Field[object]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def document_of(value: Any) -> Any:
    """Returns the document from which `read` reads an equal value, without default values."""
    if hasattr(value, "to_document"):
        return value.to_document()
    if is_dataclass(value):
        return {
            key_of(field.name): document_of(getattr(value, field.name))
            for field in fields(value)
            if getattr(value, field.name) != _default(field)
        }
    if isinstance(value, Mapping):
        return {key: document_of(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [document_of(member) for member in value]
    return value


def _default(field: "Field[object]") -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default
