"""The scenarios of the library, for tests that take their names as parameters.

Parsing all files takes seconds. Their names are known without it, so the collection of the tests
parses none.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from kraftsim.files.scenario_files import library, read_files
from kraftsim.scenarios.document.scenario import Scenario

KEYS_AND_VERBS = re.compile(r"^[a-z_]+(?=:)|\b[a-z]+\.[a-z_]+(?=:)", re.MULTILINE)


@cache
def cells_of(name: str) -> tuple[Scenario, ...]:
    """Returns the scenario of a file for each cell of its sweep."""
    return tuple(file.scenario for file in read_files(library()[name]))


class Library(Mapping[str, Scenario]):
    """The first scenario of each file by name; a file is parsed when it is first asked for."""

    def __init__(self, prefix: str = "") -> None:
        self._names = [name for name in library() if name.startswith(prefix)]

    def __getitem__(self, name: str) -> Scenario:
        return cells_of(name)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def names_of_every_kind() -> list[str]:
    """Returns the names of files that together have every key and verb of the library."""
    seen: set[str] = set()
    chosen = []
    for name, path in library().items():
        words = {*KEYS_AND_VERBS.findall(path.read_text("utf-8"))}
        if not words <= seen:
            chosen.append(name)
            seen |= words
    return chosen


def names_without(key: str) -> list[str]:
    """Returns the names of the files that do not have a key at top level, from their text."""
    return [name for name, path in library().items() if f"\n{key}:" not in path.read_text("utf-8")]


def names_with(key: str) -> list[str]:
    """Returns the names of the files that have a key anywhere, from their text."""
    return [name for name, path in library().items() if f"{key}:" in path.read_text("utf-8")]
