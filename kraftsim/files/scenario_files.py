"""Scenario files: finds and reads them; errors name the file and the line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kraftsim.scenarios.document.scenario import Scenario, read_cells
from kraftsim.scenarios.document.sweep import swept
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import UsageError
from .includes import read_whole
from .yaml_document import Document

LIBRARY = Path(__file__).resolve().parents[1] / "scenarios" / "library"

_TAGS = re.compile(r"^tags: \[(.*)\]$", re.MULTILINE)
LIST, TAG_LIST = "`kraftsim scenario list`", "`kraftsim scenario list --json`"


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario that was read from a file; a file with a sweep has a scenario for each cell."""

    path: Path
    scenario: Scenario
    document: Document

    @property
    def called(self) -> str:
        """The name or path with which a user runs the scenario: its name if the library has it."""
        return self.path.stem if self.path.parent == LIBRARY else str(self.path)


def library() -> dict[str, Path]:
    """Returns the paths of the scenarios that come with kraftsim, by name."""
    return {path.stem: path for path in sorted(LIBRARY.glob("*.yaml"))}


def find(name: str) -> Path:
    """Returns the path of a scenario, given as a path or as a name of the library.

    Raises UsageError if it does not exist or is no regular file.
    """
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name)
        if not path.exists():
            raise UsageError(f"{name}: no such file; `kraftsim scenario list` lists the library")
        if not path.is_file():
            got = "a folder" if path.is_dir() else "a special file"
            raise UsageError(f"{name}: expected a regular file, got {got}")
        return path
    paths = library()
    if name not in paths:
        expected = f"{nearest(name, paths, LIST)}, or the path of a file"
        raise UsageError(f"unknown scenario {name!r}: expected {expected}")
    return paths[name]


def library_tags() -> tuple[str, ...]:
    """Returns the sorted tags of the library, from its lines `tags: [...]`.

    To parse the files takes longer than a user waits for a completion script.
    """
    texts = (path.read_text("utf-8") for path in library().values())
    lists = (names for text in texts for names in _TAGS.findall(text))
    return tuple(sorted({tag.strip() for names in lists for tag in names.split(",")} - {""}))


def expect_known_tags(tags: Iterable[str]) -> None:
    """Raises UsageError for a tag that no scenario of the library has."""
    wanted = list(tags)
    known = library_tags() if wanted else ()
    for tag in wanted:
        if tag not in known:
            raise UsageError(
                f"--tag: unknown tag {tag!r}: expected {nearest(tag, known, TAG_LIST)}"
            )


def written(scenario: Scenario) -> str:
    """Formats a scenario as YAML, which `read_file` parses to an equal scenario."""
    import yaml

    document = document_of(scenario)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def read_files(
    path: Path,
    cell_values: Iterable[str] = (),
    sweep: Mapping[str, tuple[object, ...]] | None = None,
) -> tuple[ScenarioFile, ...]:
    """Reads the scenarios of a file: one for each cell of its sweep that has all `cell_values`.

    `cell_values` are texts such as `pause=9s`. `sweep` maps a word to the values that it is swept
    over, and overrides the file's own sweep of that word. Raises UsageError, with file and line,
    for an invalid file.
    """
    document = read_whole(path)
    try:
        scenarios = read_cells(swept(document.value, sweep or {}))
    except Problem as problem:
        raise document.error(problem) from None
    cell_values = set(cell_values)
    files = [
        ScenarioFile(path, scenario, document)
        for scenario in scenarios
        if cell_values <= {*scenario.cell}
    ]
    if not files:
        cells = (
            "; ".join(", ".join(scenario.cell) for scenario in scenarios)
            or "none, because the file has no sweep"
        )
        raise UsageError(f"{path}: no cell with {', '.join(cell_values)}: expected one of {cells}")
    return tuple(files)


def read_file(path: Path, cell_values: Iterable[str] = ()) -> ScenarioFile:
    """Returns the first scenario of a file."""
    return read_files(path, cell_values)[0]


def read_sound(path: Path, cell_values: Iterable[str] = ()) -> ScenarioFile:
    """Returns the first scenario of a file; raises UsageError if lint complains about it."""
    file = read_file(path, cell_values)
    expect_sound(file)
    return file


def expect_sound(file: ScenarioFile) -> None:
    """Raises the first complaint of lint about the scenario, as a UsageError."""
    for complaint in complaints_of(file):
        raise complaint


def complaints_of(file: ScenarioFile) -> Iterator[UsageError]:
    """Yields the complaints of lint about the scenario, each with its file and line."""
    from kraftsim.scenarios.lint import complaints

    return map(file.document.error, complaints(file.scenario))
