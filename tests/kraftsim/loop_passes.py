"""Passes of the event loop: to let others run, and to count those that others have."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def others_run(passes: int = 1) -> None:
    """Lets the event loop make some passes, for what nobody announces."""
    for _ in range(passes):
        await asyncio.sleep(0)


async def passes_during(work: Coroutine[Any, Any, T]) -> tuple["asyncio.Task[T]", int]:
    """Runs `work` to its end; returns its task, and the passes in which others had a turn."""
    task, passes = asyncio.ensure_future(work), 0
    while not task.done():
        await others_run()
        passes += 1
    return task, passes
