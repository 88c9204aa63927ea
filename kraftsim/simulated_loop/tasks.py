"""Tasks and futures whose order in a set is that of their creation.

asyncio keeps tasks in sets, by their addresses, which differ from process to process; so would the
order in which `asyncio.wait` and task groups cancel them.
"""

import asyncio
from pathlib import Path
from typing import Any

OF_ASYNCIO = Path(asyncio.__file__).parent


class StableFuture(asyncio.Future[Any]):
    """A future of a simulated loop, whose hash is a serial number."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop, serial: int) -> None:
        super().__init__(loop=loop)
        self.serial = serial

    def __hash__(self) -> int:
        return self.serial


class StableTask(asyncio.Task[Any]):
    """A task of a simulated loop, whose hash is a serial number."""

    def __init__(self, coroutine: Any, *, serial: int, **options: Any) -> None:
        self.serial = serial  # first: an eager task runs before it is made
        super().__init__(coroutine, **options)

    def __hash__(self) -> int:
        return self.serial


def waits_in(task: "asyncio.Task[Any]") -> str:
    """Returns the name of the function in which a task waits, and the place that called asyncio."""
    awaited: Any = task.get_coro()
    name, place = "?", ""
    while awaited is not None:
        name = getattr(awaited, "__name__", name)
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None and Path(frame.f_code.co_filename).parent != OF_ASYNCIO:
            place = f" ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return name + place
