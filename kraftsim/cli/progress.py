"""How far a long run has come: one line, written over; in a log a line now and then."""

import sys
import time
from typing import TextIO

PATIENCE_S = 1.0  # what is over by then needs no line
PATIENCE_OF_LOGS_S = 30.0
WIDTH = 79


class Progress:
    """Called as often as one likes; says nothing where it is not wanted."""

    def __init__(self, *, is_wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_wanted = is_wanted
        self._is_terminal = self._stream.isatty()
        self._patience_s = PATIENCE_S if self._is_terminal else PATIENCE_OF_LOGS_S
        self._told_s = time.monotonic()
        self._is_there = False

    def tell(self, what: str, now_us: int, end_us: int) -> None:
        """How far virtual time has come."""
        self.say(f"{what}: {now_us / 1e6:.0f} of {end_us / 1e6:.0f} virtual seconds")

    def say(self, line: str) -> None:
        now_s = time.monotonic()
        if not self._is_wanted or now_s - self._told_s < self._patience_s:
            return
        self._told_s = now_s
        if self._is_terminal:
            self._is_there = True
            self._write(f"\r{line[:WIDTH].ljust(WIDTH)}\r")
        else:
            self._write(f"{line}\n")

    def clear(self) -> None:
        """The line is gone: what comes next is the result."""
        if self._is_there:
            self._is_there = False
            self._write(f"\r{' ' * WIDTH}\r")
        self._told_s = time.monotonic()

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
