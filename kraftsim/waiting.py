"""Waiting until something holds in a world, by the clock or by running time itself."""

import asyncio
from collections.abc import Callable

from kraftsim.scenarios.world import World

VIRTUAL_SLICE_US = 60_000_000  # of a long wait by virtual time; between them others get a turn


async def until_virtual(world: World, condition: Callable[[], bool], limit_us: int) -> bool:
    """Run time itself, in slices, so that a long wait keeps nobody else from being served."""
    end_us = world.timeline.now_us + limit_us
    while (left_us := end_us - world.timeline.now_us) > 0:
        if world.run_until(condition, limit_us=min(left_us, VIRTUAL_SLICE_US)):
            return True
        await asyncio.sleep(0)
    return condition()


async def until_live(world: World, condition: Callable[[], bool], limit_s: float) -> bool:
    """Look again after every event, and once more at the end."""
    happened = asyncio.Event()
    listeners = world.journal.listeners

    def heard(_: object) -> None:
        happened.set()

    listeners.append(heard)
    try:
        async with asyncio.timeout(limit_s):
            while not condition():
                await happened.wait()
                happened.clear()
    except TimeoutError:
        return condition()
    finally:
        listeners.remove(heard)
    return True
