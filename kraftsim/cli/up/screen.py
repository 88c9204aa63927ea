"""Draws the live page on the terminal, until the service ends."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from rich.console import Console
from rich.live import Live

from ...api.cluster import Cluster
from .drawing import is_in_foreground
from .log_lines import LogLines, kept_log_lines
from .overview import Observer, Overview
from .page import page
from .terminal_stream import terminal_stream

REDRAW_S = 0.5


@asynccontextmanager
async def live_page(kraft: Cluster, steps: Sequence[str]) -> AsyncIterator[None]:
    """Draws the page every REDRAW_S until the block ends, then restores the terminal."""
    observer, ending = Observer(kraft), asyncio.Event()
    with kept_log_lines() as log_lines, terminal_stream() as stream:
        screen = Live(
            console=Console(file=stream),
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        drawing = asyncio.create_task(_draw(screen, observer, log_lines, steps, ending))
        try:
            yield
        finally:
            ending.set()
            await drawing
            observer.close()


async def _draw(
    screen: Live,
    observer: Observer,
    log_lines: LogLines,
    steps: Sequence[str],
    ending: asyncio.Event,
) -> None:
    """Draws the page in another thread, because a terminal that is stopped delays its writers.

    Returns early if the terminal is gone; the service goes on without it.
    """
    asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, _suspend, screen)
    with suppress(OSError), screen:
        while not ending.is_set():
            height = screen.console.height
            overview = observer.overview(log_lines.newest(height), brokers_max=height)
            await asyncio.to_thread(_draw_once, screen, overview, steps)
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), REDRAW_S)


def _draw_once(screen: Live, overview: Overview, steps: Sequence[str]) -> None:
    if is_in_foreground():
        screen.start()  # again, after Ctrl-Z and `fg`
        screen.update(page(overview, steps, *screen.console.size), refresh=True)


def _suspend(screen: Live) -> None:
    """Restores the terminal before Ctrl-Z stops this process."""
    screen.stop()
    os.kill(os.getpid(), signal.SIGSTOP)
