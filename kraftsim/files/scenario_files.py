"""Scenario files: where they are, and what they say, where a mistake is named by file and line."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kraftsim.scenarios.document.scenario import Scenario, read_cells
from kraftsim.scenarios.document.sweep import swept
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import UsageError
from .includes import read_whole
from .own_files import load
from .yaml_document import Document

LIBRARY = Path(__file__).resolve().parents[1] / "scenarios" / "library"


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """One that a file stands for; of a file with a sweep there is one for every cell."""

    path: Path
    scenario: Scenario
    document: Document

    @property
    def called(self) -> str:
        """What to say to run it: of the library its name, else its path."""
        return self.path.stem if self.path.parent == LIBRARY else str(self.path)


def library() -> dict[str, Path]:
    """The scenarios that come with kraftsim, by name."""
    return {path.stem: path for path in sorted(LIBRARY.glob("*.yaml"))}


def find(name: str) -> Path:
    """A file by its path, or one of the library by its name."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        if not Path(name).is_file():
            raise UsageError(f"{name}: no such file; `kraftsim scenario list` names the library")
        return Path(name)
    known = library()
    if name not in known:
        raise UsageError(f"unknown scenario {name!r}: expected {nearest(name, known)}, or a file")
    return known[name]


def written(scenario: Scenario) -> str:
    """The file that `read_file` reads back."""
    import yaml

    document = document_of(scenario)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def read_files(
    path: Path, wanted: Iterable[str] = (), sweep: Mapping[str, tuple[object, ...]] | None = None
) -> tuple[ScenarioFile, ...]:
    """One for every cell, or for those that have all the values `wanted`, as in `pause=9s`; `sweep`
    has other values than the file's, or for other words. UsageError says file, line, what was
    expected there and what came."""
    document = read_whole(path)
    try:
        scenarios = read_cells(swept(document.value, sweep or {}))
    except Problem as problem:
        raise document.error(problem) from None
    wanted = set(wanted)
    files = [ScenarioFile(path, one, document) for one in scenarios if wanted <= {*one.cell}]
    for file in files[:1]:
        load(path, file.scenario)
    if not files:
        cells = "; ".join(", ".join(one.cell) for one in scenarios) or "none, it sweeps nothing"
        raise UsageError(f"{path}: no cell with {', '.join(wanted)}: expected one of {cells}")
    return tuple(files)


def read_file(path: Path, wanted: Iterable[str] = ()) -> ScenarioFile:
    """The first of them."""
    return read_files(path, wanted)[0]


def read_sound(path: Path, wanted: Iterable[str] = ()) -> ScenarioFile:
    """The first of them, if nothing can be said against it."""
    file = read_file(path, wanted)
    expect_sound(file)
    return file


def expect_sound(file: ScenarioFile) -> None:
    """What lint would say is said before anything runs."""
    for complaint in complaints_of(file):
        raise complaint


def complaints_of(file: ScenarioFile) -> Iterator[UsageError]:
    """What lint says of it, each with its line."""
    from kraftsim.scenarios.lint import complaints

    return map(file.document.error, complaints(file.scenario))
