"""Controllers that get SIGTERM: they hand over, stay while their vote is needed, and end."""

import pytest

from kraftsim.simulation.world import World
from tests.scenarios.lives import active_id
from tests.worlds import pass_time, world_of

pytestmark = pytest.mark.slow


@pytest.fixture
def world() -> World:
    return world_of(controllers=3)


@pytest.mark.rule("10.26")
def test_a_leader_that_stops_waits_for_another_and_does_not_lead_again(world: World) -> None:
    leader = active_id(world)
    process, epoch = world.controllers[leader], world.controllers[leader].node.epoch
    for node_id in world.controllers:
        if node_id != leader:
            world.pause_controller(node_id)

    process.stop()
    pass_time(world, 4.9)
    assert process.is_alive
    pass_time(world, 0.2)

    assert not process.is_alive
    assert epoch == process.node.epoch
