"""A service that runs for a month does not grow: neither its log, its events nor its snapshots."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from kraftsim import Cluster

pytestmark = pytest.mark.slow

DAY_US = 24 * 3600 * 1_000_000
SLOWED = {  # thirty times fewer records and heartbeats, so that a month takes seconds
    "metadata.max.idle.interval.ms": 60_000,
    "broker.heartbeat.interval.ms": 60_000,
    "broker.session.timeout.ms": 300_000,
}


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def used_bytes() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.parametrize("dead_controllers", [0, 1])
async def test_memory_is_the_same_after_a_week_and_after_a_month(
    traced: None, dead_controllers: int
) -> None:
    """A controller that stays dead keeps its log on its disk, and nobody keeps it for it."""
    async with Cluster(
        brokers=1, controllers=3, clock="virtual", seed=1, settings=SLOWED
    ) as kraft:
        for node_id in list(kraft.world.controllers)[:dead_controllers]:
            await kraft.kill_controller(node_id)

        async def days(count: int) -> int:
            for _ in range(count):
                await kraft.restart(1)
                await kraft.advance("24h")
            return used_bytes()

        after_a_week = await days(7)
        after_a_month = await days(23)

    assert after_a_month < 1.05 * after_a_week
