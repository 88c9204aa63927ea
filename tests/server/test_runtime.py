"""Real time and virtual time run the same world: who moves the timeline makes no difference."""

import asyncio
import random
from collections.abc import Callable, Iterator

import pytest

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.server import runtime as runtime_module
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.world import World
from tests.scenarios.watched import ask, topic
from tests.worlds import unstarted_world


class Clock:
    """A monotonic clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(runtime_module, "time", clock)
    return clock


Step = tuple[int, Callable[[World], None]]
STORY: list[Step] = [
    (1_000_000, lambda world: ask(world, topic("orders", partitions=2))),
    (2_500_000, lambda world: world.agents[2].kill()),
    (9_123_456, lambda world: ask(world, topic("later", replicas=2))),
    (11_000_000, lambda world: world.kill_controller(world.controller.node.config.node_id)),
    (12_000_000, lambda world: world.start_controller(3000)),
    (14_000_000, lambda world: world.agents[2].start()),
    (20_000_001, lambda world: world.agents[3].stop()),
    (21_000_000, lambda world: world.agents[1].pause()),
    (33_000_000, lambda world: world.agents[1].resume()),
    (40_000_000, lambda world: None),
]


def fresh_world(controllers: int) -> World:
    world = unstarted_world(3, controllers=controllers, seed=7)
    world.network.delay_us = uniform(200, 20_000, world.streams.of("delays"))
    return world


def by_heap(story: list[Step], controllers: int) -> list[Batch]:
    world = fresh_world(controllers)
    world.start()
    for at_us, happens in story:
        world.timeline.run_until(at_us)
        happens(world)
    return world.committed_log.batches


def by_runtime(
    story: list[Step], controllers: int, clock: Clock, ticks: Iterator[float]
) -> list[Batch]:
    """The clock stands wherever `ticks` puts it, and what is due then happens late, but in order
    and at the time that was due."""
    world = fresh_world(controllers)
    runtime = Runtime(world.timeline)
    began_s = clock.now_s
    world.start()
    runtime.leave()
    for at_us, happens in story:
        for tick_s in ticks:
            if tick_s * 1e6 >= at_us:
                break
            clock.now_s = began_s + tick_s
            runtime.enter()
            runtime.leave()
        clock.now_s = began_s + at_us / 1e6 + 1e-7
        runtime.enter()
        happens(world)
        runtime.leave()
    runtime.close()
    return world.committed_log.batches


@pytest.mark.python_modules
@pytest.mark.parametrize("controllers", [1, 3])
@pytest.mark.parametrize("tick_s", [0.001, 0.0137, 0.9])
async def test_a_story_gives_the_same_log_by_the_clock_and_by_the_heap(
    clock: Clock, tick_s: float, controllers: int
) -> None:
    """H7."""
    ticks = (tick_s * number for number in range(1, 1_000_000))

    told = by_runtime(STORY, controllers, clock, ticks)

    assert told == by_heap(STORY, controllers)
    assert len(told) > 60


@pytest.mark.python_modules
@pytest.mark.parametrize("controllers", [1, 3])
async def test_the_same_story_is_told_whatever_the_ticks(clock: Clock, controllers: int) -> None:
    seeded = random.Random(3)

    def ticks() -> Iterator[float]:
        at_s = 0.0
        while True:
            at_s += seeded.expovariate(5)
            yield at_s

    assert by_runtime(STORY, controllers, clock, ticks()) == by_heap(STORY, controllers)


def test_a_story_that_is_told_later_is_another_one() -> None:
    """Else the logs above would be one whatever the drivers do."""
    later = [(at_us + 40_000, happens) for at_us, happens in STORY]

    assert by_heap(STORY, 3) != by_heap(later, 3)


def armed(runtime: Runtime) -> float | None:
    return None if runtime._timer is None else runtime._timer.when()


class Timers:
    """The loop's timers that were set and not cancelled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.handles: list[asyncio.TimerHandle] = []
        loop = asyncio.get_running_loop()
        call_later = loop.call_later

        def noted(*args: object, **kwargs: object) -> asyncio.TimerHandle:
            handle = call_later(*args, **kwargs)
            self.handles.append(handle)
            return handle

        monkeypatch.setattr(loop, "call_later", noted)

    @property
    def armed(self) -> int:
        return sum(not handle.cancelled() for handle in self.handles)


async def test_one_timer_is_armed_for_whatever_is_due_first(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = Timers(monkeypatch)
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    for at_us in (9_000_000, 5_000_000, 7_000_000, 3_000_000, 3_000_000):
        runtime.enter()
        timeline.at(at_us, lambda: None)
        runtime.leave()

    assert timers.armed == 1
    assert len(timers.handles) == 3  # 9, then 5, then 3: later ones change nothing
    runtime.close()
    assert timers.armed == 0


async def test_nothing_is_armed_when_nothing_is_due(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = Timers(monkeypatch)
    runtime = Runtime(Timeline(wall_start_ms=0))
    runtime.enter()
    runtime.leave()

    assert timers.handles == []


async def test_a_closed_runtime_arms_nothing_more(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = Timers(monkeypatch)
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    runtime.close()
    timeline.at(5, lambda: None)
    runtime.leave()

    assert timers.handles == []


async def test_a_virtual_runtime_does_what_is_due_now_and_never_moves_time(clock: Clock) -> None:
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline, speed=0.0)
    done: list[str] = []
    timeline.at(0, lambda: done.append("now"))
    timeline.at(1, lambda: done.append("later"))
    clock.now_s += 1000
    runtime.enter()
    runtime.leave()

    assert (done, timeline.now_us) == (["now"], 0)


@pytest.mark.python_modules
async def test_a_clock_that_does_not_move_does_not_move_time_back(clock: Clock) -> None:
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    clock.now_s += 5
    runtime.enter()
    clock.now_s -= 3
    runtime.enter()

    assert timeline.now_us == 5_000_000


@pytest.mark.realtime
@pytest.mark.python_modules
async def test_a_look_at_the_time_reports_a_change_only_if_something_was_due(clock: Clock) -> None:
    timeline, changes = Timeline(wall_start_ms=0), list[int]()
    runtime = Runtime(timeline)
    runtime.on_change = lambda: changes.append(timeline.now_us)
    timeline.at(2_000_000, lambda: None)

    clock.now_s += 1.0
    first = runtime.present_us(), list(changes)
    clock.now_s += 1.5
    second = runtime.present_us(), list(changes)
    runtime.close()

    assert first == (1_000_000, [])
    assert second == (2_500_000, [2_500_000])


async def test_the_timer_fires_by_itself_and_arms_the_next() -> None:
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    over = asyncio.Event()
    timeline.after(1000, lambda: timeline.after(1000, over.set))
    runtime.leave()
    async with asyncio.timeout(20):
        await over.wait()
    runtime.close()


async def test_work_that_can_wait_comes_after_a_pause_for_what_comes_from_outside() -> None:
    timeline, seen = Timeline(wall_start_ms=0), asyncio.Queue[str]()
    runtime = Runtime(timeline)
    with runtime.entered():
        timeline.soon(lambda: seen.put_nowait("work"))
        timeline.at(0, lambda: seen.put_nowait("due"))
    asyncio.get_running_loop().call_soon(seen.put_nowait, "from outside")

    *before, last = [await seen.get() for _ in range(3)]
    assert ({"due", "from outside"}, "work") == (set(before), last)
    runtime.close()
