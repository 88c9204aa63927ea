"""Scenario files: where they are, and what they say, where a mistake is named by file and line."""

from dataclasses import dataclass
from pathlib import Path

from kraftsim.scenarios.reading import Problem, document_of
from kraftsim.scenarios.scenario import Scenario, read_scenario
from kraftsim.scenarios.words import nearest

from .errors import CommandError
from .yaml_document import read_document

LIBRARY = Path(__file__).resolve().parent / "scenarios" / "library"


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    path: Path
    scenario: Scenario


def library() -> dict[str, Path]:
    """The scenarios that come with kraftsim, by name."""
    return {path.stem: path for path in sorted(LIBRARY.glob("*.yaml"))}


def find(name: str) -> Path:
    """A file by its path, or one of the library by its name."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        if not Path(name).is_file():
            raise CommandError(f"{name}: no such file; `kraftsim scenario list` names the library")
        return Path(name)
    known = library()
    if name not in known:
        raise CommandError(f"unknown scenario {name!r}: expected {nearest(name, known)}, or a file")
    return known[name]


def written(scenario: Scenario) -> str:
    """The file that `read_file` reads back."""
    import yaml

    document = document_of(scenario)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def read_file(path: Path) -> ScenarioFile:
    """CommandError says file, line, what was expected there and what came."""
    document = read_document(path)
    try:
        return ScenarioFile(path, read_scenario(document.value))
    except Problem as problem:
        where = f"{path}:{document.line_of(problem.path)}"
        what = f"{problem.place}: {problem.what}" if problem.path else problem.what
        raise CommandError(f"{where}: {what}") from None
