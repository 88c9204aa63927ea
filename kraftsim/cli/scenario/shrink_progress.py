"""The budget of `kraftsim scenario shrink`, and its progress."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import UsageError
from ..output import is_data
from ..progress import Progress

if TYPE_CHECKING:
    from kraftsim.scenarios.shrinking.search import Tries

TRIES = 1_000  # runs of a search


def add_tries(parser: argparse.ArgumentParser) -> None:
    """Adds the option --tries."""
    parser.add_argument(
        "--tries",
        type=int,
        default=TRIES,
        metavar="N",
        help=f"stop shrinking after N runs (default {TRIES:,})",
    )


@contextmanager
def shrinking(arguments: argparse.Namespace, name: str) -> "Iterator[Tries]":
    """Yields the budget of --tries for a search, which prints how many runs there were.

    Raises UsageError for a budget of nothing.
    """
    from kraftsim.scenarios.shrinking.search import Tries

    if arguments.tries < 1:
        raise UsageError(f"--tries: expected 1 or more, got {arguments.tries}")
    progress = Progress(is_enabled=not is_data(arguments))

    def on_try(number: int) -> bool:
        progress.write(f"shrink {name}: run {number:,} of at most {arguments.tries:,}")
        return True

    try:
        yield Tries(arguments.tries, on_try)
    finally:
        progress.clear()
