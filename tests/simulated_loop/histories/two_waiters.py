"""One task waits for a second again and again, another one for a minute; both draw as they wake."""

import asyncio
import random

from kraftsim import Cluster

from .events import Rows, events_of


async def history(seed: int) -> Rows:
    """Returns when each waiter went on, and the cluster's events."""
    async with Cluster(brokers=3, controllers=3, seed=seed) as kraft:
        woken: Rows = []
        began = asyncio.get_running_loop().time()

        async def wait(name: str, duration: str, times: int) -> None:
            for _ in range(times):
                await kraft.clock.sleep(duration)
                after_s = round(asyncio.get_running_loop().time() - began, 6)
                woken.append((name, after_s, random.random()))

        await asyncio.gather(wait("long", "60s", 1), wait("short", "1s", 59))
        short = [("short", second) for second in range(1, 60)]
        assert [row[:2] for row in woken] == [*short, ("long", 60)], woken
        return woken + await events_of(kraft)
