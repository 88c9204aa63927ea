"""Where the parts of a scenario stand in its file."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeVar

from .reading import Path, key_of

T = TypeVar("T")


def inside(value: object, name: str, path: Path) -> Path:
    """The place of the field `name` of a `value` at `path`. What is spelled as its only field is at
    the same place; a verb is at its own word, and its time at that of its trigger."""
    if hasattr(value, "from_document") and getattr(value, "__slots__", ()) == (name,):
        return path
    if name == "verb" and hasattr(value, "word"):
        return (*path, str(value.word))
    if name == "amount" and hasattr(value, "trigger"):
        return (*path, str(value.trigger))
    return (*path, key_of(name))


def found(kind: type[T], value: object, path: Path = ()) -> Iterator[tuple[Path, T]]:
    """Every `kind` within `value`, outer ones first, and its place."""
    if isinstance(value, kind):
        yield path, value
    if isinstance(value, tuple):
        for number, one in enumerate(value):
            yield from found(kind, one, (*path, number))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from found(kind, one, (*path, key))
    elif is_dataclass(value):
        for field in fields(value):
            yield from found(kind, getattr(value, field.name), inside(value, field.name, path))
