"""What holds for an API is in its row: no other list names APIs, beside the tables of functions."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

import pytest

from kraftsim.api.parts import PARTS
from kraftsim.broker_agent.data_plane import FIND_COORDINATOR
from kraftsim.controller.core.api_row import DECIDE, LOG, QUORUM, READ, REFUSE, STORE
from kraftsim.controller.core.apis import DECOMMISSION_BROKER, ROWS
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.node.node import READS
from kraftsim.controller.raft.conduct import ANSWERS as QUORUM_ANSWERS
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.messages.declared import ON_DEMAND
from kraftsim.service.broker_apis import ANSWERS as BROKER_ANSWERS
from tests.test_architecture import ROOT, loaded_by, modules, nodes_of

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

PACKAGES = ("controller/", "broker_agent/", "kraftsim/")
PERMITTED = {
    "controller/core/handlers.py": "the table of the active controller, and its responses",
    "controller/raft/conduct.py": "the table of the quorum: its answers, and its reactions",
    "controller/node/node.py": "the table of what a controller reads",
    "kraftsim/service/broker_apis.py": "the table of a broker",
    "controller/core/rpc/__init__.py": "the types of every request and response",
    "controller/raft/following.py": "the requests that a follower has in flight one at a time",
    "kraftsim/service/foreign_peers.py": "the fields of requests that name their sender",
}
NAMES = {row.name for row in ROWS.values()}
CLASSES = {f"{name}{kind}" for name in NAMES for kind in ("Request", "Response")}
LIST_MIN = 3  # so many APIs are a list
LARGE_KEY = 43  # smaller numbers are also levels, versions and record types


def judged() -> Iterator[tuple[str, str]]:
    """The module and the path of each file that may list no APIs."""
    for module, file in modules().items():
        path = str(file.relative_to(ROOT))
        if path.startswith(PACKAGES) and path not in PERMITTED:
            yield module, path


def lists_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, int]]:
    """The line of each list of APIs, with the number of them."""
    for node in nodes:
        named = set(map(api_named, members(node))) - {None}
        keys = {int(key) for key in named if str(key).isdigit()}
        if keys and max(keys) < LARGE_KEY:
            named -= set(map(str, keys))
        if len(named) >= LIST_MIN:
            yield getattr(node, "lineno", 0), len(named)


def members(node: ast.AST) -> list[ast.expr]:
    """What a collection, a chain of cases or of `isinstance` compares with."""
    match node:
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case ast.Set(elts=elements) | ast.Tuple(elts=elements) | ast.List(elts=elements):
            return elements
        case ast.Match(cases=cases):
            return [part.cls for of in cases for part in bare_classes(of.pattern)]
        case ast.FunctionDef():
            return [kind for call in ast.walk(node) for kind in kinds_of(call)]
    return []


def bare_classes(pattern: ast.pattern) -> Iterator[ast.MatchClass]:
    """The classes of a pattern that looks at nothing but the class."""
    for part in ast.walk(pattern):
        if isinstance(part, ast.MatchClass) and not (part.patterns or part.kwd_patterns):
            yield part


def kinds_of(call: ast.AST) -> list[ast.expr]:
    match call:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            return [kind for kind in ast.walk(kinds) if isinstance(kind, ast.Name | ast.Attribute)]
    return []


def api_named(member: ast.expr) -> str | None:
    """The API that a member of a list names, by its key, its name or a class; or None."""
    match member:
        case ast.Constant(value=str(name)) if name in NAMES:
            return name
        case ast.Constant(value=int(key)) if key in ROWS:
            return str(int(key))
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in CLASSES:
            return name.removesuffix("Request").removesuffix("Response")
    return None


def test_no_other_list_names_apis() -> None:
    found = [
        f"{path}:{line}: {count} APIs; say it in controller/core/apis.py"
        for module, path in judged()
        for line, count in lists_in(nodes_of(module))
    ]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "FORWARDABLE = frozenset({19, 20, 94})",
        "NEWEST = {1: 17, 52: 1, 94: -1}",
        "_CHANGES = (UnregisterBrokerRequest, rpc.AddRaftVoterRequest, RemoveRaftVoterRequest)",
        "_REFUSALS = {VoteRequest: f, FetchRequest: g, EnvelopeRequest: h}",
        "SHOWN = ['CreateTopics', 'DeleteTopics', 'Produce']",
        "match x:\n case VoteRequest() | FetchRequest(): 1\n case EnvelopeRequest(): 2",
        "def f(x):\n if isinstance(x, VoteRequest | FetchRequest): 1\n"
        " isinstance(x, EnvelopeRequest)",
    ],
)
def test_a_list_of_apis_is_found(source: str) -> None:
    assert list(lists_in(ast.walk(ast.parse(source))))


def test_a_key_is_that_of_its_row_and_its_schema() -> None:
    assert {key: ROWS[key].name for key in APIS} == {key: api.name for key, api in APIS.items()}
    assert ROWS.keys() - APIS.keys() == {DECOMMISSION_BROKER}
    assert all(row.key == key for key, row in ROWS.items())
    assert ROWS[FIND_COORDINATOR].name == "FindCoordinator"


def test_the_tables_of_a_controller_have_what_the_rows_say() -> None:
    rows = ROWS.values()

    assert names_in(HANDLERS) == {row.name for row in rows if row.controller is DECIDE}
    assert names_in(QUORUM_ANSWERS) | names_in(READS) == {
        row.name for row in rows if row.controller in (QUORUM, READ)
    }


def test_the_table_of_a_broker_has_what_the_rows_say() -> None:
    own = {name.removesuffix("Request") for name in BROKER_ANSWERS}

    for row in ROWS.values():
        if row.broker is None:
            assert row.name not in own
        elif row.broker in (READ, LOG):
            assert row.name in own or row.name == "ApiVersions"  # which the listener answers
        elif row.broker in (STORE, REFUSE):
            assert row.name not in own
    assert own <= {row.name for row in ROWS.values()}


def test_the_functions_that_are_named_by_their_module_exist() -> None:
    """`in_core` imports its function when the first request comes, and no type checker looks."""
    calls = [
        node
        for module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "in_core"
    ]
    named = [[ast.literal_eval(word) for word in call.args] for call in calls]

    assert len(named) > 20
    for module, name in named:
        assert callable(getattr(import_module(f"kraftsim.controller.core.{module}"), name))


@pytest.mark.python_modules
def test_a_service_starts_without_what_only_requests_of_administrators_need() -> None:
    loaded = loaded_by("import kraftsim.commands.up")

    core = {"topics.creation", "configs.alteration", "security.acl_creation"}
    core |= {f"rpc.{subject}" for subject in ON_DEMAND}
    assert loaded & {f"kraftsim.controller.core.{name}" for name in core} == set()
    assert loaded & {f"kraftsim.api.{name}" for name in ("documents", *PARTS)} == set()


def names_in(table: Mapping[type, object]) -> set[str]:
    return {model.__name__.removesuffix("Request") for model in table}
