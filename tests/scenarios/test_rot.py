"""A damaged batch ends the log of the next process, which fetches the rest from the others."""

import pytest

from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.scenarios.verbs.disks import has_been_replicated
from kraftsim.simulation.processes import Processes
from tests.scenarios.lives import active_id, follower_id
from tests.scenarios.request_worlds import begin
from tests.worlds import SECOND_US, create_topic, node, pass_time, world_of

pytestmark = pytest.mark.slow


def batches(world, node_id):
    return list(world.controllers[node_id].disk.stored.log.batches)


def restart(world, node_id):
    world.kill_controller(node_id)
    world.start_controller(node_id)


@pytest.mark.rule("10.56")
def test_a_process_starts_with_what_is_before_a_damaged_batch():
    world = world_of(controllers=3)
    follower = follower_id(world)
    world.kill_controller(follower)
    before = batches(world, follower)
    damaged = before[len(before) // 2]
    world.controllers[follower].disk.rot(damaged.last_offset)
    world.start_controller(follower)

    assert world.controllers[follower].node.log.end_offset == damaged.base_offset
    assert world.controllers[follower].disk.truncated == len(before) - len(before) // 2


@pytest.mark.rule("10.56")
def test_the_rest_is_fetched_again():
    world = world_of(controllers=3)
    follower = follower_id(world)
    _, fault = begin(world, "disk.rot", {"on": follower, "for": "1s"})
    lost = batches(world, follower)
    pass_time(world, 5)

    assert fault.effects() > 0
    assert batches(world, follower)[: len(lost)] == lost
    assert batches(world, follower) == batches(world, active_id(world))


@pytest.mark.rule("10.56")
def test_a_log_that_ends_before_its_snapshot_begins_anew_there():
    world = world_of(metadata_log_max_record_bytes_between_snapshots=2_000)
    for number in range(20):
        create_topic(world, f"t{number}", (1, 2))
    stored = world.controllers[3000].disk.stored
    end_offset = stored.snapshot.snapshot_id.end_offset
    assert stored.log.start_offset < end_offset
    world.kill_controller(3000)
    world.controllers[3000].disk.rot(stored.log.start_offset)
    world.start_controller(3000)

    log = world.controllers[3000].node.log
    assert (log.start_offset, log.batches[0].base_offset) == (end_offset, end_offset)


def test_the_damage_of_a_disk_that_is_replaced_is_gone():
    world = world_of(controllers=3)
    follower = follower_id(world)
    backup = world.controllers[follower].disk.stored.copy()
    world.kill_controller(follower)
    world.controllers[follower].disk.rot(0)
    world.controllers[follower].disk.restore(backup)
    world.start_controller(follower)

    assert world.controllers[follower].disk.truncated == 0


def test_a_log_is_spared_while_another_disk_is_damaged():
    """A hunt: a damaged log counted as a whole one until the next process truncated it."""
    world = world_of(controllers=3)
    leader, follower = active_id(world), follower_id(world)
    pass_time(world, 2)
    begin(world, "disk.rot", {"on": follower, "replicated": True})

    assert world.controllers[follower].disk.is_damaged
    assert not has_been_replicated(world, leader)


@pytest.mark.rule("10.14")
def test_the_log_of_a_candidate_is_spared():
    """A hunt: after the damage the candidate got the votes that its whole log had won before."""
    world = world_of(controllers=3)
    follower = follower_id(world)
    pass_time(world, 2)
    assert has_been_replicated(world, follower)
    controller = world.controllers[follower]
    controller.disk.stored.election = ElectionState(epoch=2, voted=controller.node.quorum.me)

    assert not has_been_replicated(world, follower)


def test_the_logs_of_all_voters_do_not_rot_at_once():
    """One fault of several controllers: a log that has rotted is no copy of the next log."""
    world = world_of(controllers=3)
    pass_time(world, 2)
    begin(world, "disk.rot", {"on": [*world.controllers], "replicated": True})

    assert sum(controller.disk.is_damaged for controller in world.controllers.values()) == 1


def test_a_log_that_only_its_controller_has_is_spared():
    world = world_of(controllers=3)
    leader, follower = active_id(world), follower_id(world)
    assert has_been_replicated(world, follower)
    world.network.isolate(node(follower), world.nodes)
    create_topic(world, "later", (1, 2))

    assert not has_been_replicated(world, leader)
    begin(world, "disk.rot", {"on": leader, "replicated": True})
    assert world.controllers[leader].is_running


def test_the_log_of_a_lone_voter_is_spared():
    world = world_of(controllers=1)
    world.advance(SECOND_US)

    assert not has_been_replicated(world, 3000)


def test_a_log_is_spared_while_another_voter_has_lost_its_directory():
    """Hunt 77: the log of whoever had come back with its id counted as that of a voter."""
    world = world_of(controllers=3)
    leader = active_id(world)
    lost, other = (node_id for node_id in world.controllers if node_id != leader)
    Processes(world).wipe(node(lost))
    world.start_controller(lost)
    pass_time(world, 10)

    assert (
        world.controllers[lost].node.log.end_offset == world.controllers[leader].node.log.end_offset
    )
    assert not has_been_replicated(world, other)
