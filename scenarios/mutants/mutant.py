"""A mutant: a bug that can be switched on, to see that somebody notices.

It is planted at a seam: a function is put in the place of another, or of an entry of a table, for
as long as a run lasts. The code that is broken knows nothing of it.
"""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kraftsim.controller.node import node

MUTANTS: "dict[str, Mutant]" = {}


class CompiledError(ValueError):
    """Compiled callers do not look up what they call."""


class Swaps:
    """What was put in the place of something else, and how to put it back."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner: object, name: str, value: object) -> None:
        """Of a module or a class."""
        before = vars(owner)[name]
        self._undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def entry(self, table: MutableMapping[Any, Any], key: object, value: object) -> None:
        before = table[key]
        self._undo.append(lambda: table.__setitem__(key, before))
        table[key] = value

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()


Plant = Callable[[Swaps], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`defect` is where it happened for real; `scenario` and `broken` (a property or a claim of the
    file) are what kills it."""

    name: str
    title: str
    defect: str
    scenario: str
    broken: str
    plant: Plant


def mutant(
    name: str, title: str, *, defect: str, scenario: str, broken: str
) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        if name in MUTANTS:
            raise ValueError(f"expected one mutant of each name, got two of {name}")
        MUTANTS[name] = Mutant(name, title, defect, scenario, broken, plant)
        return plant

    return register


@contextmanager
def planted(one: Mutant) -> Iterator[None]:
    """The bug is there for as long as this lasts; a world must be made within."""
    if not str(node.__file__).endswith(".py"):
        raise CompiledError(
            "expected the modules as they are written, got machine code, in which nothing can be "
            "put in the place of something else: plant bugs without build/native"
        )
    swaps = Swaps()
    try:
        one.plant(swaps)
        yield
    finally:
        swaps.undo()
