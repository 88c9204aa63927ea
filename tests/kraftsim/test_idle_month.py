"""A service that runs for a month does not grow: neither its log, its events nor its snapshots."""

import gc
import sys

import pytest

from kraftsim import Cluster
from kraftsim.simulation import journal

pytestmark = pytest.mark.slow

GROWTH_MAX = 1.05


def used_blocks() -> int:
    """Returns the number of live memory blocks of the interpreter, which costs nothing to count."""
    gc.collect()
    return sys.getallocatedblocks()


async def used_blocks_after(kraft: Cluster, *durations: str) -> list[int]:
    used = []
    for duration in durations:
        await kraft.clock.advance(duration)
        used.append(used_blocks())
    return used


@pytest.mark.parametrize(
    ("some", "more"), [("24h", "96h"), pytest.param("168h", "552h", marks=pytest.mark.soak)]
)
async def test_an_idle_log_is_as_large_after_some_days_as_after_many(some: str, more: str) -> None:
    """A record every 10 s instead of every 0.5 s, so that a day takes seconds."""
    settings = {"metadata.max.idle.interval.ms": 10_000}
    async with Cluster(brokers=0, clock="virtual", seed=1, settings=settings) as kraft:
        after_some, after_many = await used_blocks_after(kraft, some, more)
    assert after_many < GROWTH_MAX * after_some


async def test_no_log_is_kept_for_a_controller_that_stays_dead() -> None:
    """Its own log stays on its disk; after a start it fetches a snapshot."""
    settings = {"metadata.log.max.snapshot.interval.ms": 60_000}
    async with Cluster(
        brokers=1, controllers=3, clock="virtual", seed=1, settings=settings
    ) as kraft:
        await kraft.controllers.kill(kraft.world.controller.node.config.node_id)
        after_minutes, after_an_hour = await used_blocks_after(kraft, "5m", "55m")
    assert after_an_hour < GROWTH_MAX * after_minutes


async def test_events_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROWS_MAX", 100)
    settings = {"metadata.log.max.snapshot.interval.ms": 60_000}
    async with Cluster(brokers=2, clock="virtual", seed=1, settings=settings) as kraft:

        async def used_after(restarts: int) -> int:
            for _ in range(restarts):
                await kraft.brokers.restart(1)
                await kraft.clock.advance("5s")
            return used_blocks()

        after_some = await used_after(60)
        after_many = await used_after(240)
    assert after_many < GROWTH_MAX * after_some
