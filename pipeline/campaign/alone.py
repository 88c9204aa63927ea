"""One process at a time in a folder: two would remove or overwrite each other's files."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .plan import PlanError

LOCK = ".lock"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Takes an exclusive lock on the folder.

    Raises PlanError if another process holds it, or if the folder cannot be written.
    """
    try:
        number = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise PlanError(f"{folder}: {error.strerror}") from None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise PlanError(
            f"{folder}: another process works in this folder: wait for it, or interrupt it"
        ) from None
    try:
        yield
    finally:
        fcntl.flock(number, fcntl.LOCK_UN)  # a forked process has the file too, and ends later
        os.close(number)
