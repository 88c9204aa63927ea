"""Rooms are folders of modules with one concept: no circles, no crowds, no long functions."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from tests.test_architecture import GENERATED, every_import_of, files, nodes_of

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

ROOM_MAX = 20
"""Modules of a room, `__init__` left out. A room with one file a subject of messages has more."""
CROWDS = {
    "kraftsim.controller.core": 22,
    "kraftsim.controller.core.rpc": 24,
    "kraftsim.controller.wire.messages": 28,
    "kraftsim.scenarios.explore": 22,
    "tools": 21,
}
"""The rooms with more modules, and how many: change a number only to a lower number."""
FUNCTION_LINES_MAX = 40
LONG_FUNCTIONS = {
    "kraftsim.controller.node.node.__init__": 42,
    "kraftsim.simulation.journal.write": 41,
}
"""The functions with more lines, and how many: change a number only to a lower number."""

Graph = Mapping[str, set[str]]


def is_package(module: str) -> bool:
    return files()[module].name == "__init__.py"


def room_of(module: str) -> str:
    return module if is_package(module) else module.rpartition(".")[0]


@cache
def imported() -> Graph:
    """For each module the modules that it imports, types and imports inside functions included."""
    return {
        module: {
            found.target
            for found in every_import_of(module)
            if found.target in files() and found.target != module
        }
        for module in files()
    }


def rooms() -> Graph:
    """For each room the rooms that its modules import, but for rooms that contain each other."""
    found: dict[str, set[str]] = {room_of(module): set() for module in files()}
    for module, targets in imported().items():
        mine = room_of(module)
        for theirs in map(room_of, targets):
            if not (theirs + ".").startswith(mine + ".") and not (mine + ".").startswith(
                theirs + "."
            ):
                found[mine].add(theirs)
    return found


def circles(graph: Graph) -> list[list[str]]:
    """The groups of nodes that reach each other, by Kosaraju's algorithm."""
    order: list[str] = []
    seen: set[str] = set()
    for node in sorted(graph):
        order += _finished(graph, node, seen)
    backwards: dict[str, set[str]] = {node: set() for node in graph}
    for node, targets in graph.items():
        for target in targets:
            backwards[target].add(node)
    seen = set()
    groups = [_finished(backwards, node, seen) for node in reversed(order)]
    return [sorted(group) for group in groups if len(group) > 1]


def _finished(graph: Graph, start: str, seen: set[str]) -> list[str]:
    """Nodes that `start` reaches and that are not `seen`, in the order in which they are left."""
    left: list[str] = []
    waiting = [(start, False)]
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            left.append(node)
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(target, False) for target in sorted(graph[node])]
    return left


def functions(module: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (
        node
        for node in nodes_of(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without those of its docstring."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}

    assert circles(graph) == [["b", "c"]]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imported()) == []


def test_no_rooms_import_each_other_in_a_circle() -> None:
    assert circles(rooms()) == []


def test_no_room_is_crowded() -> None:
    sizes: dict[str, int] = {}
    for module in files():
        if not is_package(module):
            sizes[room_of(module)] = sizes.get(room_of(module), 0) + 1

    assert {room: size for room, size in sizes.items() if size > ROOM_MAX} == CROWDS


def test_no_function_is_longer_than_a_screen() -> None:
    too_long = {
        f"{module}.{node.name}": lines_of(node)
        for module in files()
        if GENERATED not in files()[module].read_text(encoding="utf-8")[:200]
        for node in functions(module)
        if lines_of(node) > FUNCTION_LINES_MAX
    }

    assert too_long == LONG_FUNCTIONS
