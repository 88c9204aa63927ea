"""How far a long run has come, for somebody who waits at a terminal: one line, written over."""

import sys
import time
from typing import TextIO

PATIENCE_S = 1.0  # what is over by then needs no line
WIDTH = 79


class Progress:
    """Called as often as one likes; says nothing where nobody looks: `is_wanted` and a terminal at
    the other end of stderr."""

    def __init__(self, *, is_wanted: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = is_wanted and self._stream.isatty()
        self._told_s = time.monotonic()
        self._is_there = False

    def tell(self, what: str, now_us: int, end_us: int) -> None:
        """How far virtual time has come."""
        self.say(f"{what}: {now_us / 1e6:.0f} of {end_us / 1e6:.0f} virtual seconds")

    def say(self, line: str) -> None:
        now_s = time.monotonic()
        if self._is_shown and now_s - self._told_s >= PATIENCE_S:
            self._told_s, self._is_there = now_s, True
            self._write(line[:WIDTH].ljust(WIDTH))

    def clear(self) -> None:
        """The line is gone: what comes next is the result."""
        if self._is_there:
            self._is_there = False
            self._write(" " * WIDTH)
        self._told_s = time.monotonic()

    def _write(self, line: str) -> None:
        self._stream.write(f"\r{line}\r")
        self._stream.flush()
