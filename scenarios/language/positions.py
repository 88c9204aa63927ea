"""Places of the parts of a scenario in its file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from .reading import Path, Problem, key_of

T = TypeVar("T")
P = TypeVar("P")


def inside(value: object, name: str, path: Path) -> Path:
    """Returns the place of the field `name` of a `value` at `path`.

    A type that is spelled as its only field has the field's place. A verb is at its own word,
    and its time at the word of its trigger.
    """
    if hasattr(value, "from_document") and getattr(value, "__slots__", ()) == (name,):
        return path
    if name == "verb" and hasattr(value, "word"):
        return (*path, str(value.word))
    if name == "amount" and hasattr(value, "trigger"):
        return (*path, str(value.trigger))
    return (*path, key_of(name))


def found(kind: type[T], value: object, path: Path = ()) -> Iterator[tuple[Path, T]]:
    """Yields every `kind` within `value` with its place, outer values first."""
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
    """Returns `value` with every `kind` within it replaced by `change`, in the order of the fields.

    Raises Problem if a changed value does not fit the others.
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
