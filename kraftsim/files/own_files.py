"""Loads the Python files that define a scenario's own properties."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.scenarios.properties.own_properties import OWN, define, is_own

from ..errors import UsageError


def load(path: Path, scenario: Scenario) -> None:
    """Defines every property that the scenario in `path` names from a Python file of its own.

    Raises UsageError for a missing file or function, or a file with a syntax error.
    """
    for file, source in sources(path, scenario).items():
        try:
            define(file, source)
        except SyntaxError as error:
            raise UsageError(f"{path.parent / file}:{error.lineno}: {error.msg}") from None
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from None
    for name in _names(scenario):
        if name not in OWN:
            file, _, _ = name.partition(":")
            defined = [name for name in OWN if name.startswith(f"{file}:")]
            expected = nearest(name, defined) or f"a function of {file}, which defines none"
            raise UsageError(f"{path}: expect.always: expected {expected}, got {name!r}")


def sources(path: Path, scenario: Scenario) -> Mapping[str, str]:
    """Returns the source of each Python file that the scenario in `path` names, by file name."""
    texts = {}
    for name in _names(scenario):
        file, _, _ = name.partition(":")
        target = path.parent / file
        if not target.is_file():
            raise UsageError(f"{path}: expect.always: {name!r}: no such file: {target}")
        texts[file] = target.read_text("utf-8")
    return texts


def _names(scenario: Scenario) -> Iterator[str]:
    named = (*scenario.expect.always, scenario.expect.fails_with or "")
    yield from sorted({name for name in named if is_own(name)})
