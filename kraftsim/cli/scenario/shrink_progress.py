"""The budget of `kraftsim scenario shrink`, its progress, and the file that it writes."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import CommandError, UsageError
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


def new_path(out: Path | None, stem: str) -> Path:
    """Returns the path of the file to write: `out`, or the first of STEM.yaml that is free.

    Raises UsageError if `out` exists, or if its folder does not.
    """
    if out is None:
        names = chain([f"{stem}.yaml"], (f"{stem}-{number}.yaml" for number in count(2)))
        return next(path for path in map(Path, names) if not path.exists())
    if out.exists():
        raise UsageError(f"--out: expected a file that does not exist, got {out}")
    if not out.parent.is_dir():
        raise UsageError(f"--out: expected a file in a folder that exists, got {out}")
    return out


def write_new(path: Path, text: str) -> None:
    """Writes a new file; raises CommandError if it was created meanwhile."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(f"{path} exists already: give another name with --out") from None


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
