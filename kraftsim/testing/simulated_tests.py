"""Runs the asyncio code of a test, and of its fixtures, in a simulated loop."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ..simulated_loop.real_clocks import real_clocks_patched
from ..simulated_loop.runner import new_loop
from .keys import SEED
from .requested import refuse, requested_options, requested_scope


@contextmanager
def simulated(test: pytest.Item) -> Iterator[None]:
    """Context manager: event loops that are made are simulated, and chance is of the test's seed.

    Both plugins that run asyncio tests make a loop for a test as it is set up.
    """
    requested_options(test)
    if requested_scope(test) != "function":
        refuse('loop="simulated": expected scope="function", because the loop lives for one test')
    with real_clocks_patched(test.stash[SEED]), pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.events, "new_event_loop", new_loop)
        patch.setattr(asyncio, "new_event_loop", new_loop)
        yield
