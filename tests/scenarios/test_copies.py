"""A copied world goes on exactly as its original does, and neither affects the other."""

import gc
from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import pytest
from _pytest.mark import ParameterSet

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest, Request
from kraftsim.options import ClusterOptions, topology_of
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.properties import ALL
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.copying import NotCopied, copied
from kraftsim.simulation.streams import REPEATED_MAX, Streams
from kraftsim.simulation.world import World
from tests.core.large_requests import creation, election, growth, reassignment
from tests.scenarios.read_library import Library, names_of_every_kind

S = 1_000_000  # microseconds


def world_of(brokers: int = 3, controllers: int = 3, seed: int = 7) -> World:
    options = ClusterOptions(brokers=brokers, controllers=controllers, seed=seed)
    streams = Streams(seed)
    world = World(topology_of(options, "AAAAAAAAAAAAAAAAAAAAAA"), streams=streams)
    world.start(elects_at_once=True)
    return world


def lived(world: World) -> list[object]:
    return [*world.journal.since(0), world.timeline.scheduled_count]


def run_to_the_middle(name: str) -> Run:
    run = Run(in_small(Library()[name]), 7, ALL)
    run.begin()
    run.expectations.begin()
    run.timetable.begin()
    run.move(run.plan.time.run.us * 2 // 3)
    return run


def a_third_of(names: list[str]) -> list[ParameterSet]:
    """The others are for a soak."""
    return [
        pytest.param(name, marks=[pytest.mark.soak] if number % 3 else [])
        for number, name in enumerate(names)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", a_third_of(names_of_every_kind()))
def test_a_copy_of_a_run_goes_on_as_the_run_does(name: str) -> None:
    """In the midst of the faults of a scenario, with all properties."""
    run = run_to_the_middle(name)
    twin = copied(run)

    for each in (run, twin):
        each.move(each.plan.time.run.us // 3)

    assert twin.digest.text() == run.digest.text()
    assert lived(twin.world) == lived(run.world)
    assert twin.watch.violations == run.watch.violations


@pytest.mark.slow
@pytest.mark.parametrize("controllers", [1, 3])
def test_a_copy_at_any_event_goes_on_alike(controllers: int) -> None:
    """Messages are in flight at most events."""
    world, draw = world_of(controllers=controllers), Random(controllers)
    for _ in range(40):
        for _ in range(draw.randrange(1, 20)):
            world.timeline.run_until(world.timeline.due_us)
        twin = copied(world)
        before = lived(world)
        twin.advance(20 * S)
        assert lived(world) == before
    world.advance(twin.timeline.now_us - world.timeline.now_us)

    assert lived(twin) == lived(world)


def test_what_happens_in_a_copy_happens_only_there() -> None:
    world = world_of()
    world.advance(5 * S)
    twin = copied(world)

    twin.agents[2].kill()
    twin.dispatch(CreateTopicsRequest(topics=(topic("orders"),)), lambda _: None)
    twin.network.cut.add((broker_node(1), broker_node(2)))
    twin.advance(30 * S)
    world.advance(30 * S)

    assert [each.committed.brokers[2].fenced for each in (twin, world)] == [True, False]
    assert ["orders" in each.committed.topic_ids for each in (twin, world)] == [True, False]
    assert not world.network.cut


def test_a_copy_of_a_copy_is_one() -> None:
    world = world_of()
    world.advance(5 * S)
    twin = copied(copied(world))

    world.advance(60 * S)
    twin.advance(60 * S)

    assert lived(twin) == lived(world)


@pytest.mark.parametrize("seed", [7, None])
@pytest.mark.parametrize("draws", [0, 1, REPEATED_MAX, REPEATED_MAX + 1, 5000])
def test_a_copied_stream_draws_the_same_numbers(draws: int, seed: int | None) -> None:
    streams = Streams(seed)
    draw = streams.draw_of("network")
    for _ in range(draws):
        draw()
    twin = copied(streams)

    ours = [draw() for _ in range(5)]
    assert [twin.draw_of("network")() for _ in range(5)] == ours
    assert copied(twin).draw_of("network")() == draw()


def test_streams_without_a_seed_draw_other_numbers_each_time() -> None:
    assert len({Streams(None).draw_of("network")() for _ in range(5)}) == 5


def test_a_copied_stream_has_the_state_of_its_generator() -> None:
    streams = Streams(7)
    streams.of("times").gauss(0.0, 1.0)

    assert copied(streams).of("times").gauss(0.0, 1.0) == streams.of("times").gauss(0.0, 1.0)


def test_whoever_waits_for_a_reply_is_not_in_the_copy() -> None:
    """Nor are the listeners of a service."""
    world, replies, states = world_of(), [], []
    world.advance(5 * S)
    world.agent_listeners.append(lambda *state: states.append(state))
    create = CreateTopicsRequest(topics=(topic("orders"),))
    world.dispatch(create, lambda reply: replies.append(reply))
    twin = copied(world)

    twin.advance(30 * S)
    twin.agents[2].kill()
    twin.advance(30 * S)

    assert "orders" in twin.committed.topic_ids
    assert twin.agent_listeners == []
    assert not replies
    assert not states


LARGE_REQUESTS = {
    "CreateTopics, many": creation(2_001),
    "CreateTopics, one large": creation(1, 5_000),
    "CreatePartitions": growth("old0", 6_000),
    "AlterPartitionReassignments": reassignment("old0", 2_001, 3, 2),
    "ElectLeaders": election(("old0", tuple(range(2_001)))),
}


@pytest.mark.slow
@pytest.mark.parametrize("request_", LARGE_REQUESTS.values(), ids=LARGE_REQUESTS)
def test_a_copy_between_any_two_slices_of_a_request_goes_on_alike(request_: Request) -> None:
    """Other requests wait behind it, and one that comes later, too."""
    world, twins, paused = world_of(controllers=1), [], deque[Callable[[], None]]()
    world.advance(5 * S)
    world.dispatch(creation(1, 2_001, name="old"), lambda _: None)
    world.advance(5 * S)
    world.timeline.pause_by(paused.append)

    world.dispatch(request_, lambda _: None)
    world.dispatch(creation(3, name="behind"), lambda _: None)
    while paused:
        twins.append(copied(world))
        assert shared_changing(world, twins[-1]) == []
        paused.popleft()()
    for copy in (world, *twins):
        copy.timeline.pause_by(None)
        copy.advance(20 * S)

    assert len(twins) >= 3
    assert "behind2" in world.committed.topic_ids
    for twin in twins:
        assert twin.committed == world.committed
        assert twin.journal.since(0) == world.journal.since(0)


def test_half_used_work_cannot_be_copied() -> None:
    world = world_of()
    world.timeline.after(S, (print(number) for number in range(3)).__next__)

    with pytest.raises(NotCopied, match="method-wrapper cannot be copied"):
        copied(world)


def topic(name: str) -> CreatableTopic:
    return CreatableTopic(name=name, num_partitions=1, replication_factor=3)


# What two worlds share, as the garbage collector sees it


@pytest.mark.slow
def test_a_copy_shares_nothing_that_changes() -> None:
    run = run_to_the_middle("swarm-everything")
    assert len(reachable(run)) > 5_000
    assert shared_changing(run, copied(run)) == []


def shared_changing(one: object, other: object) -> list[object]:
    """What changes and is reached from both."""
    ours, theirs = reachable(one), reachable(other)
    shared = [ours[key] for key in ours.keys() & theirs.keys()]
    return [thing for thing in shared if changes(thing)]


def reachable(root: object) -> dict[int, object]:
    """Every object that `root` refers to, by id, but for modules, classes and their functions.

    Images are not looked into: their copies share what neither of them has changed.
    """
    found: dict[int, object] = {}
    waiting = [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in found or isinstance(thing, type | ModuleType):
            continue
        found[id(thing)] = thing
        if isinstance(thing, FunctionType):
            waiting += [cell.cell_contents for cell in thing.__closure__ or ()]
        elif not isinstance(thing, Image | BuiltinFunctionType):
            waiting += gc.get_referents(thing)
    return found


def changes(thing: object) -> bool:
    """True for an object of ours that is not equal by value, and for what is bound to objects."""
    kind = type(thing)
    if isinstance(thing, FunctionType):
        return any(not isinstance(cell.cell_contents, type) for cell in thing.__closure__ or ())
    if isinstance(thing, MethodType | partial | Random | deque):
        return True
    is_ours = kind.__module__.startswith("kraftsim.")
    return is_ours and kind.__hash__ in (None, object.__hash__) and not isinstance(thing, Exception)
