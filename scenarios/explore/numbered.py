"""Numbers values, so that a state of many values becomes a short tuple of integers."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Numbered(Generic[V]):
    """Numbers values by their keys. Of values with equal keys only the first is stored."""

    def __init__(self) -> None:
        self.values: list[V] = []
        self.keys: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}

    def __getitem__(self, number: int) -> V:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)

    def number(self, key: Hashable, value: V) -> int:
        """Returns the number of `key`; stores `value` under the next number if the key is new."""
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.keys.append(key)
        return number


class Remembered(dict[K, V]):
    """A cache of the results of a function: a missing key calls the function with that key."""

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, argument: K) -> V:
        made = self[argument] = self.function(argument)
        return made


def renamed(value: Any, names: Mapping[Any, Any]) -> Any:
    """Returns `value` with every key of `names` in it replaced by its value, at any depth."""
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
    """Yields the numbers of the bits that are set in `mask`, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
