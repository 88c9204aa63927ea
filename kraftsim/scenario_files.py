"""Scenario files: YAML as people write it, where a mistake is named by file and line.

YAML 1.2's words for yes and no only: in 1.1 `on` is a truth value, and here it is a word.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kraftsim.scenarios.reading import Problem, document_of
from kraftsim.scenarios.scenario import Scenario, read_scenario
from kraftsim.scenarios.words import nearest

from .errors import CommandError

if TYPE_CHECKING:
    import yaml

LIBRARY = Path(__file__).resolve().parent / "scenarios" / "library"
FILE_BYTES_MAX = 1024 * 1024
DEPTH_MAX = 30  # of nesting; nobody writes half of it

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    path: Path
    document: Any
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
    import yaml

    if path.stat().st_size > FILE_BYTES_MAX:
        raise CommandError(f"{path}: expected at most {FILE_BYTES_MAX} bytes")
    try:
        root = yaml.compose(path.read_text("utf-8"), Loader=_loader())
        lines = dict(_lines(root)) if root is not None else {}
        document = None if root is None else _loader()("").construct_document(root)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise CommandError(f"{path}:{line}: {error.problem or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise CommandError(f"{path}: {error}") from None
    try:
        return ScenarioFile(path, document, read_scenario(document))
    except Problem as problem:
        where = f"{path}:{_line_of(lines, problem.path)}"
        what = f"{problem.place}: {problem.what}" if problem.path else problem.what
        raise CommandError(f"{where}: {what}") from None


def _line_of(lines: dict[Place, int], place: Place) -> int:
    """The line of a place, or of the nearest thing around it that has one."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _lines(node: "yaml.Node", place: Place = ()) -> Iterator[tuple[Place, int]]:
    import yaml

    if len(place) > DEPTH_MAX:
        raise RecursionError(f"expected at most {DEPTH_MAX} levels")
    yield place, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inside = (*place, key.value)
            yield from _lines(value, inside)
            yield inside, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _lines(value, (*place, number))


def _loader() -> "type[yaml.SafeLoader]":
    import re

    import yaml

    class Loader(yaml.SafeLoader):
        """YAML 1.1 without its surprises: `on` and `no` are words, and a date is a text."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, what) for tag, what in kinds if not tag.endswith((":bool", ":timestamp"))]
        for first, kinds in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    truth = re.compile(r"^(?:true|false)$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", truth, list("tf"))
    return Loader
