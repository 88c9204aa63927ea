"""Waiting for the first of several things."""

import asyncio
from collections.abc import Coroutine


async def first_of(*waits: Coroutine[object, object, object], limit_s: float | None = None) -> None:
    """Waits until one of the waits is over, at most `limit_s`, and cancels the others."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
