"""Nodes of one number and different kinds share nothing, unless somebody gives it to both."""

import random

import pytest

from kraftsim.controller.core.node_id import Kind, NodeId, broker_node, controller_node
from kraftsim.scenarios.language.selectors import Selector
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.streams import Streams, stream_name
from kraftsim.simulation.topology import BrokerSpec
from kraftsim.simulation.world import World
from tests.worlds import SECOND_US, kinds, pass_time, world_of

CONTROLLER, BROKER = controller_node(3000), broker_node(3000)


@pytest.fixture
def world() -> World:
    """A controller 3000 and, past every door, a broker 3000."""
    world = world_of(brokers=1)
    hosted = world.agents[3000] = world.host_broker(BROKER, BrokerSpec(broker_id=3000, port=9092))
    hosted.start()
    assert world.run_until(lambda: world.are_unfenced((3000,)), limit_us=20 * SECOND_US)
    return world


def test_each_has_a_clock_of_its_own(world: World) -> None:
    before_ms = world.clock_ms(CONTROLLER)

    world.clocks[BROKER].freeze()
    pass_time(world, 11)

    assert world.committed.brokers[3000].fenced
    assert before_ms + 11_000 == world.clock_ms(CONTROLLER)


def test_what_befalls_the_process_of_one_leaves_the_other_alone(world: World) -> None:
    processes = Processes(world)
    processes.pause(BROKER)
    pass_time(world, 1)
    assert ("PAUSED", "RUNNING") == (world.agents[3000].state, world.controllers[3000].state)
    processes.resume(BROKER)
    processes.crash(CONTROLLER)

    assert ("RUNNING", "NOT_RUNNING") == (world.agents[3000].state, world.controllers[3000].state)


def test_a_way_of_one_is_cut_and_the_other_is_heard(world: World) -> None:
    world.network.mute.add(BROKER)
    pass_time(world, 12)

    assert world.committed.brokers[3000].fenced
    assert world.are_unfenced((1,))  # the controller's answers arrive


def test_each_draws_from_a_stream_of_its_own() -> None:
    streams = Streams(1)
    drawn = [streams.of(stream_name("node", kind)).random() for kind in (CONTROLLER, BROKER)]

    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (broker_node(1), "node/1"),
        (broker_node(2999), "node/2999"),
        (controller_node(3000), "node/3000"),
        (NodeId(1_000_000, Kind.CLONE), "node/1000000"),
        (broker_node(3000), "node/broker 3000"),
        (controller_node(1), "node/controller 1"),
        (broker_node(1_000_000), "node/broker 1000000"),
    ],
)
def test_the_streams_of_usual_numbers_keep_the_names_of_kept_runs(node: NodeId, name: str) -> None:
    assert name == stream_name("node", node)


def test_a_controllers_row_is_no_cause_of_a_brokers(world: World) -> None:
    world.kill_controller(3000)
    world.start_controller(3000)
    world.agents[3000].kill()

    (gone,) = [row for row in world.journal.since(0) if row.detail == {"state": "NOT_RUNNING"}]
    assert (3000, None) == (gone.broker_id, gone.cause_seq)


def test_a_number_in_a_scenario_means_every_node_that_has_it(world: World) -> None:
    """A process of both roles is one process, whatever befalls it."""
    nodes = Selector("id", 3000).nodes(world, {}, random.Random(1))

    assert (CONTROLLER, BROKER) == nodes
    assert "broker_unfenced" in kinds(world, broker_id=3000)
