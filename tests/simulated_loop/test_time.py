"""Time stops at the earliest timer of anybody, and passes for nobody else."""

import asyncio

import pytest

from kraftsim.simulated_loop import Deadlock, run
from tests.simulated_loop.worlds import World


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_two_waiters_wake_at_their_own_times() -> None:
    woken: list[tuple[str, float]] = []

    async def sleeps(name: str, duration_s: float, times: int) -> None:
        for _ in range(times):
            await asyncio.sleep(duration_s)
            woken.append((name, now_s()))

    async def main() -> None:
        await asyncio.gather(sleeps("long", 3, 1), sleeps("short", 1, 4))

    World().run(main())

    assert woken == [("short", 1), ("short", 2), ("long", 3), ("short", 3), ("short", 4)]


def test_equal_deadlines_fire_in_the_order_of_their_scheduling() -> None:
    async def main() -> list[int]:
        loop, fired = asyncio.get_running_loop(), list[int]()
        for number in range(10):
            loop.call_at(1.0, fired.append, number)
        await asyncio.sleep(2)
        return fired

    assert World().run(main()) == list(range(10))


def test_a_delay_below_a_microsecond_moves_time() -> None:
    async def main() -> float:
        await asyncio.sleep(1)
        await asyncio.sleep(4e-17)
        return now_s()

    assert World().run(main()) == 1.000001


def test_a_loop_that_polls_lets_time_pass() -> None:
    async def main() -> float:
        while now_s() < 1:  # noqa: ASYNC110  # as a library does
            await asyncio.sleep(0)
        return now_s()

    assert 1 <= World().run(main()) < 1.001


def test_cancelled_timers_do_not_pile_up() -> None:
    world = World()

    async def main() -> int:
        for _ in range(1_000):
            asyncio.get_running_loop().call_later(3600, print).cancel()
        return len(world.loop._timers)

    assert world.run(main()) <= 201


def test_what_waits_for_nothing_is_named() -> None:
    async def consumer() -> None:
        await asyncio.Queue[int]().get()

    async def main() -> None:
        await asyncio.create_task(consumer(), name="consumer")

    with pytest.raises(Deadlock, match=r"task 'consumer' in get \(test_time\.py:\d+\)"):
        run(main)


def test_a_world_runs_the_loops_on_its_timeline() -> None:
    world, woken = World(), list[float]()

    async def wakes_each_second() -> None:
        while True:
            await asyncio.sleep(1)
            woken.append(now_s())

    process = world.start("operator", wakes_each_second)
    world.timeline.run_until(3_500_000)

    assert woken == [1, 2, 3]
    process.kill()
    world.loop.close()


def test_tasks_are_cancelled_in_the_order_of_their_creation() -> None:
    async def main() -> list[int]:
        cancelled = list[int]()

        async def waits(number: int) -> None:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(number)
                raise

        async def fails() -> None:
            await asyncio.sleep(1)
            raise ValueError

        async def all_of_them() -> None:
            async with asyncio.TaskGroup() as group:
                for number in range(50):
                    group.create_task(waits(number))
                group.create_task(fails())

        with pytest.raises(ExceptionGroup, match="TaskGroup"):
            await all_of_them()
        return cancelled

    assert World().run(main()) == list(range(50))


def test_an_infinite_sleep_is_one_that_nothing_ends() -> None:
    async def main() -> float:
        sleeping = asyncio.create_task(asyncio.sleep(float("inf")))
        await asyncio.sleep(5)
        sleeping.cancel()
        async with asyncio.timeout(float("inf")):
            await asyncio.sleep(1)
        return now_s()

    assert run(main) == 6
    with pytest.raises(Deadlock):
        run(lambda: asyncio.sleep(float("inf")))


async def test_a_run_inside_of_an_event_loop_names_the_marker() -> None:
    with pytest.raises(RuntimeError, match=r"expected no running event loop.*loop=\"simulated\""):
        run(lambda: asyncio.sleep(1))
