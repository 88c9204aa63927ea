"""The Python code of a scenario: files beside it, and modules that its nodes run.

A scenario may come from a stranger. `expect_defined` parses its Python files and runs nothing;
`load` runs them, if the user allows it.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from symtable import symtable

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.scenarios.properties.own_properties import OWN, define, is_own
from kraftsim.scenarios.running.own_code import SOURCES

from ..errors import UsageError
from ..simulated_loop.failure import failure_text
from .contained import contained
from .scenario_files import ScenarioFile
from .yaml_document import FILE_BYTES_MAX, KeyPath

OPTION = "--allow-code"


def expect_defined(file: ScenarioFile) -> None:
    """Raises UsageError unless the Python files define every function that the scenario names.

    Runs no code: a name counts as defined if the file assigns it.
    """
    for key_path, name in _names(file.scenario):
        python, _, function = name.partition(":")
        defined = _assigned(_path(file, key_path, python))
        if function not in defined:
            raise _undefined(file, key_path, name, {f"{python}:{name}" for name in defined})


def load(file: ScenarioFile, *, is_allowed: bool) -> None:
    """Runs the Python code that the scenario names: its own properties, and what its nodes run.

    Raises UsageError if there is such code and `is_allowed` is False, for a missing file, module or
    function, or for a file with a syntax error.
    """
    expect_defined(file)
    _expect_allowed(file, _properties(file.scenario), is_allowed=is_allowed)
    load_nodes(file, is_allowed=is_allowed)
    found = sources(file)
    for python in {name.partition(":")[0]: None for _, name in _properties(file.scenario)}:
        try:
            define(python, found[python])
        except ValueError as error:
            raise UsageError(f"{file.path}: {error}") from None
    for key_path, name in _properties(file.scenario):
        if name not in OWN:
            prefix = f"{name.partition(':')[0]}:"
            raise _undefined(file, key_path, name, {own for own in OWN if own.startswith(prefix)})


def load_nodes(file: ScenarioFile, *, is_allowed: bool) -> None:
    """Lets the nodes of the scenario run their code, and looks for it; raises as `load` does."""
    mains = tuple((("nodes", name), node.main) for name, node in file.scenario.nodes.items())
    _expect_allowed(file, mains, is_allowed=is_allowed)
    if not mains:
        return
    import_module("kraftsim.own_nodes.host").allow()  # with an event loop, which others do not need
    mains_of = import_module("kraftsim.own_nodes.mains")
    SOURCES.update(sources(file))
    for name, node in file.scenario.nodes.items():
        try:
            mains_of.main_of(node)
        except Exception as error:  # whatever the module raises
            raise file.document.error(Problem(("nodes", name), failure_text(error))) from error


def _expect_allowed(
    file: ScenarioFile, named: Iterable[tuple[KeyPath, str]], *, is_allowed: bool
) -> None:
    """Raises UsageError for the first function whose code may not run."""
    for key_path, name in () if is_allowed else named:
        place = name.partition(":")[0]
        path = _path(file, key_path, place) if is_own(name) else f"the module {place}"
        text = f"runs the Python code of {path}: read it, then add {OPTION}"
        raise file.document.error(Problem(key_path, text))


def sources(file: ScenarioFile) -> Mapping[str, str]:
    """Returns the source of each Python file that the scenario names, by file name."""
    pythons = {name.partition(":")[0]: key_path for key_path, name in _names(file.scenario)}
    return {
        python: source_of(_path(file, key_path, python)) for python, key_path in pythons.items()
    }


def _names(scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yields the functions in files that the scenario names, with their positions."""
    yield from _properties(scenario)
    for name, node in scenario.nodes.items():
        if is_own(node.main):
            yield ("nodes", name), node.main


def _properties(scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """Yields the names of the scenario's own properties, with their positions in the document."""
    expect = scenario.expect
    named: list[tuple[KeyPath, str]] = [
        (("expect", "always", index), name) for index, name in enumerate(expect.always)
    ]
    named.append((("expect", "fails_with"), expect.fails_with or ""))
    yield from ((key_path, name) for key_path, name in named if is_own(name))


def _path(file: ScenarioFile, key_path: KeyPath, python: str) -> Path:
    try:
        path = contained(file.path.parent, python)
    except ValueError as error:
        raise file.document.error(Problem(key_path, str(error))) from None
    if not path.is_file():
        raise file.document.error(Problem(key_path, f"no such file: {path}"))
    return path


def source_of(path: Path) -> str:
    """Reads a Python file; raises UsageError if it cannot be read, or is too large."""
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    if path.stat().st_size > FILE_BYTES_MAX:
        raise UsageError(f"{path}: expected at most {FILE_BYTES_MAX} bytes")
    return path.read_text("utf-8")


def _assigned(path: Path) -> set[str]:
    """Returns the names that the module assigns: functions, classes and variables."""
    try:
        symbols = symtable(source_of(path), path.name, "exec").get_symbols()
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # zero bytes, too many brackets
        raise UsageError(f"{path}: expected Python: {error}") from None
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned()}


def _undefined(file: ScenarioFile, key_path: KeyPath, name: str, defined: set[str]) -> UsageError:
    python = name.partition(":")[0]
    expected = nearest(name, sorted(defined)) or f"a function of {python}, which defines none"
    return file.document.error(Problem(key_path, f"expected {expected}, got {name!r}"))
