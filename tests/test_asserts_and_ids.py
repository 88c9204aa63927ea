"""No promise of the product rests on an assert, and no node is made of an unchecked id."""

import ast

import pytest

from tests.test_architecture import layer_of, modules, nodes_of

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

NEVER_ASSERT = ("core", "timeline", "raft", "node", "agent")


def test_no_module_of_the_product_knows_assertion_errors() -> None:
    """What a simulation survives has a type of its own, `Impossible`; `python -O` drops asserts."""
    wrong = [
        f"{module}:{node.lineno}"
        for module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Name) and node.id == "AssertionError"
    ]

    assert wrong == []


def test_no_module_asks_whether_asserts_are_dropped() -> None:
    """`python -O` has a `__debug__` of its own."""
    wrong = [
        f"{module}:{node.lineno}"
        for module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Name) and node.id == "__debug__"
    ]

    assert wrong == []


def test_an_assert_narrows_a_type_and_does_nothing_else() -> None:
    """And there is none where a planted bug may stand."""
    wrong = [
        f"{module}:{node.lineno}: {ast.unparse(node.test)}"
        for module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.Assert)
        if layer_of(module) in NEVER_ASSERT or not _is_narrowing(node.test)
    ]

    assert wrong == []


def _is_narrowing(test: ast.expr) -> bool:
    """`isinstance(name, ...)` or `name is not None`."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() | ast.Attribute(), _]):
            return True
        case ast.Compare(left=ast.Name() | ast.Attribute(), ops=[ast.IsNot()]):
            return True
        case _:
            return False


INT32_MAX = 2**31 - 1
ASKS_FOR_ALL = {"kraftsim.controller.core.rpc.fetch", "kraftsim.controller.core.rpc.snapshot"}


def test_ids_have_one_limit() -> None:
    """Bytes, correlation ids and numbers of messages are no ids of nodes."""
    others = {
        "kraftsim.broker_agent.log.producers",
        "kraftsim.broker_agent.log.segments",
        "kraftsim.broker_agent.messages.fetch_sessions",
        "kraftsim.broker_agent.messages.lines",
        "kraftsim.broker_agent.messages.quotas",
        "kraftsim.admin.connection",
        "kraftsim.controller.server.kafka_caller",
        "kraftsim.controller.core.rpc.share_groups",
        *ASKS_FOR_ALL,
    }

    limits = [module for module in modules() if any(map(_is_int32_max, nodes_of(module)))]

    assert ["kraftsim.controller.core.node_id"] == [
        limit for limit in limits if limit not in others
    ]


def _is_int32_max(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=int(number)):
            return number == INT32_MAX
        case ast.BinOp(op=ast.Sub(), right=ast.Constant(value=1)):
            return ast.unparse(node) in ("2 ** 31 - 1", "(1 << 31) - 1")
    return False


# Whoever makes a node of a number that a user gives has checked it: these do, and ask nobody else.
MAKES_NODES = {"BrokerSpec", "ControllerSpec", "NodeConfig"}
CHECKS_IDS = {"expect_free", "checked_id"}
CHECKED_BY_THE_TOPOLOGY = {
    "kraftsim.options",
    "kraftsim.simulation.controller_nodes",
    "kraftsim.scenarios.explore.identities",
    "kraftsim.scenarios.explore.lone_broker",
    "kraftsim.scenarios.explored.partition_life",
    "kraftsim.scenarios.document.plan",
    "kraftsim.scenarios.verbs.membership",
}


def test_no_door_makes_a_node_of_an_unchecked_id() -> None:
    """A topology and `World.add_broker` check what they get; every other maker does so itself."""
    wrong = [
        module
        for module in modules()
        if module not in CHECKED_BY_THE_TOPOLOGY
        and _calls(module) & MAKES_NODES
        and not _calls(module) & CHECKS_IDS
    ]

    assert wrong == []


def _calls(module: str) -> set[str]:
    calls = (node for node in nodes_of(module) if isinstance(node, ast.Call))
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}
