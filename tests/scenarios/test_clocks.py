"""Every node has a clock of its own: what it does to the node that looks at it, and to no other."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.profile import KAFKA_3_9
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import NEVER_MS, Timeline
from kraftsim.controller.time.wakeup import Wakeup
from kraftsim.simulation.world import World
from tests.worlds import create_topic, node, pass_time, world_of

WALL_START_MS = 1_700_000_000_000
MINUTE_MS = 60_000


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(wall_start_ms=WALL_START_MS)


@pytest.fixture
def clock(timeline: Timeline) -> Clock:
    return Clock(timeline)


def wall_ms(clock: Clock) -> int:
    return clock.now_ms + clock.wall_offset_ms


def rings_at(clock: Clock, at_ms: int) -> list[int]:
    """Wake somebody at `at_ms` of its own time; the list gets the true time in microseconds."""
    rung: list[int] = []
    Wakeup(clock, lambda: rung.append(clock.timeline.now_us)).arm(at_ms)
    return rung


def pass_ms(clock: Clock, by_ms: float) -> None:
    clock.timeline.run_until(clock.timeline.now_us + round(by_ms * 1000))


def test_a_clock_tells_the_true_time_unless_told_otherwise(clock: Clock) -> None:
    rung = rings_at(clock, 1000)

    pass_ms(clock, 1234.567)

    assert (1234, WALL_START_MS + 1234) == (clock.now_ms, wall_ms(clock))
    assert [1_000_000] == rung


def test_a_step_of_the_wall_clock_moves_no_deadline_and_is_taken_back(clock: Clock) -> None:
    rung = rings_at(clock, 1000)

    clock.step_wall(-5 * MINUTE_MS)
    pass_ms(clock, 2000)

    assert (2000, WALL_START_MS + 2000 - 5 * MINUTE_MS) == (clock.now_ms, wall_ms(clock))
    assert [1_000_000] == rung
    clock.step_wall(5 * MINUTE_MS)
    assert WALL_START_MS + 2000 == wall_ms(clock)


def test_a_clock_keeps_the_latest_time_that_it_showed_before_it_was_set_back(clock: Clock) -> None:
    pass_ms(clock, 2000)
    clock.step_wall(5 * MINUTE_MS)
    pass_ms(clock, 100)
    clock.step_wall(-5 * MINUTE_MS)
    pass_ms(clock, 1000)
    clock.step_wall(-1 * MINUTE_MS)

    assert WALL_START_MS + 2100 + 5 * MINUTE_MS == clock.latest_wall_ms


@pytest.mark.parametrize("ppm", [250_000, -200_000, 1, -1])
def test_drift_is_exact_for_both_clocks_and_for_what_they_wake(clock: Clock, ppm: int) -> None:
    rung = rings_at(clock, 1000)

    clock.drift(ppm)
    pass_ms(clock, 10_000)

    local_us = 10_000_000 * (1_000_000 + ppm) // 1_000_000
    assert local_us // 1000 == clock.now_ms == wall_ms(clock) - WALL_START_MS
    assert [-(-1_000_000 * 1_000_000 // (1_000_000 + ppm))] == rung
    clock.drift(-ppm)
    before_ms = clock.now_ms
    pass_ms(clock, 5000)
    assert before_ms + 5000 == clock.now_ms  # what it has gained stays


@pytest.mark.parametrize("ppm", [333_333, -333_333, 7, 0])
@pytest.mark.parametrize("tick_ms", [1, 15])
def test_nobody_is_woken_early_nor_a_millisecond_later_than_the_clock_shows(
    clock: Clock, ppm: int, tick_ms: int
) -> None:
    pass_ms(clock, 0.7)
    clock.drift(ppm)
    clock.coarsen(tick_ms)

    for at_ms in range(1, 200):
        due_us = clock.due_us(at_ms)
        clock.timeline.run_until(due_us - 1)
        assert clock.now_ms < at_ms or due_us == clock.timeline.now_us
        clock.timeline.run_until(due_us)
        assert at_ms <= clock.now_ms < at_ms + tick_ms


def test_a_clock_that_stands_still_wakes_nobody_until_it_goes_on(clock: Clock) -> None:
    rung = rings_at(clock, 1000)
    pass_ms(clock, 400)

    clock.freeze()
    pass_ms(clock, 5000)
    assert (400, WALL_START_MS + 400, []) == (clock.now_ms, wall_ms(clock), rung)
    clock.thaw()
    pass_ms(clock, 600)

    assert (1000, [6_000_000]) == (clock.now_ms, rung)


def test_two_that_freeze_it_both_have_to_let_it_go(clock: Clock) -> None:
    clock.freeze()
    clock.freeze()

    clock.thaw()
    pass_ms(clock, 100)
    assert 0 == clock.now_ms
    clock.thaw()
    pass_ms(clock, 100)

    assert 100 == clock.now_ms


def test_a_coarse_clock_shows_only_its_ticks_and_never_goes_back(clock: Clock) -> None:
    pass_ms(clock, 7)
    clock.coarsen(10)
    shown = []
    for _ in range(25):
        shown.append(clock.now_ms)
        pass_ms(clock, 1)

    assert [7] * 10 + [17] * 10 + [27] * 5 == shown
    rung = rings_at(clock, 33)
    pass_ms(clock, 10)
    assert [37_000] == rung
    clock.coarsen(1)
    pass_ms(clock, 1)
    assert 43 == clock.now_ms


@pytest.mark.parametrize(("jumps", "shown_ms"), [(True, 6000), (False, 1000)])
def test_after_a_sleep_the_wall_clock_is_right_and_the_monotonic_one_may_have_stood(
    clock: Clock, jumps: bool, shown_ms: int
) -> None:
    pass_ms(clock, 1000)

    clock.suspend()
    pass_ms(clock, 5000)
    assert 1000 == clock.now_ms
    clock.wake(monotonic_jumps=jumps)

    assert (shown_ms, WALL_START_MS + 6000) == (clock.now_ms, wall_ms(clock))
    pass_ms(clock, 10)
    assert shown_ms + 10 == clock.now_ms


def test_a_deadline_follows_every_change_of_the_clock_and_rings_once(clock: Clock) -> None:
    rung = rings_at(clock, 1000)

    clock.drift(1_000_000)
    pass_ms(clock, 100)  # 200 of its own
    clock.drift(-1_000_000)
    clock.freeze()
    pass_ms(clock, 50)
    clock.thaw()
    pass_ms(clock, 5000)

    assert [950_000] == rung


def test_whoever_is_gone_is_not_woken_and_not_told(clock: Clock) -> None:
    woken: list[int] = []
    wakeup = Wakeup(clock, lambda: woken.append(1))
    wakeup.arm(100)

    wakeup.end()
    clock.drift(5)
    pass_ms(clock, 1000)

    assert ([], [], NEVER_MS) == (woken, clock.followers, wakeup.armed_ms)


@pytest.mark.parametrize("ppm", [-1_000_000, -2_000_000])
def test_no_clock_runs_backwards(clock: Clock, ppm: int) -> None:
    with pytest.raises(ValueError, match="expected a drift over -1000000 ppm"):
        clock.drift(ppm)


# In a world


def history(world: World, batches: list[Batch]) -> list[object]:
    """What was decided, and when it came to be known, without the stamps."""
    batches = [replace(batch, timestamp_ms=0) for batch in batches]
    rows = [(row.t_us, row.node, row.kind, row.offset) for row in world.journal.since(0)]
    return [*batches, *rows]


def lived(skew_ms: int, step_ms: int = 0) -> tuple[World, list[Batch]]:
    """A story with a lease that lapses and a failover; every other node's wall clock is ahead, the
    others' behind."""
    world = world_of(controllers=3, seed=5, metadata_log_max_snapshot_interval_ms=20_000)
    batches = list(world.committed_log.batches)  # all of them: snapshots replace those of the log

    def keep(_: int, batch: Batch) -> None:
        if batch.base_offset == world.committed_log.end_offset:
            batches.append(batch)

    world.committed_listeners.append(keep)
    for place, clock in enumerate(world.clocks.values()):
        clock.step_wall(skew_ms if place % 2 else -skew_ms)
    create_topic(world, "orders", (2, 1, 3))
    world.agents[2].kill()
    pass_time(world, 12)
    assert world.active is not None
    world.kill_controller(world.active.node.config.node_id)
    world.agents[3].kill()  # only the new controller's first guess knows of it
    for clock in world.clocks.values():
        clock.step_wall(step_ms)
    world.agents[2].start()
    pass_time(world, 30)
    assert world.are_unfenced((1, 2))
    assert world.committed.brokers[3].fenced
    return world, batches


