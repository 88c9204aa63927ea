"""Progress and time limit of `kraftsim scenario shrink`."""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..output import is_data
from ..progress import Progress


@contextmanager
def shrinking(arguments: argparse.Namespace, name: str) -> Iterator[Callable[[], bool]]:
    """Yields a function that is called before every run of the search for a smaller scenario.

    It prints how many runs there were, and returns False once --time-limit is over.
    """
    ends_s: float = time.monotonic() + arguments.time_limit
    progress = Progress(is_enabled=not is_data(arguments))
    runs = 0

    def may_go_on() -> bool:
        nonlocal runs
        runs += 1
        remaining_s = ends_s - time.monotonic()
        progress.write(f"shrink {name}: run {runs:,}, {max(remaining_s, 0):.0f} s left at most")
        return remaining_s > 0

    try:
        yield may_go_on
    finally:
        progress.clear()
