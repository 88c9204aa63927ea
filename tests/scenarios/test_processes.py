"""What befalls processes: each fault does what it says, and what takes it back takes it back."""

import pytest

from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.delays import constant, uniform
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World
from tests.worlds import SECOND_US, create_topic, kinds, node, nodes, partition, pass_time, world_of

pytestmark = pytest.mark.slow


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


def follower_id(world: World) -> int:
    return next(controller for controller in world.controllers if controller != active_id(world))


def until_active(world: World) -> int:
    began_us = world.timeline.now_us
    assert world.run_until(lambda: world.active is not None, limit_us=20 * SECOND_US)
    return world.timeline.now_us - began_us


def incarnation(world: World, broker_id: int) -> Uuid:
    return world.committed.brokers[broker_id].incarnation_id


@pytest.mark.parametrize("node_id", [3000, 3001, 3002, 2])
def test_a_crashed_node_of_any_kind_is_gone_and_starts_again(world: World, node_id: int) -> None:
    process = world.controllers.get(node_id) or world.agents[node_id]

    Processes(world).crash(node(node_id))
    assert process.state == "NOT_RUNNING"
    pass_time(world, 12)
    assert world.are_unfenced((2,)) is (node_id != 2)
    Processes(world).start(node(node_id))
    pass_time(world, 3)

    assert process.state == "RUNNING"
    assert world.are_unfenced(BROKERS)


@pytest.mark.rule("1.51")
def test_a_restarted_broker_is_a_new_incarnation(world: World, processes: Processes) -> None:
    before = incarnation(world, 2)

    processes.restart(node(2))
    pass_time(world, 12)

    assert before != incarnation(world, 2)
    assert world.are_unfenced((2,))


@pytest.mark.rule("10.39", "10.40")
def test_a_leader_that_is_stopped_hands_over_and_ends(world: World, processes: Processes) -> None:
    stopped = active_id(world)
    told: list[tuple[int, str]] = []
    world.controller_listeners.append(lambda *change: told.append(change))

    processes.stop(node(stopped))
    took_us = until_active(world)

    assert took_us < SECOND_US / 2  # a crash costs the others their fetch timeout
    pass_time(world, 1)
    assert told == [(stopped, "NOT_RUNNING")]
    assert world.controllers[stopped].failure is None
    processes.start(node(stopped))
    pass_time(world, 3)
    assert world.controllers[stopped].state == "RUNNING"


def test_a_leader_that_nobody_follows_ends_after_five_seconds(
    world: World, processes: Processes
) -> None:
    stopped = active_id(world)
    world.network.isolate(node(stopped), nodes(world.controllers))
    for other in set(world.controllers) - {stopped}:
        processes.pause(node(other))

    processes.stop(node(stopped))
    pass_time(world, 1)
    assert world.controllers[stopped].state == "RUNNING"
    pass_time(world, 5)

    assert world.controllers[stopped].state == "NOT_RUNNING"


def test_a_paused_controller_is_told_to_stop_once_it_goes_on(
    world: World, processes: Processes
) -> None:
    stopped = follower_id(world)
    processes.pause(node(stopped))
    processes.stop(node(stopped))
    pass_time(world, 1)
    assert world.controllers[stopped].state == "PAUSED"

    processes.resume(node(stopped))

    assert world.controllers[stopped].state == "NOT_RUNNING"


@pytest.mark.rule("2.15", "2.18")
def test_a_stopped_broker_gives_its_partitions_away_first(
    world: World, processes: Processes
) -> None:
    create_topic(world, "orders", (2, 1, 3))

    processes.stop(node(2))
    pass_time(world, 5)

    assert world.agents[2].state == "NOT_RUNNING"
    assert partition(world, "orders").leader == 1
    assert "broker_in_controlled_shutdown" in kinds(world, broker_id=2)


def test_of_two_that_pause_a_process_both_have_to_resume_it(
    world: World, processes: Processes
) -> None:
    for node_id, process in ((2, world.agents[2]), (3000, world.controllers[3000])):
        processes.pause(node(node_id))
        processes.pause(node(node_id))
        processes.resume(node(node_id))
        assert process.state == "PAUSED"
        processes.resume(node(node_id))
        assert process.state == "RUNNING"


def test_a_pause_ends_with_the_process_that_it_befell(world: World, processes: Processes) -> None:
    processes.pause(node(2))
    processes.crash(node(2))
    processes.start(node(2))
    pass_time(world, 12)
    assert world.agents[2].state == "RUNNING"

    processes.pause(node(2))
    processes.resume(node(2))

    assert world.agents[2].state == "RUNNING"


