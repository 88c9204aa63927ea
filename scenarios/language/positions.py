"""Finds the parts of a scenario together with their paths in the file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from .reading import Path, Problem, key_of

T = TypeVar("T")
P = TypeVar("P")


def inside(value: object, name: str, path: Path) -> Path:
    """Returns the path of the field `name` of a `value` whose path is `path`.

    If a type is written as its only field, both have the same path. The path of a step's verb
    ends with the word of the verb; the path of the step's time ends with its trigger.
    """
    if hasattr(value, "from_document") and getattr(value, "__slots__", ()) == (name,):
        return path
    if name == "verb" and hasattr(value, "word"):
        return (*path, str(value.word))
    if name == "amount" and hasattr(value, "trigger"):
        return (*path, str(value.trigger))
    return (*path, key_of(name))


def found(kind: type[T], value: object, path: Path = ()) -> Iterator[tuple[Path, T]]:
    """Yields every instance of `kind` within `value` with its path, outer values first."""
    if isinstance(value, kind):
        yield path, value
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from found(kind, item, (*path, number))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from found(kind, item, (*path, key))
    elif is_dataclass(value):
        for field in fields(value):
            yield from found(kind, getattr(value, field.name), inside(value, field.name, path))


def changed(kind: type[P], value: T, change: Callable[[P], P], path: Path = ()) -> T:
    """Returns `value` with `change` applied to every instance of `kind`, in the order of fields.

    Raises Problem if a changed value contradicts another value.
    """
    if isinstance(value, kind):
        return _at(path, lambda: change(value))  # type: ignore[no-any-return]  # `change` keeps the type
    if isinstance(value, tuple):
        parts = (changed(kind, item, change, (*path, i)) for i, item in enumerate(value))
        return tuple(parts)  # type: ignore[return-value]  # T is a tuple here
    if isinstance(value, Mapping):
        pairs = ((key, changed(kind, item, change, (*path, key))) for key, item in value.items())
        return dict(pairs)  # type: ignore[return-value]  # T is a mapping here
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in fields(value):
        before = getattr(value, field.name)
        after = changed(kind, before, change, inside(value, field.name, path))
        if after is not before:
            changes[field.name] = after
    if not changes:
        return value
    return _at(path, lambda: replace(value, **changes))  # type: ignore[no-any-return]  # `replace` keeps the type


def _at(path: Path, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except ValueError as error:
        raise Problem(path, str(error)) from None
