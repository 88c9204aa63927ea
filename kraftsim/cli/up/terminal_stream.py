"""Writes to a terminal that may be stopped, by Ctrl-S or because its window hangs."""

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, cast

STALLED_MS = 500


class TerminalStream(io.TextIOBase):
    """Text for a terminal; drops what the terminal does not take within STALLED_MS.

    A blocked write would keep the process from ending on SIGTERM. `number` is a file descriptor
    that does not block.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._poll = select.poll()
        self._poll.register(number, select.POLLOUT)

    def isatty(self) -> bool:
        """True, as for every terminal."""
        return True

    def fileno(self) -> int:
        """Returns the file descriptor."""
        return self._number

    def write(self, text: str) -> int:
        """Writes the text, or the part of it that the terminal takes; OSError if it is gone."""
        data = text.encode(sys.stdout.encoding, "replace")
        while data and self._poll.poll(STALLED_MS):
            with suppress(BlockingIOError):
                data = data[os.write(self._number, data) :]
        return len(text)


@contextmanager
def terminal_stream() -> Iterator[IO[str]]:
    """Opens the terminal of stdout again until the block ends; OSError if it has no name.

    Its own opening does not block; stdout, which the user's shell shares, stays as it is.
    """
    name = os.ttyname(sys.stdout.fileno())
    number = os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield cast(IO[str], TerminalStream(number))  # typeshed has no IO[str] to inherit from
    finally:
        os.close(number)
