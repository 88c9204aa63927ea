"""HTTP, command line, Python and its two twins use the same noun and verb for each operation."""

import ast
import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import Any, get_args

import pytest

from kraftsim import Cluster
from kraftsim.api.states import STATES, BrokerState, ProcessStateName
from kraftsim.broker_agent.process_state import LASTING_STATES, ProcessState
from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.operations.operation import Operation
from kraftsim.operations.table import OPERATIONS
from kraftsim.testing.process_cluster import ProcessCluster
from tools.blocking_stub import STUB

NOUNS = (
    "broker",
    "clock",
    "cluster",
    "config",
    "controller",
    "fault",
    "lesson",
    "log",
    "node",
    "quorum",
    "reassignment",
    "request",
    "snapshot",
    "topic",
)

SHOWS = {"config": "get", "topic": "describe"}  # words of Kafka's clients and tools


def by_path(operation: Operation) -> tuple[str, ...]:
    """The noun and the verb of an HTTP path: a list is a plural, a change has its verb last."""
    _, *parts = operation.path.removeprefix("/v1").removeprefix("/sim").split("/")
    fixed = [part for part in parts if not part.startswith("{")]
    has_id = len(parts) > len(fixed)
    noun = fixed[0].removesuffix("s")
    if noun not in NOUNS:
        return (fixed[0],)
    if len(fixed) == 2:
        return noun, fixed[1]
    if operation.method == "POST":
        return noun, "add"
    return noun, "list" if fixed[0] != noun and not has_id else SHOWS.get(noun, "show")


def by_method(operation: Operation) -> tuple[str, ...]:
    """The noun and the verb of a method of a cluster or of one of its parts."""
    part, _, verb = operation.python.replace("_", "-").rpartition(".")
    if part == "events":  # the only noun whose list has no verb
        return (part,)
    if verb == "show" and not part:
        return "cluster", verb
    return (part.removesuffix("s"), verb) if part else (verb,)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_has_one_noun_and_one_verb(operation: Operation) -> None:
    assert operation.words == by_path(operation)
    assert operation.words == by_method(operation)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_method_of_an_operation_has_its_parameters(operation: Operation) -> None:
    method: Callable[..., object] = attrgetter(operation.python)(Cluster())
    ours = {parameter.name for parameter in operation.parameters} - {"id"}

    assert inspect.iscoroutinefunction(method)
    assert ours <= set(inspect.signature(method).parameters)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_both_twins_have_the_method_of_an_operation(operation: Operation) -> None:
    part, _, verb = operation.python.rpartition(".")
    types = {node.name: node for node in ast.parse(STUB.read_text("utf-8")).body
             if isinstance(node, ast.ClassDef)}  # fmt: skip
    blocking = types[f"Blocking{part.capitalize() or 'Cluster'}"]

    assert verb in {node.name for node in blocking.body if isinstance(node, ast.FunctionDef)}
    assert callable(attrgetter(operation.python)(ProcessCluster("http://127.0.0.1:1")))


def test_a_verb_that_no_operation_has_is_refused_with_the_nearest_one() -> None:
    kraft = ProcessCluster("http://127.0.0.1:1")

    with pytest.raises(AttributeError, match=r"no operation 'brokers\.kil': expected .*kill"):
        kraft.brokers.kil(1)
    with pytest.raises(AttributeError, match=r"no operation 'kill'"):
        kraft.kill(1)


def test_no_operation_needs_a_boolean() -> None:
    kinds = {parameter.kind for operation in OPERATIONS for parameter in operation.parameters}

    assert bool not in kinds


def test_the_types_of_states_name_every_state() -> None:
    assert set(get_args(BrokerState)) == {*RegistrationState, *LASTING_STATES}
    assert get_args(BrokerState) == STATES
    assert set(get_args(ProcessStateName)) == {*ProcessState}


async def test_python_returns_what_http_shows() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", partitions=1, replication_factor=2)
        await kraft.brokers.kill(2)
        seen = await kraft.wait(2, "fenced")
        leader = await kraft.wait(leader="any")

        assert (seen["brokerId"], "fenced" in seen["states"]) == (2, True)
        assert leader["leaderId"] == 3000
        assert [broker["fenced"] for broker in await kraft.brokers.list()] == [False, True]
        assert (await kraft.brokers.show(2))["agent"]["state"] == "NOT_RUNNING"
        assert [topic["name"] for topic in await kraft.topics.list()] == ["orders"]
        assert (await kraft.topics.describe("orders"))["partitions"][0]["isr"] == [1]
        assert [node["active"] for node in await kraft.controllers.list()] == [True]
        events = await kraft.events.list()
        assert next(row for row in events if row["kind"] == "broker_fenced")["brokerId"] == 2
        assert (await kraft.log.show(from_=2, limit=3)).next == 5
        assert (await kraft.explain(events[-1]["seq"])) != []


async def test_a_cut_link_is_mended_by_the_opposite_verb() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.brokers.mute(1)
        await kraft.wait(1, "fenced")
        await kraft.brokers.unmute(1)
        assert "unfenced" in (await kraft.wait(1, "unfenced"))["states"]

        await kraft.brokers.kill(1)
        await kraft.brokers.deafen(1)
        await kraft.brokers.restart(1)
        await kraft.clock.advance("20s")
        assert "STARTING" in kraft.brokers.states_of(1)
        await kraft.brokers.undeafen(1)
        assert "RUNNING" in (await kraft.wait(1, "RUNNING"))["states"]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("broker ls", "did you mean 'list'?"),
        ("controllers list", "did you mean 'controller'?"),
        ("topics list", "did you mean 'topic'?"),
        ("controller --node-id 3000", "'run'"),
        ("topic show orders", "did you mean 'describe'?"),
        ("broker describe 1", "did you mean 'show'?"),
        ("quorum remove 3000", "'show', 'transfer-leadership'"),
    ],
)
def test_a_former_word_is_refused_with_the_word_for_it(run: Any, line: str, hint: str) -> None:
    code, _, err = run(line)

    assert code == 2
    assert hint in err
