"""Runs the asyncio code of a test, and of its fixtures, in a simulated loop."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from ..simulated_loop.real_clocks import real_clocks_patched
from ..simulated_loop.runner import new_loop
from .keys import CLOCKS, SEED
from .requested import refuse, requested_options, requested_scope


@contextmanager
def simulated(test: pytest.Item) -> Iterator[None]:
    """Context manager: event loops that are made are simulated, and chance is of the test's seed.

    Both plugins that run asyncio tests make a loop for a test as it is set up. The clocks stay
    replaced afterwards, for further such tests, until `restore_clocks`.
    """
    requested_options(test)
    if requested_scope(test) != "function":
        refuse('loop="simulated": expected scope="function", because the loop lives for one test')
    _replace_clocks(test.config, test.stash[SEED])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.events, "new_event_loop", new_loop)
        patch.setattr(asyncio, "new_event_loop", new_loop)
        yield


def _replace_clocks(config: pytest.Config, seed: int) -> None:
    if CLOCKS in config.stash:
        begin_run: Callable[[int], None] = config.stash[CLOCKS][1]
        begin_run(seed)
        return
    ending = ExitStack()
    config.stash[CLOCKS] = (ending, ending.enter_context(real_clocks_patched(seed)))


def restore_clocks(config: pytest.Config) -> None:
    """Puts the real clocks back."""
    ending, _ = config.stash[CLOCKS]
    del config.stash[CLOCKS]
    ending.close()