def test_a_suspended_broker_wakes_up_with_or_without_a_later_clock(
    world: World, processes: Processes
) -> None:
    for jumps, passed_ms in ((True, 12_000), (False, 0)):
        before_ms = world.clock_ms(node(2))
        processes.suspend(node(2))
        pass_time(world, 12)
        assert (before_ms, "PAUSED") == (world.clock_ms(node(2)), world.agents[2].state)
        assert not world.are_unfenced((2,))

        processes.wake(node(2), monotonic_jumps=jumps)
        assert before_ms + passed_ms == world.clock_ms(node(2))
        pass_time(world, 3)
        assert world.are_unfenced((2,))


def test_a_suspended_leader_that_has_not_counted_its_sleep_finds_another_one_leads(
    world: World, processes: Processes
) -> None:
    asleep = active_id(world)
    processes.suspend(node(asleep))
    until_active(world)
    pass_time(world, 5)

    processes.wake(node(asleep), monotonic_jumps=False)
    pass_time(world, 5)

    assert active_id(world) != asleep
    assert not world.controllers[asleep].node.is_active


@pytest.mark.rule("10.41")
def test_a_wiped_voter_with_its_old_directory_has_forgotten_all_and_catches_up(
    world: World, processes: Processes
) -> None:
    wiped = follower_id(world)
    process = world.controllers[wiped]
    before = process.disk.stored

    processes.wipe(node(wiped), keeps_directory=True)
    assert (0, before.directory_id) == (
        process.disk.stored.log.end_offset,
        process.disk.stored.directory_id,
    )
    processes.start(node(wiped))
    pass_time(world, 5)

    assert process.node.quorum.is_voter
    assert process.node.committed == world.committed


@pytest.mark.rule("10.41")
def test_a_voter_that_was_formatted_again_only_observes(world: World, processes: Processes) -> None:
    """KIP-853: another directory is another replica, which nobody has made a voter."""
    wiped = follower_id(world)
    process = world.controllers[wiped]

    processes.wipe(node(wiped))
    processes.start(node(wiped))
    pass_time(world, 5)

    assert not process.node.quorum.is_voter
    assert process.node.committed == world.committed


def test_a_wiped_broker_comes_with_another_directory(world: World, processes: Processes) -> None:
    before = world.committed.brokers[2].log_dirs

    processes.wipe(node(2))
    processes.start(node(2))
    pass_time(world, 12)

    assert world.are_unfenced((2,))
    assert before != world.committed.brokers[2].log_dirs


def test_a_controller_that_was_rolled_back_fetches_what_it_has_missed(
    world: World, processes: Processes
) -> None:
    node_id = follower_id(world)
    process = world.controllers[node_id]
    backup = process.disk.stored.copy()
    create_topic(world, "orders", (1, 2, 3))

    processes.roll_back(node(node_id), backup)
    assert backup.log.end_offset == process.disk.stored.log.end_offset
    processes.start(node(node_id))
    pass_time(world, 5)

    assert "orders" in process.node.committed.topic_ids
    assert backup.log.end_offset < process.disk.stored.log.end_offset


@pytest.mark.parametrize("verb", ["slow", "roll_back"])
def test_only_controllers_are_slow_or_rolled_back(processes: Processes, verb: str) -> None:
    with pytest.raises(ValueError, match="expected the id of a controller"):
        getattr(processes, verb)(node(2), None)


def test_nobody_knows_the_process_of_an_unknown_node(processes: Processes) -> None:
    with pytest.raises(ValueError, match="expected a node"):
        processes.crash(node(77))


def test_the_same_seed_gives_the_same_log_under_all_of_it() -> None:
    def told(seed: int) -> tuple[object, ...]:
        world = world_of(controllers=3, seed=seed)
        processes, stream = Processes(world), world.streams.of("faults")
        world.network.delay_us = uniform(100, 3_000, stream)
        loop = processes.crash_loop(
            node(1), up_us=uniform(1_000_000, 9_000_000, stream), down_us=constant(SECOND_US)
        )
        hiccup = processes.hiccup(
            node(active_id(world)),
            every_us=uniform(10_000, 900_000, stream),
            lasting_us=uniform(1_000, 400_000, stream),
        )
        zombie_id = processes.replace(node(2))
        world.clocks[node(3)].drift(-30_000)
        processes.slow(node(follower_id(world)), uniform(100, 20_000, stream))
        pass_time(world, 40)
        for fault in (loop, hiccup):
            fault.end()
        processes.crash(zombie_id)
        pass_time(world, 20)
        assert world.are_unfenced(BROKERS)
        return (world.committed_log.batches, world.journal.since(0))

    assert told(5) == told(5)
    assert told(5) != told(6)
