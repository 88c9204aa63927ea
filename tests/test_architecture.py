"""The arrows between the parts, read from the imports, and limits that only get stricter.

Every file belongs to one layer. `LAYERS` says which layers a layer may import besides itself, and
what else from outside; the rest is refused. Imports inside functions count as well: an arrow is an
arrow whenever it is followed.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("controller", "broker_agent", "simulation", "scenarios", "pipeline")
PROGRAMS = ("bench", "tools")  # programs beside the product, imported from the checkout
REGISTERED = "pyspark_kraftlog"  # Spark finds its source by the name of a top-level package
LINES_MAX = 400
DRAWERS = {"utils", "util", "common", "base", "helpers", "helper", "manager", "managers"}

# What a pure module may take from the standard library: nothing that reads a clock, a file, a
# socket or the environment, no source of entropy, and nothing that runs beside something else.
PURE = (
    {
        "abc",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "enum",
        "types",
        "typing",
        "__future__",
    }
    | {"base64", "binascii", "hashlib", "hmac", "ipaddress", "json", "re"}
    | {"string", "struct", "textwrap", "warnings"}
    | {"bisect", "difflib", "functools", "heapq", "itertools", "math", "operator", "zlib"}
)
PURE_CALLS_REFUSED = {"open", "print", "input", "exec", "eval", "__import__"}
# Runs what a user has written, and is given its text.
PURE_CALLS_ALLOWED = {("kraftsim.scenarios.properties.own_properties", "exec")}
IMPORTED_AS = {"PyYAML": "yaml", "google_re2": "re2"}
BY_PYTEST = ("kraftsim.pytest_plugin", "kraftsim.testing")  # imported by pytest, so it is installed
ANYTHING = {"*"}  # the standard library, and what pyproject.toml declares

AGENT_IO = {
    "client",
    "client_match",
    "fleet",
    "snapshot_intake",
}  # the files of broker_agent/ that own sockets and clocks, or an engine that is no Python


@dataclass(frozen=True, slots=True)
class Layer:
    may_import: frozenset[str]
    outside: frozenset[str]

    @property
    def is_pure(self) -> bool:
        return "*" not in self.outside


def layer(may_import: str, outside: set[str]) -> Layer:
    return Layer(frozenset(may_import.split()), frozenset(outside))


LAYERS = {
    # pure
    "core": layer("", PURE | {"sortedcontainers"}),
    "time": layer("", PURE),
    "raft": layer("core time", PURE | {"sortedcontainers"}),
    "node": layer("core raft time", PURE | {"sortedcontainers"}),
    "wire": layer("core", PURE | {"crc32c", "importlib"}),
    "agent": layer("core raft wire time", PURE | {"sortedcontainers"}),
    # `random` for seeded generators: the simulation is where all entropy comes from
    "simulation": layer("core raft node time agent", PURE | {"sortedcontainers", "random"}),
    "scenarios": layer(
        "core raft node time agent simulation", PURE | {"sortedcontainers", "random"}
    ),
    # IO
    "server": layer("core raft node time wire", ANYTHING),
    "agent_io": layer("core raft node time wire agent server", ANYTHING),
    "pipeline": layer("core raft node time wire agent simulation scenarios", ANYTHING),
    "face": layer(
        "core raft node time wire agent simulation scenarios server agent_io pipeline", ANYTHING
    ),
}
# A package that holds several layers must not pull one in when another is imported.
BARE_PACKAGES = {"kraftsim.controller", "kraftsim.broker_agent"}
# What a Spark worker gets in a zip, and all that it needs, has no dependency but this.
TRAVELS = ("core", "raft", "time", "node", "simulation", "scenarios")
TRAVELS_WITH = {"sortedcontainers"}


def layer_of(module: str) -> str:
    match module.split(".")[module != REGISTERED :]:
        case ["pyspark_kraftlog"]:
            return "pipeline"
        case ["controller", "core" | "raft" | "wire" | "server" as part, *_]:
            return part
        case ["controller", "time", *_]:
            return "time"
        case ["controller", *_]:
            return "node"
        case ["broker_agent", name, *_] if name in AGENT_IO:
            return "agent_io"
        case ["broker_agent", *_]:
            return "agent"
        case ["simulation", *_]:
            return "simulation"
        case ["scenarios", *_]:
            return "scenarios"
        case ["pipeline", *_]:
            return "pipeline"
        case _:
            return "face"


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its import name; each file once, not through the links."""
    found = {}
    for path in (ROOT / "kraftsim").rglob("*.py"):
        if path.relative_to(ROOT).parts[1] not in FOLDERS:
            found[_dotted(path.relative_to(ROOT))] = path
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            found[f"kraftsim.{_dotted(path.relative_to(ROOT))}"] = path
    found[REGISTERED] = ROOT / REGISTERED / "__init__.py"
    return dict(sorted(found.items()))


