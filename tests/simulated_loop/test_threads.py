"""Threads of a simulated loop run in its time, and never beside it."""

import asyncio
import concurrent.futures
import queue
import threading
import time

import pytest

from kraftsim.simulated_loop import BlockingCallRefused, run, threads
from kraftsim.simulated_loop.real_clocks import real_clocks_patched
from tests.simulated_loop.worlds import World


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_a_thread_sleeps_in_the_time_of_the_loop() -> None:
    async def main() -> tuple[list[str], float]:
        order = list[str]()

        def works() -> None:
            order.append("begins")
            time.sleep(5)
            order.append("ends")

        working = asyncio.create_task(asyncio.to_thread(works))
        await asyncio.sleep(3)
        order.append("meanwhile")
        await working
        return order, now_s()

    assert run(main) == (["begins", "meanwhile", "ends"], 5)


def test_a_thread_waits_for_a_coroutine_of_the_loop() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()

        async def answers() -> str:
            await asyncio.sleep(2)
            return f"at {now_s():g} s"

        def asks() -> str:
            return asyncio.run_coroutine_threadsafe(answers(), loop).result(10)

        return await asyncio.to_thread(asks)

    assert run(main) == "at 2 s"


def test_a_thread_waits_until_its_timeout() -> None:
    async def main() -> float:
        def waits() -> None:
            with pytest.raises(TimeoutError):
                concurrent.futures.Future[None]().result(7)

        await asyncio.to_thread(waits)
        return now_s()

    assert run(main) == 7


def test_an_error_of_a_thread_is_that_of_the_call() -> None:
    async def main() -> None:
        def fails() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await asyncio.to_thread(fails)

    run(main)


def test_a_thread_that_waits_for_the_real_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "BLOCKED_MAX_S", 0.01)
    event = threading.Event()

    async def main() -> None:
        with pytest.raises(BlockingCallRefused, match=r"Event\.wait was blocked"):
            await asyncio.to_thread(event.wait)

    run(main)
    event.set()


def test_what_would_block_the_loop_is_refused_with_the_way_out() -> None:
    async def main() -> None:
        with pytest.raises(BlockingCallRefused, match=r"use await asyncio\.sleep\(5\)"):
            time.sleep(5)  # noqa: ASYNC251  # as a tool does
        with pytest.raises(BlockingCallRefused, match=r"use asyncio\.to_thread"):
            threading.Thread(target=print).start()
        for wait in (threading.Event().wait, queue.Queue[int]().get):
            with pytest.raises(BlockingCallRefused, match="use those of asyncio"):
                wait(timeout=0.2)

    run(main)


def test_a_thread_stands_while_its_process_is_paused_and_ends_with_it() -> None:
    world, ticks = World(), list[float]()

    def works() -> None:
        while True:
            time.sleep(1)
            ticks.append(world.loop.time())

    operator = world.start("operator", lambda: asyncio.to_thread(works))

    async def main() -> None:
        await asyncio.sleep(1.5)
        operator.pause()
        await asyncio.sleep(3)
        operator.resume()
        await asyncio.sleep(1)
        operator.kill()
        await asyncio.sleep(5)

    with real_clocks_patched():
        world.run(main())

    assert ticks == [1, 4.5, 5.5]


def test_a_call_that_is_cancelled_before_it_starts_is_not_made() -> None:
    called = list[int]()

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor(None, called.append, 1).cancel()
        await asyncio.sleep(1)

    run(main)

    assert called == []
