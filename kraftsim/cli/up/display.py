"""Chooses what `kraftsim up` shows while it runs: a live page, or only commands to try next."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

from ...api.cluster import Cluster
from .drawing import can_draw


@asynccontextmanager
async def shown(kraft: Cluster, arguments: argparse.Namespace) -> AsyncIterator[None]:
    """Shows the running cluster until the block ends.

    Shows a live page if stdout is a terminal that can draw it, except with JSON lines as a log;
    otherwise prints the next steps to stderr, if that is a terminal.
    """
    is_live = arguments.log_format == "text" and can_draw()
    if not is_live and not sys.stderr.isatty():
        yield
        return
    from .next_steps import TITLE, next_steps

    steps = next_steps(kraft, arguments.token_file)
    if is_live:
        # In another thread: rich takes 0.1 s to import, and the cluster serves meanwhile.
        module = await asyncio.to_thread(import_module, f"{__package__}.screen")
        async with module.live_page(kraft, steps):
            yield
    else:
        print(TITLE, *(f"  {step}" for step in steps), sep="\n", file=sys.stderr)
        yield
