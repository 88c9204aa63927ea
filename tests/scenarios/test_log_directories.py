"""Simulated brokers with several log directories: where replicas are, and what a lost one takes."""

from collections import Counter

import pytest

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import AssignReplicasToDirsRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.uuid import UNASSIGNED_DIRECTORY, Uuid
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World
from tests.worlds import ask, create_topic, node, partition, pass_time, unstarted_world

PARTITIONS = 6
BOTH = ((1, 2), (2, 1)) * (PARTITIONS // 2)


@pytest.fixture
def world() -> World:
    """Two brokers with two directories each, and a topic on both."""
    world = unstarted_world(brokers=2, log_dirs=2)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    create_topic(world, "t", *BOTH)
    pass_time(world, 2)
    return world


def directories(world: World, broker_id: int) -> tuple[Uuid, ...]:
    return tuple(of.directory_id for of in world.hosts[node(broker_id)].log_dirs)


def places(world: World, broker_id: int) -> list[Uuid | None]:
    return [partition(world, "t", n).directory_of(broker_id) for n in range(PARTITIONS)]


def isrs(world: World) -> list[set[int]]:
    return [{*partition(world, "t", n).isr} for n in range(PARTITIONS)]


@pytest.mark.rule("1.51")
def test_a_broker_registers_all_its_directories(world: World) -> None:
    own = directories(world, 1)

    assert len(own) == 2
    assert {*world.committed.brokers[1].log_dirs} == {*own}


@pytest.mark.rule("2.32b")
def test_a_broker_places_replicas_evenly_and_reports_where_they_are(world: World) -> None:
    for broker_id in (1, 2):
        own = directories(world, broker_id)
        assert Counter(places(world, broker_id)) == dict.fromkeys(own, PARTITIONS // 2)
    assert isrs(world) == [{1, 2}] * PARTITIONS


def test_each_replica_is_reported_once() -> None:
    world = unstarted_world(brokers=2, log_dirs=2)
    sent: list[AssignReplicasToDirsRequest] = []
    world.sent_listeners.append(
        lambda _, request: (
            sent.append(request) if isinstance(request, AssignReplicasToDirsRequest) else None
        )
    )
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    create_topic(world, "t", *BOTH)
    pass_time(world, 60)

    assert sorted(request.broker_id for request in sent) == [1, 2]


def test_a_broker_with_one_directory_reports_nothing() -> None:
    world = unstarted_world(brokers=2)
    sent: list[object] = []
    world.sent_listeners.append(lambda _, request: sent.append(type(request)))
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    create_topic(world, "t", *BOTH)
    pass_time(world, 2)

    assert AssignReplicasToDirsRequest not in sent
    assert UNASSIGNED_DIRECTORY not in places(world, 1)


@pytest.mark.rule("2.32b")
def test_a_broker_on_a_new_disk_reports_its_only_directory_and_may_lead_again() -> None:
    """A released 4.3.1 does so: its replicas are still in the former directory of the metadata."""
    world = unstarted_world(brokers=2)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    create_topic(world, "t", *BOTH)
    processes = Processes(world)
    processes.wipe(node(2), keeps_directory=False)
    processes.start(node(2))
    pass_time(world, 30)

    assert set(places(world, 2)) == {*directories(world, 2)}
    assert isrs(world) == [{1, 2}] * PARTITIONS
    world.agents[1].kill()
    pass_time(world, 15)
    assert [partition(world, "t", number).leader for number in range(PARTITIONS)] == [
        2
    ] * PARTITIONS


@pytest.mark.rule("2.32b")
@pytest.mark.parametrize(("cordoned", "place"), [("{0}", 1), ("{1}", 0), ("{0},{1}", 0), ("*", 0)])
def test_new_replicas_pass_over_cordoned_directories(cordoned: str, place: int) -> None:
    world = unstarted_world(brokers=2, log_dirs=2, profile=KAFKA_4_3)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    paths = [of.path for of in world.hosts[node(1)].log_dirs]
    config = AlterableConfig(
        name="cordoned.log.dirs", config_operation=0, value=cordoned.format(*paths)
    )
    resource = IncrementalAlterConfigsResource(
        resource_type=4, resource_name="1", configs=(config,)
    )
    ask(world, IncrementalAlterConfigsRequest(resources=(resource,), is_forwarded=True))
    pass_time(world, 1)
    create_topic(world, "t", *BOTH)
    pass_time(world, 2)

    assert places(world, 1) == [directories(world, 1)[place]] * PARTITIONS


@pytest.mark.rule("2.30")
def test_a_lost_directory_takes_its_replicas_and_no_other(world: World) -> None:
    _, second = directories(world, 1)
    before = places(world, 1)

    world.agents[1].fail_directory(second)
    pass_time(world, 1)

    lost = [place == second for place in before]
    assert isrs(world) == [{2} if is_lost else {1, 2} for is_lost in lost]
    assert all(partition(world, "t", n).leader == 2 for n in range(PARTITIONS) if lost[n])
    assert world.committed.brokers[1].log_dirs == (directories(world, 1)[0],)
    assert not world.committed.brokers[1].fenced
    pass_time(world, 30)
    assert isrs(world) == [{2} if is_lost else {1, 2} for is_lost in lost]


@pytest.mark.rule("2.31")
def test_a_repaired_directory_comes_back_with_the_next_process(world: World) -> None:
    _, second = directories(world, 1)
    before = places(world, 1)
    world.agents[1].fail_directory(second)
    pass_time(world, 1)

    world.agents[1].store.failed.discard(second)
    pass_time(world, 5)
    assert len(world.committed.brokers[1].log_dirs) == 1

    world.agents[1].kill()
    world.agents[1].start()
    pass_time(world, 30)
    assert {*world.committed.brokers[1].log_dirs} == {*directories(world, 1)}
    assert (isrs(world), places(world, 1)) == ([{1, 2}] * PARTITIONS, before)


def test_a_process_without_the_directory_of_its_metadata_log_ends(world: World) -> None:
    first, _ = directories(world, 1)

    world.agents[1].fail_directory(first)

    assert world.agents[1].state is ProcessState.NOT_RUNNING
    world.agents[1].start()
    assert world.agents[1].state is ProcessState.NOT_RUNNING


def test_a_paused_process_reports_the_loss_once_it_is_resumed(world: World) -> None:
    _, second = directories(world, 1)
    world.agents[1].pause()
    world.agents[1].fail_directory(second)
    pass_time(world, 1)
    assert isrs(world) == [{1, 2}] * PARTITIONS

    world.agents[1].resume()
    pass_time(world, 1)

    assert {2} in isrs(world)
