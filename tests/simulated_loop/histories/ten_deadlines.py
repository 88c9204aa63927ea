"""Ten tasks wait for one moment, and then change the cluster."""

import asyncio
import random

from kraftsim import Cluster

from .events import Rows, events_of


async def history(seed: int) -> Rows:
    """Returns the tasks in the order in which they went on, what they drew, and the events."""
    async with Cluster(brokers=3, controllers=3, seed=seed) as kraft:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + 10
        woken: Rows = []

        async def wait(number: int) -> None:
            await asyncio.sleep(deadline - loop.time())
            woken.append((number, loop.time() == deadline, random.random()))
            await kraft.topics.create(f"topic-{number}", partitions=2, replication_factor=2)
            await kraft.brokers.restart(random.randint(1, 3))

        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(wait(number))
        await asyncio.sleep(20)
        assert [row[:2] for row in woken] == [(number, True) for number in range(10)], woken
        return woken + await events_of(kraft)
