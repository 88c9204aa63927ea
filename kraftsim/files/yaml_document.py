"""Reads YAML scenario files, and the line of every value in them.

Only `true` and `false` are booleans, as in YAML 1.2; `on`, which is a boolean in YAML 1.1, is a
string here. A duplicate key is an error, although YAML's own reader accepts it. Aliases may not
expand a document to more than VALUES_MAX values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kraftsim.scenarios.language.reading import Problem

from ..errors import UsageError

if TYPE_CHECKING:
    import yaml

FILE_BYTES_MAX = 1024 * 1024
DEPTH_MAX = 30  # levels of nesting; twice what real files need
VALUES_MAX = 100_000  # values in one document, with aliases expanded

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed YAML document.

    `lines` has the `file:line` of every value, by its path of keys and indexes.
    """

    value: Any
    lines: dict[KeyPath, str]

    def error(self, problem: Problem) -> UsageError:
        """Returns the problem as a UsageError with the file and the line of the value.

        If the value has no line, the line is that of the nearest enclosing value.
        """
        key_path = problem.path
        while key_path and key_path not in self.lines:
            key_path = key_path[:-1]
        return UsageError(f"{self.lines[key_path]}: {problem}")


def read_document(path: Path) -> Document:
    """Reads a YAML file; raises UsageError with file and line if it is invalid or too large."""
    if path.stat().st_size > FILE_BYTES_MAX:
        raise UsageError(f"{path}: expected at most {FILE_BYTES_MAX} bytes")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {error}") from None
    return parsed(text, str(path))


def parsed(text: str, path: str) -> Document:
    """Parses YAML; raises UsageError with `path`, which names the text, and line if invalid."""
    import yaml

    try:
        root = _composed(text)
        if root is None:
            return Document(None, {(): f"{path}:1"})
        values = list(islice(_lines_of_values(root), VALUES_MAX + 1))
        if len(values) > VALUES_MAX:
            raise UsageError(
                f"{path}: expected at most {VALUES_MAX} values, with every alias counted as its "
                "copy"
            )
        lines = {key_path: f"{path}:{line}" for key_path, line in values}
        return Document(_loader()("").construct_document(root), lines)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: {error.problem or error}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from None


def _composed(text: str) -> "yaml.Node | None":
    """Returns the root node. PyYAML's own parser reads again what libyaml refuses.

    libyaml, which not every platform has, parses in a fraction of the time. A file means the same
    without it: the text of an error is that of PyYAML's parser, which also reads all tabs, because
    libyaml accepts some that it refuses.
    """
    import yaml

    if yaml.__with_libyaml__ and "\t" not in text:
        try:
            return yaml.compose(text, Loader=_fast_loader())
        except yaml.YAMLError:
            pass
    return yaml.compose(text, Loader=_loader())


def _lines_of_values(node: "yaml.Node", key_path: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    import yaml

    if len(key_path) > DEPTH_MAX:
        raise RecursionError(f"expected at most {DEPTH_MAX} levels of nesting")
    yield key_path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        _expect_unique_keys(node)
        for key, value in node.value:
            inside = (*key_path, key.value)
            yield from _lines_of_values(value, inside)
            yield inside, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _lines_of_values(value, (*key_path, number))


def _expect_unique_keys(node: "yaml.MappingNode") -> None:
    import yaml

    keys: set[object] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            problem = f"expected a text as key, got a {key.id}"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        if key.value in keys:
            problem = f"expected each key once, got {key.value!r} again"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        keys.add(key.value)


@cache
def _loader() -> "type[yaml.SafeLoader]":
    import re

    import yaml

    class Loader(yaml.SafeLoader):
        """A YAML 1.1 loader for which `on`, `no` and dates are strings."""

    Loader.yaml_implicit_resolvers = {
        first: [
            (tag, pattern) for tag, pattern in kinds if not tag.endswith((":bool", ":timestamp"))
        ]
        for first, kinds in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    truth = re.compile(r"^(?:true|false)$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", truth, list("tf"))
    return Loader


@cache
def _fast_loader() -> type[Any]:
    from yaml.composer import Composer
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs of PyYAML lack it
    from yaml.resolver import Resolver

    class FastLoader(Composer, CParser, Resolver):
        """Composes what libyaml parses as `_loader` does.

        libyaml's own composer overflows the stack of C where Python raises RecursionError.
        """

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            Resolver.__init__(self)

    FastLoader.yaml_implicit_resolvers = _loader().yaml_implicit_resolvers
    return FastLoader
