"""Real time and virtual time run the same world: who moves the timeline makes no difference."""

import asyncio
import random
from collections.abc import Callable, Iterator

import pytest

from kraftsim.controller.core.batch import Batch
from kraftsim.controller.server import runtime as runtime_module
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.timeline import Timeline
from kraftsim.scenarios.streams import Streams
from kraftsim.scenarios.topology import BrokerSpec, Topology
from kraftsim.scenarios.world import World
from tests.worlds import create_topic


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
    (1_000_000, lambda world: create_topic(world, "orders", (2, 1, 3), (3, 2, 1))),
    (2_500_000, lambda world: world.agents[2].kill()),
    (9_123_456, lambda world: create_topic(world, "later", (1, 3))),
    (14_000_000, lambda world: world.agents[2].start()),
    (20_000_001, lambda world: world.agents[3].stop()),
    (21_000_000, lambda world: world.agents[1].pause()),
    (33_000_000, lambda world: world.agents[1].resume()),
    (40_000_000, lambda world: None),
]


def fresh_world() -> World:
    brokers = tuple(BrokerSpec(broker_id=one, port=9091 + one) for one in (1, 2, 3))
    topology = Topology(cluster_id="kraftsimTestCluster001", brokers=brokers)
    return World(topology, streams=Streams(7))


def log_of(world: World) -> list[Batch]:
    return list(world.controller.node.log.read(0))


def by_heap(story: list[Step]) -> list[Batch]:
    world = fresh_world()
    world.start()
    for at_us, happens in story:
        world.timeline.run_until(at_us)
        happens(world)
    return log_of(world)


def by_runtime(story: list[Step], clock: Clock, ticks: Iterator[float]) -> list[Batch]:
    """The clock stands wherever `ticks` puts it, and what is due then happens late, but in order
    and at the time that was due."""
    world = fresh_world()
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
    return log_of(world)


@pytest.mark.parametrize("tick_s", [0.001, 0.0137, 0.9])
async def test_a_story_gives_the_same_log_by_the_clock_and_by_the_heap(
    clock: Clock, tick_s: float
) -> None:
    ticks = (tick_s * number for number in range(1, 1_000_000))

    assert by_runtime(STORY, clock, ticks) == by_heap(STORY)


async def test_the_same_story_is_told_whatever_the_ticks(clock: Clock) -> None:
    seeded = random.Random(3)

    def ticks() -> Iterator[float]:
        at_s = 0.0
        while True:
            at_s += seeded.expovariate(5)
            yield at_s

    assert by_runtime(STORY, clock, ticks()) == by_heap(STORY)


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
        return sum(not one.cancelled() for one in self.handles)


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


async def test_a_clock_that_does_not_move_does_not_move_time_back(clock: Clock) -> None:
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    clock.now_s += 5
    runtime.enter()
    clock.now_s -= 3
    runtime.enter()

    assert timeline.now_us == 5_000_000


@pytest.mark.realtime
async def test_the_timer_fires_by_itself_and_arms_the_next() -> None:
    timeline = Timeline(wall_start_ms=0)
    runtime = Runtime(timeline)
    over = asyncio.Event()
    timeline.after(1000, lambda: timeline.after(1000, over.set))
    runtime.leave()
    async with asyncio.timeout(20):
        await over.wait()
    runtime.close()
