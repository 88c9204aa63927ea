"""Runs asyncio software in virtual time, from one seed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.world import VIRTUAL_WALL_START_MS

from .hosts import Hosts
from .loop import SimulatedLoop
from .real_clocks import real_clocks_counted, real_clocks_patched
from .tcp import OpenLinks

T = TypeVar("T")
FIRST_PROCESS = "test"


def run(main: Callable[[], Coroutine[Any, Any, T]], *, seed: int = 0, patch: bool = True) -> T:
    """Runs `main()` in a simulated loop, and returns what it returns.

    With `patch`, what asks the real clock or chance gets the time of the loop, and draws from the
    seed (`real_clocks_patched`). Without it, warnings name the lines that asked for them.

    Raises Deadlock if nothing can happen any more, TypeError if `main` is no function, RuntimeError
    where an event loop runs already.
    """
    if not callable(main):
        raise TypeError(f"main: expected a function that returns a coroutine, got {main!r}")
    if asyncio._get_running_loop() is not None:
        raise RuntimeError(
            "simulated_loop.run: expected no running event loop; an asyncio test gets a simulated "
            'one by @pytest.mark.kraft(loop="simulated")'
        )
    with (
        real_clocks_patched(seed) if patch else real_clocks_counted(),
        asyncio.Runner(loop_factory=new_loop) as runner,
    ):
        return runner.run(main())


def new_loop() -> SimulatedLoop:
    """Returns the loop of the first process of a new world, at time 0."""
    timeline = Timeline(wall_start_ms=VIRTUAL_WALL_START_MS)
    return SimulatedLoop(Hosts(timeline, OpenLinks()), FIRST_PROCESS)