@cache
def files() -> dict[str, Path]:
    """Every module of the product, and of the programs beside it, by its import name."""
    paths = [path for folder in PROGRAMS for path in sorted((ROOT / folder).rglob("*.py"))]
    return modules() | {_dotted(path.relative_to(ROOT)): path for path in paths}


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(files()[module].read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Import:
    line: int
    target: str
    """A module of `files()` in full, or the first name of anything else."""

    @property
    def is_ours(self) -> bool:
        return self.target.split(".")[0] in ("kraftsim", REGISTERED, *FOLDERS)


def imports_of(module: str, statements: Iterator[ast.AST]) -> Iterator[Import]:
    for node in statements:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [*_from(module, node)]
        else:
            continue
        for name in names:
            ours = name.split(".")[0] in ("kraftsim", REGISTERED, *PROGRAMS)
            yield Import(node.lineno, name if ours else name.split(".")[0])


def _from(module: str, node: ast.ImportFrom) -> Iterator[str]:
    """`from . import x` is an import of the module x, if there is one."""
    origin = node.module or ""
    if node.level:
        is_package = files()[module].name == "__init__.py"
        parts = module.split(".")
        above = parts[: len(parts) - node.level + is_package]
        origin = ".".join([*above, *([node.module] if node.module else [])])
    for alias in node.names:
        inside = f"{origin}.{alias.name}"
        yield inside if inside in files() else origin


def at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements that run when a module is imported."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)


def place(module: str, line: int) -> str:
    return f"{files()[module].relative_to(ROOT)}:{line}"


def test_no_arrow_points_back() -> None:
    wrong = []
    for module in modules():
        mine = layer_of(module)
        for imported in imports_of(module, ast.walk(tree_of(module))):
            if imported.is_ours and imported.target in modules():
                theirs = layer_of(imported.target)
                if theirs != mine and theirs not in LAYERS[mine].may_import:
                    where = place(module, imported.line)
                    wrong.append(f"{where}: {mine} imports {theirs}, {imported.target}")

    assert wrong == []


def test_our_own_modules_are_imported_by_the_names_that_users_have() -> None:
    """`import controller` works in a checkout only, and would make a second copy of everything."""
    wrong = [
        f"{place(module, imported.line)}: {imported.target}"
        for module in modules()
        for imported in imports_of(module, ast.walk(tree_of(module)))
        if imported.is_ours and imported.target not in modules()
    ]

    assert wrong == []


def test_tools_import_no_tests() -> None:
    """A test may hold a page against the tool that writes it, so tests import tools."""
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in sorted((ROOT / "tools").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tests"
    ]

    assert wrong == []


def test_pure_modules_take_nothing_impure_from_outside() -> None:
    wrong = []
    for module in modules():
        mine = LAYERS[layer_of(module)]
        for imported in imports_of(module, ast.walk(tree_of(module))):
            if mine.is_pure and not imported.is_ours and imported.target not in mine.outside:
                wrong.append(
                    f"{place(module, imported.line)}: {layer_of(module)} imports {imported.target}"
                )

    assert wrong == []


def test_pure_modules_neither_await_nor_talk_to_the_world() -> None:
    wrong = []
    for module in modules():
        if not LAYERS[layer_of(module)].is_pure:
            continue
        for node in ast.walk(tree_of(module)):
            match node:
                case ast.AsyncFunctionDef(name=name):
                    wrong.append(f"{place(module, node.lineno)}: async def {name}")
                case ast.Call(func=ast.Name(id=name)) if name in PURE_CALLS_REFUSED:
                    if (module, name) in PURE_CALLS_ALLOWED:
                        continue
                    wrong.append(f"{place(module, node.lineno)}: {name}()")

    assert wrong == []


def test_a_package_of_several_layers_imports_none_of_them() -> None:
    wrong = [
        f"{place(module, imported.line)}: {imported.target}"
        for module in sorted(BARE_PACKAGES & modules().keys())
        for imported in imports_of(module, at_import(tree_of(module)))
    ]

    assert wrong == []


def test_what_travels_to_a_spark_worker_needs_the_standard_library_and_sortedcontainers() -> None:
    needed: dict[str, str] = {}
    waiting = {module: "travels" for module in modules() if layer_of(module) in TRAVELS}
    seen: set[str] = set()
    while waiting:
        module, reason = waiting.popitem()
        if module in seen:
            continue
        seen.add(module)
        for imported in imports_of(module, at_import(tree_of(module))):
            if imported.target in modules():
                waiting[imported.target] = module
            elif imported.target not in sys.stdlib_module_names:
                needed[imported.target] = f"{module}, which is here because of: {reason}"

    assert {name: why for name, why in needed.items() if name not in TRAVELS_WITH} == {}


def test_every_library_that_is_imported_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    everywhere = project["dependencies"]
    of_campaigns = everywhere + project["optional-dependencies"]["spark"]

    wrong = [
        f"{place(module, imported.line)}: {imported.target}"
        for module in modules()
        for imported in imports_of(module, ast.walk(tree_of(module)))
        if not imported.is_ours
        and imported.target not in sys.stdlib_module_names
        and imported.target
        not in _imported_as(of_campaigns if layer_of(module) == "pipeline" else everywhere)
        and not (imported.target == "pytest" and module.startswith(BY_PYTEST))
    ]
    assert wrong == []


def _imported_as(requirements: list[str]) -> set[str]:
    names = {re.split(r"[^\w-]", requirement)[0].replace("-", "_") for requirement in requirements}
    return {IMPORTED_AS.get(name, name) for name in names}


def loaded_by(program: str) -> set[str]:
    """The modules that a Python program loads after the start of the interpreter."""
    report = "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    wrapped = f"import sys; before = set(sys.modules)\n{program}\n{report}"
    done = subprocess.run(
        [sys.executable, "-c", wrapped], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.python_modules
@pytest.mark.parametrize("program", ["import kraftsim", "import kraftsim.commands.up"])
def test_the_face_loads_no_library_before_it_needs_one(program: str) -> None:
    """Importing aiohttp alone takes longer than the rest of the start."""
    libraries = {name.split(".")[0] for name in loaded_by(program)}
    assert libraries - set(sys.stdlib_module_names) <= {"kraftsim", "sortedcontainers", "crc32c"}


def test_a_service_loads_only_what_it_needs_before_the_first_reply() -> None:
    loaded = loaded_by("import kraftsim.commands.up")

    assert loaded & {"json", "datetime", "pathlib", "difflib", "secrets", "ipaddress"} == set()
    assert loaded & {"yaml", "email", "http", "importlib.metadata", "kraftsim.explanation"} == set()


FIRST_STEPS = {"cli", "cli.main", "cli.verb_table", "errors", "printable"}


def test_the_help_of_the_command_line_loads_no_verb() -> None:
    """`kraftsim --help` may take twice as long as the import of argparse (docs/performance.md)."""
    loaded = loaded_by(
        "from kraftsim.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    )
    ours = {name.removeprefix("kraftsim.") for name in loaded if name.startswith("kraftsim.")}
    assert ours <= FIRST_STEPS
    assert loaded & {"typing", "dataclasses", "inspect", "shutil", "difflib", "logging"} == set()


def test_up_loads_no_client_and_no_scenario_to_parse_its_arguments() -> None:
    loaded = loaded_by("from kraftsim.cli.main import build_parser\nbuild_parser('up')")

    assert loaded & {"http.client", "email", "urllib.request", "json", "asyncio", "ssl"} == set()
    assert {name for name in loaded if name.startswith("kraftsim.scenarios")} == set()


def test_no_file_is_longer_than_one_can_read() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in [*files().values(), *(ROOT / "tests").rglob("*.py")]
    }

    assert {name: count for name, count in lengths.items() if count > LINES_MAX} == {}


def test_no_module_is_a_drawer() -> None:
    wrong = [name for name in files() if DRAWERS & set(name.rpartition(".")[2].split("_"))]

    assert wrong == []


def test_tests_of_one_group_share_a_process(request: pytest.FixtureRequest) -> None:
    """pytest and xdist can fall out over groups in silence; then real-time tests flicker."""
    grouped = [item for item in request.session.items if item.get_closest_marker("xdist_group")]
    if request.config.getoption("loadgroup", False):
        assert [group.nodeid for group in grouped if "@" not in group.nodeid] == []
