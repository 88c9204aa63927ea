"""Long lists in slices, between which the event loop runs other tasks."""

import asyncio
from collections.abc import Iterable
from typing import TypeVar

ITEMS_AT_ONCE = 200  # takes a few milliseconds to view or to encode as JSON

T = TypeVar("T")


async def in_slices(items: Iterable[T]) -> list[T]:
    """Returns the items as a list; what `items` reads must not change meanwhile."""
    found: list[T] = []
    for item in items:
        found.append(item)
        if len(found) % ITEMS_AT_ONCE == 0:
            await asyncio.sleep(0)
    return found
