"""Counts the passes of the event loop that others have while something works."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def passes_during(work: Coroutine[Any, Any, T]) -> tuple["asyncio.Task[T]", int]:
    """Runs `work` to its end; returns its task, and the passes in which others had a turn."""
    task, passes = asyncio.ensure_future(work), 0
    while not task.done():
        await asyncio.sleep(0)
        passes += 1
    return task, passes
