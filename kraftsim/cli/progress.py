"""Progress of a long run: one line rewritten in place on a terminal, occasional lines in a log."""

import os
import sys
import time
from typing import TextIO

INTERVAL_S = 1.0  # seconds between updates, and before the first one
INTERVAL_OF_LOGS_S = 30.0  # the same if stderr is not a terminal
WIDTH_MAX = 79


def _width_of(stream: TextIO) -> int:
    """Returns the width of the line: one column less than the terminal, at most WIDTH_MAX."""
    try:
        return min(WIDTH_MAX, os.get_terminal_size(stream.fileno()).columns - 1)
    except (OSError, ValueError):  # the stream is no terminal
        return WIDTH_MAX


class Progress:
    """Prints progress at most once per second on a terminal, at most once per 30 s in a log.

    Prints nothing unless `is_enabled`.
    """

    def __init__(self, *, is_enabled: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_enabled = is_enabled
        self._is_terminal = self._stream.isatty()
        self._interval_s = INTERVAL_S if self._is_terminal else INTERVAL_OF_LOGS_S
        self._updated_s = time.monotonic()
        self._is_shown = False
        self._width = _width_of(self._stream)

    def write(self, line: str) -> None:
        """Prints the line, unless the last update was too recent."""
        now_s = time.monotonic()
        if not self._is_enabled or now_s - self._updated_s < self._interval_s:
            return
        self._updated_s = now_s
        if self._is_terminal:
            self._is_shown = True
            self._write(f"\r{line[: self._width].ljust(self._width)}\r")
        else:
            self._write(f"{line}\n")

    def clear(self) -> None:
        """Removes the line from the terminal before the result is printed."""
        if self._is_shown:
            self._is_shown = False
            self._write(f"\r{' ' * self._width}\r")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
