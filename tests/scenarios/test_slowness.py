"""Faults that come and go, and a controller that takes its time over each message."""

import pytest

from kraftsim.controller.core.rpc import DescribeClusterRequest
from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.delays import constant
from kraftsim.simulation.message import Message
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.recurring import Recurring, strobe
from kraftsim.simulation.service_queue import ServiceQueue
from kraftsim.simulation.world import OUTSIDE, World
from tests.worlds import SECOND_US, create_topic, kinds, node, pass_time, world_of

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


def test_a_hiccup_pauses_for_moments_until_it_ends(world: World, processes: Processes) -> None:
    states: set[str] = set()
    world.agent_listeners.append(lambda broker_id, state: states.add(f"{broker_id} {state}"))
    hiccup = processes.hiccup(node(2), every_us=constant(50_000), lasting_us=constant(20_000))

    pass_time(world, 1.04)
    assert {"2 PAUSED", "2 RUNNING"} == states
    assert 15 == hiccup.hits
    assert world.agents[2].state == "PAUSED"
    hiccup.end()
    assert world.agents[2].state == "RUNNING"
    states.clear()
    pass_time(world, 1)

    assert (set(), 15) == (states, hiccup.hits)
    assert world.are_unfenced(BROKERS)


def test_a_crash_loop_leaves_a_process_that_runs(world: World, processes: Processes) -> None:
    node_id = follower_id(world)
    loop = processes.crash_loop(
        node(node_id), up_us=constant(SECOND_US), down_us=constant(SECOND_US // 2)
    )

    pass_time(world, 7.2)
    assert (5, "NOT_RUNNING") == (loop.hits, world.controllers[node_id].state)
    loop.end()
    pass_time(world, 3)

    assert world.controllers[node_id].state == "RUNNING"
    assert world.controllers[node_id].node.committed == world.committed


def test_a_strobe_moves_the_wall_clock_back_and_forth(world: World) -> None:
    clock = world.clocks[node(3000)]
    right_ms = clock.wall_offset_ms
    fault: Recurring = strobe(clock, 200, constant(10_000))
    seen = []
    for _ in range(4):
        pass_time(world, 0.01)
        seen.append(clock.wall_offset_ms - right_ms)

    assert [200, 0, 200, 0] == seen
    pass_time(world, 0.01)
    fault.end()
    pass_time(world, 1)
    assert right_ms == clock.wall_offset_ms


def test_a_slow_controller_handles_one_message_after_the_other(
    world: World, processes: Processes
) -> None:
    queue = processes.slow(node(active_id(world)), constant(30_000))
    began_us = world.timeline.now_us

    create_topic(world, "slow", (1, 2, 3))
    assert world.timeline.now_us - began_us >= 60_000  # the request, and a follower's fetch
    assert queue.served > 1
    processes.quicken(node(active_id(world)))
    pass_time(world, 1)
    began_us = world.timeline.now_us
    create_topic(world, "fast", (1, 2, 3))

    assert world.timeline.now_us == began_us


def test_what_waits_in_front_of_a_slow_controller_has_not_arrived(world: World) -> None:
    """Properties hold a controller to what has reached it: a heartbeat in the queue is none yet."""
    node_id = active_id(world)
    asked = node(node_id)
    queue = Processes(world).slow(asked, constant(SECOND_US), room=2)
    arrived: list[Message] = []
    stopped: list[Message] = []
    world.network.arrived.append(
        lambda message: arrived.append(message) if message.receiver == asked else 0
    )
    world.network.stopped.append(stopped.append)

    for _ in range(3):
        world.send_request(OUTSIDE, DescribeClusterRequest(), lambda reply: None, node_id)
    pass_time(world, 0.5)
    assert ([], queue.lost) == (arrived, len(stopped))
    assert queue.lost >= 1
    pass_time(world, 2)
    assert 2 == len(arrived) == queue.served


def test_heartbeats_that_wait_too_long_cost_brokers_their_lease() -> None:
    world = world_of(brokers=3)
    queue = Processes(world).slow(node(3000), constant(5 * SECOND_US), room=4)

    pass_time(world, 60)
    assert queue.lost > 0
    assert "broker_fenced" in kinds(world)
    Processes(world).quicken(node(3000))
    pass_time(world, 15)

    assert world.are_unfenced(BROKERS)


def test_a_slow_controller_that_crashes_breaks_with_those_who_wait_at_once(world: World) -> None:
    node_id = active_id(world)
    Processes(world).slow(node(node_id), constant(SECOND_US))
    answers: list[object] = []
    world.send_request(node(1), DescribeClusterRequest(), answers.append, node_id)

    Processes(world).crash(node(node_id))
    pass_time(world, 0)
    assert [None] == answers
    Processes(world).start(node(node_id))
    pass_time(world, 3)

    assert world.controllers[node_id].state == "RUNNING"
    assert [None] == answers


def test_what_comes_after_a_queue_was_closed_takes_its_own_time() -> None:
    timeline = Timeline(wall_start_ms=0)
    queue, handled = ServiceQueue(timeline, constant(100), 5), []
    queue.put(lambda: handled.append("before"))
    timeline.run_until(60)
    queue.close()
    queue.open()
    queue.put(lambda: handled.append("after"))

    timeline.run_until(159)
    assert ["before"] == handled
    timeline.run_until(160)

    assert ["before", "after"] == handled
