"""Each argument of a part of `Cluster` acts.

An argument that HTTP and the command line have too is walked by test_cluster_options.py.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping

import pytest

from kraftsim import Cluster
from kraftsim.api.parts import PARTS
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import CreateTopicsRequest
from kraftsim.operations.table import OPERATIONS
from tests.builders import topic

ID = ("broker_id", "node_id")  # the words of operations have "id"
Act = Callable[[Cluster], Awaitable[object]]


async def added(kraft: Cluster, broker_id: int | None) -> object:
    return await kraft.brokers.add(broker_id=broker_id)


async def states(kraft: Cluster, broker_id: int) -> object:
    await kraft.brokers.kill(2)
    return [kraft.brokers.states(broker_id)["states"], sorted(kraft.brokers.states_of(broker_id))]


async def held(kraft: Cluster, owner: str, expiry: str) -> object:
    async with kraft.clock.held(owner, expiry) as document:
        return [(lock["owner"], round(lock["expiresInMs"], -4)) for lock in document["locks"]]


async def slept(kraft: Cluster, duration: str) -> object:
    await kraft.clock.sleep(duration)
    return kraft.world.timeline.now_ms


async def faulty(kraft: Cluster, verb: str, broker: int, *, is_meant: bool) -> object:
    fault = {"rpc.drop": {"api": "BrokerHeartbeat", "broker": broker}}
    if verb == "add":
        handle = await kraft.faults.add(fault, when=lambda _: is_meant)
    else:
        handle = kraft.faults.begin(fault, when=lambda _: is_meant)
    await kraft.clock.advance("20s")
    return handle.hits > 0, sorted(kraft.brokers.states_of(1))


async def branched(kraft: Cluster, name: str | None) -> object:
    await kraft.snapshots.save("early")
    await kraft.clock.advance("5s")
    async with kraft.branch(name) as branch:
        return branch.world.timeline.now_ms


async def decommissioned(kraft: Cluster, broker_id: int, *, force: bool) -> object:
    await kraft.topics.create("t", assignments=[[2]])
    await kraft.brokers.kill(2)
    await kraft.clock.advance("20s")
    try:
        await kraft.decommission(broker_id, force)
    except ApiError as error:
        return str(error)
    return [*kraft.world.committed.brokers]


async def described(kraft: Cluster, *, include_fenced: bool) -> object:
    await kraft.brokers.kill(2)
    await kraft.clock.advance("20s")
    return len((await kraft.describe_cluster(include_fenced)).brokers)


async def struck(
    kraft: Cluster, seed: int, verbs: tuple[str, ...] = ("proc.*",), brokers: int = 1
) -> object:
    await kraft.chaos.begin(seed, verbs, {"brokers": brokers})
    await kraft.clock.advance("3m")
    return [(fault["verb"], fault["words"]) for fault in await kraft.faults.list()]


async def healed(kraft: Cluster, timeout: str) -> object:
    await kraft.brokers.mute(2)
    await kraft.clock.advance("20s")
    began_ms = kraft.world.timeline.now_ms
    with pytest.raises(TimeoutError):
        await kraft.chaos.end(timeout)
    return kraft.world.timeline.now_ms - began_ms


async def requested(kraft: Cluster, name: str, *, is_handled: bool) -> object:
    request = CreateTopicsRequest(topics=(topic(name, num_partitions=1, replication_factor=1),))
    seen: list[object] = []

    def submit(asked: object, reply_to: Callable[[object], None]) -> None:
        seen.append(asked)
        reply_to("handled")

    reply = await kraft.request(request, submit if is_handled else None)
    return [str(reply)[:20], len(seen), *(of.name for of in kraft.world.committed.topics.values())]


async def unregistered(kraft: Cluster, broker_id: int) -> object:
    await kraft.unregister(broker_id)
    return [*kraft.world.committed.brokers]


async def without_controller(kraft: Cluster, controller_id: int) -> object:
    await kraft.controllers.kill(controller_id)
    await kraft.unregister_controller(controller_id)
    return [*kraft.world.committed.controllers]


CASES: Mapping[str, tuple[Act, Act]] = {
    "brokers.add broker_id": (lambda k: added(k, None), lambda k: added(k, 10)),
    "brokers.states broker_id": (lambda k: states(k, 1), lambda k: states(k, 2)),
    "brokers.states_of broker_id": (lambda k: states(k, 1), lambda k: states(k, 2)),
    "clock.held owner": (lambda k: held(k, "a", "30s"), lambda k: held(k, "b", "30s")),
    "clock.held expiry": (lambda k: held(k, "a", "30s"), lambda k: held(k, "a", "500s")),
    "clock.sleep duration": (lambda k: slept(k, "1ms"), lambda k: slept(k, "2s")),
    "faults.add when": (
        lambda k: faulty(k, "add", 1, is_meant=True),
        lambda k: faulty(k, "add", 1, is_meant=False),
    ),
    "faults.begin when": (
        lambda k: faulty(k, "begin", 1, is_meant=True),
        lambda k: faulty(k, "begin", 1, is_meant=False),
    ),
    "faults.begin fault": (
        lambda k: faulty(k, "begin", 1, is_meant=True),
        lambda k: faulty(k, "begin", 2, is_meant=True),
    ),
    "branch name": (lambda k: branched(k, None), lambda k: branched(k, "early")),
    "decommission broker_id": (
        lambda k: decommissioned(k, 1, force=True),
        lambda k: decommissioned(k, 3, force=True),
    ),
    "decommission force": (
        lambda k: decommissioned(k, 2, force=False),
        lambda k: decommissioned(k, 2, force=True),
    ),
    "describe_cluster include_fenced": (
        lambda k: described(k, include_fenced=False),
        lambda k: described(k, include_fenced=True),
    ),
    "chaos.begin seed": (lambda k: struck(k, 7), lambda k: struck(k, 8)),
    "chaos.begin verbs": (lambda k: struck(k, 7), lambda k: struck(k, 7, ("net.*",))),
    "chaos.begin budget": (lambda k: struck(k, 7), lambda k: struck(k, 7, brokers=3)),
    "chaos.end timeout": (lambda k: healed(k, "1s"), lambda k: healed(k, "2s")),
    "request request": (
        lambda k: requested(k, "a", is_handled=False),
        lambda k: requested(k, "b", is_handled=False),
    ),
    "request submit": (
        lambda k: requested(k, "a", is_handled=False),
        lambda k: requested(k, "a", is_handled=True),
    ),
    "unregister broker_id": (lambda k: unregistered(k, 1), lambda k: unregistered(k, 2)),
    "unregister_controller controller_id": (
        lambda k: without_controller(k, 3000),
        lambda k: without_controller(k, 3001),
    ),
}
"""A call, and one in which only this argument differs."""


def methods() -> Iterator[tuple[str, list[str]]]:
    """Yields each method of a cluster and of its parts, with its arguments."""
    kraft = Cluster(brokers=1)
    # Nodes of a user need the simulated loop, in which tests/kraftsim/test_nodes.py has them.
    parts = {f"{name}.": type(getattr(kraft, name)) for name in PARTS if name != "nodes"}
    for prefix, kind in {**parts, "": Cluster}.items():
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield prefix + name, list(inspect.signature(method).parameters)[1:]


def test_every_argument_that_is_no_option_has_a_case() -> None:
    of_operations = {
        operation.python: {parameter.name for parameter in operation.parameters}
        for operation in OPERATIONS
    }
    others = {
        f"{name} {argument}"
        for name, arguments in methods()
        for argument in arguments
        if argument not in (known := of_operations.get(name, set()))
        and not (argument in ID and "id" in known)
    }

    assert others == CASES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
async def test_an_argument_acts(name: str) -> None:
    usual, other = CASES[name]

    assert await outcome(usual) == await outcome(usual)
    assert await outcome(usual) != await outcome(other)


async def outcome(act: Act) -> object:
    async with Cluster(brokers=3, controllers=3, clock="virtual", seed=1) as kraft:
        return repr(await act(kraft))
