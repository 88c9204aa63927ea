"""Two living processes with one broker id: only one of them is the broker."""

import pytest

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.topology import FIRST_CLONE_ID
from kraftsim.simulation.world import World
from tests.worlds import kinds, node, nodes, pass_time, world_of

BROKERS = (1, 2, 3)


@pytest.fixture
def world() -> World:
    return world_of(controllers=3)


@pytest.fixture
def processes(world: World) -> Processes:
    return Processes(world)


def active_id(world: World) -> int:
    assert world.active is not None, "nobody is active"
    return world.active.node.config.node_id


def incarnation(world: World, broker_id: int) -> Uuid:
    return world.committed.brokers[broker_id].incarnation_id


@pytest.mark.rule("1.12")
def test_a_clone_is_refused_for_as_long_as_the_first_is_heard_of(
    world: World, processes: Processes
) -> None:
    before = incarnation(world, 2)

    host = processes.clone(node(2))
    pass_time(world, 30)

    clone = world.clones[host]
    assert "DUPLICATE_BROKER_REGISTRATION" in str(clone.agent.last_error)
    assert (before, "RUNNING") == (incarnation(world, 2), world.agents[2].state)
    assert "clone_state" in kinds(world)
    processes.crash(node(2))
    pass_time(world, 15)
    assert clone.agent.incarnation_id == incarnation(world, 2)
    processes.crash(host)
    assert clone.state == "NOT_RUNNING"


@pytest.mark.rule("1.49", "2.4")
def test_a_zombie_whose_host_was_replaced_is_told_that_its_epoch_is_stale(
    world: World, processes: Processes
) -> None:
    old, old_clock = world.agents[2], world.clocks[node(2)]
    processes.pause(node(2))

    zombie = processes.replace(node(2))
    pass_time(world, 15)
    assert world.agents[2].agent.incarnation_id == incarnation(world, 2)
    assert world.agents[2].state == "RUNNING"
    processes.resume(zombie)
    pass_time(world, 5)

    assert (old, old_clock) == (world.clones[zombie], world.clocks[zombie])
    assert "STALE_BROKER_EPOCH" in str(old.agent.last_error)
    assert world.are_unfenced(BROKERS)


def test_a_zombie_is_cut_off_by_the_id_of_its_host_and_the_new_one_is_not(
    world: World, processes: Processes
) -> None:
    zombie = processes.replace(node(2))
    world.network.isolate(zombie, nodes(world.controllers))

    pass_time(world, 20)

    assert zombie == NodeId(FIRST_CLONE_ID, Kind.CLONE)
    assert world.agents[2].agent.incarnation_id == incarnation(world, 2)
    assert world.are_unfenced(BROKERS)


@pytest.mark.parametrize("verb", ["clone", "replace"])
def test_only_brokers_are_cloned(processes: Processes, verb: str) -> None:
    with pytest.raises(ValueError, match="expected the id of a broker"):
        getattr(processes, verb)(node(3000))
