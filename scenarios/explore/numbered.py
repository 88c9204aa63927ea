"""Numbers for values, so that a state of many values is a tuple of a few numbers."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Numbered(Generic[V]):
    """Numbers values by their keys; values with equal keys share a number and the first value."""

    def __init__(self) -> None:
        self.values: list[V] = []
        self.keys: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}

    def __getitem__(self, number: int) -> V:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)

    def number(self, key: Hashable, value: V) -> int:
        """Returns the number of a value by its key; a new key gets the next number."""
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.keys.append(key)
        return number


class Remembered(dict[K, V]):
    """A cache of the results of a function of one argument."""

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, argument: K) -> V:
        made = self[argument] = self.function(argument)
        return made


def renamed(value: Any, names: Mapping[Any, Any]) -> Any:
    """Returns `value` with every name in it replaced, at any depth."""
    if isinstance(value, tuple | frozenset):
        inner = (renamed(item, names) for item in value)
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: renamed(getattr(value, field.name), names) for field in fields(value)
        }
        return replace(value, **changed)
    return names.get(value, value)


def bits(mask: int) -> Iterator[int]:
    """Yields the numbers of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
