"""Controllers that get SIGTERM: they hand over, stay while their vote is needed, and end."""

import pytest

from kraftsim.controller.raft.roles import Prospective
from tests.scenarios.lives import active_id
from tests.worlds import pass_time, world_of

pytestmark = pytest.mark.slow


@pytest.fixture
def world():
    return world_of(controllers=3)


@pytest.mark.rule("10.26")
def test_a_leader_that_stops_waits_for_another_and_does_not_lead_again(world):
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


@pytest.mark.rule("10.26")
def test_a_follower_that_stops_when_it_is_resumed_begins_no_election(world):
    """The timeouts of its pause must not come first."""
    leader = active_id(world)
    follower = next(node_id for node_id in world.controllers if node_id != leader)
    process, epoch = world.controllers[follower], world.controllers[follower].node.epoch
    for node_id in (leader, follower):
        world.pause_controller(node_id)
    process.stop()
    pass_time(world, 10)
    roles = []
    process.hosted.step_listeners.append(
        lambda node, _turn: roles.append(node.quorum.role) if node is process.node else None
    )
    world.resume_controller(follower)
    pass_time(world, 1)

    assert not process.is_alive
    assert epoch == process.node.epoch
    assert roles
    assert not any(isinstance(role, Prospective) for role in roles)
