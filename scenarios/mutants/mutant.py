"""A mutant: a bug that can be switched on, to check that a scenario notices it.

A mutant replaces functions, or entries of tables, for the duration of a run. The replaced code does
not depend on mutants.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from kraftsim.controller.node import node

MUTANTS: "dict[str, Mutant]" = {}


class CompiledError(ValueError):
    """Refuses to plant a bug where mypyc compiled the modules to machine code.

    A bug is planted by replacing a function; compiled callers would still call the original.
    """


class Swaps:
    """Replaces attributes and entries for a mutant, and undoes the replacements."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner: object, name: str, value: object) -> None:
        """Replaces an attribute of a module or a class."""
        before = vars(owner)[name]
        self._undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def entry(self, table: Mapping[Any, Any], key: object, value: object) -> None:
        """Replaces an entry of a table, which must be a dict even if its type is Mapping."""
        before, written = table[key], cast(dict[Any, Any], table)
        self._undo.append(lambda: written.__setitem__(key, before))
        written[key] = value

    def undo(self) -> None:
        """Undoes all replacements, the last one first."""
        while self._undo:
            self._undo.pop()()


Plant = Callable[[Swaps], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted bug, and the scenario that must detect it.

    `defect` names a real occurrence of the bug, or a textbook bug. A run of `scenario` with the
    bug must break `broken`, a property or a claim of the file. `plant` makes the replacements.
    """

    name: str
    title: str
    defect: str
    scenario: str
    broken: str
    plant: Plant


def mutant(
    name: str, title: str, *, defect: str, scenario: str, broken: str
) -> Callable[[Plant], Plant]:
    """Registers the decorated function as a mutant; raises ValueError if the name is taken."""

    def register(plant: Plant) -> Plant:
        if name in MUTANTS:
            raise ValueError(
                f"expected different names of planted bugs, got two with the name {name}"
            )
        MUTANTS[name] = Mutant(name, title, defect, scenario, broken, plant)
        return plant

    return register


@contextmanager
def planted(bug: Mutant) -> Iterator[None]:
    """Plants the bug for the duration of the context, in which the world must be created.

    Raises CompiledError if the modules are compiled.
    """
    if not str(node.__file__).endswith(".py"):
        raise CompiledError(
            "expected Python modules, got compiled ones, in which no bug can be planted: set "
            "KRAFTSIM_PURE=1"
        )
    swaps = Swaps()
    try:
        bug.plant(swaps)
        yield
    finally:
        swaps.undo()