@pytest.mark.rule("2.34", "2.47")
def test_five_minutes_of_wall_skew_change_no_decision_but_only_stamps() -> None:
    true, skewed = lived(0), lived(5 * MINUTE_MS, step_ms=-7 * MINUTE_MS)

    assert history(*true) == history(*skewed)
    stamps = [
        abs(ours.timestamp_ms - theirs.timestamp_ms)
        for ours, theirs in zip(true[1], skewed[1], strict=True)
    ]
    assert {0, 5 * MINUTE_MS} < set(stamps)


def fenced_after_us(world: World) -> int:
    """From the last contact of broker 2 to the record that fences it, in true time."""
    controller_id = world.controller.node.config.node_id
    contact_ms = world.controller.node.leases.contact_ms(2)
    assert contact_ms is not None
    gone_us = world.timeline.now_us - (world.clock_ms(node(controller_id)) - contact_ms) * 1000
    world.agents[2].kill()
    assert world.run_until(lambda: world.committed.brokers[2].fenced, limit_us=60_000_000)
    return world.timeline.now_us - gone_us


@pytest.mark.rule("2.34", "2.36")
def test_the_controllers_drift_changes_lease_times_exactly_by_its_ratio() -> None:
    """3.9 fences exactly when a lease is over: 9001 ms by the controller's clock."""
    took_us = []
    for ppm in (0, 250_000, -100_000):
        world = world_of(brokers=2, profile=KAFKA_3_9)
        world.clocks[node(3000)].drift(ppm)
        world.run_until(lambda world=world: heard_now(world), limit_us=10_000_000)
        took_us.append(fenced_after_us(world))

    assert took_us == [9_001_000, 9_001_000 * 100 // 125, -(-9_001_000 * 10 // 9)]


def heard_now(world: World) -> bool:
    """Has the controller heard of broker 2 in this very instant?"""
    return world.controller.node.leases.contact_ms(2) == world.clock_ms(node(3000))


@pytest.mark.rule("2.47")
def test_a_broker_whose_clock_stands_still_sends_no_heartbeat_until_it_goes_on() -> None:
    world = world_of(brokers=3)
    epoch = world.committed.brokers[2].broker_epoch

    world.clocks[node(2)].freeze()
    pass_time(world, 11)
    assert world.committed.brokers[2].fenced
    assert world.are_unfenced((1, 3))
    world.clocks[node(2)].thaw()
    pass_time(world, 3)

    assert world.are_unfenced((2,))
    assert epoch == world.committed.brokers[2].broker_epoch


def test_a_controller_whose_clock_stands_still_fences_nobody() -> None:
    world = world_of(brokers=2)
    world.clocks[node(3000)].freeze()
    world.agents[2].kill()

    pass_time(world, 60)
    assert world.are_unfenced((2,))
    world.clocks[node(3000)].thaw()
    pass_time(world, 11)

    assert not world.are_unfenced((2,))


def test_a_clock_outlives_the_processes_that_look_at_it() -> None:
    world = world_of(controllers=3)
    clock = world.clocks[node(3001)]
    clock.drift(100_000)
    pass_time(world, 10)
    before_ms = world.clock_ms(node(3001))

    world.kill_controller(3001)
    pass_time(world, 1)
    world.start_controller(3001)

    assert (clock, before_ms + 1100) == (world.clocks[node(3001)], world.clock_ms(node(3001)))
    assert 1 == len(clock.followers)
