"""Keeps lines of the log while a page covers the terminal, and prints them after it."""

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

LINES_MAX = 1000


class LogLines(logging.Handler):
    """A handler that keeps the newest LINES_MAX lines of the log."""

    def __init__(self) -> None:
        super().__init__()
        self.records: deque[logging.LogRecord] = deque(maxlen=LINES_MAX)

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps the line."""
        self.records.append(record)

    def newest(self, count: int) -> list[str]:
        """Returns time and message of the newest lines, at most `count`, the newest last."""
        return [
            f"{clock_time(record.created * 1000)}  {record.getMessage()}"
            for record in list(self.records)[-count:]
        ]


@contextmanager
def kept_log_lines() -> Iterator[LogLines]:
    """Keeps the lines of the log from the terminal of stderr until the block ends.

    If stderr is a file or a pipe, the lines go there as before.
    """
    lines, root = LogLines(), logging.getLogger()
    replaced = [
        handler
        for handler in root.handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream.isatty()
    ]
    for handler in replaced:
        lines.filters += handler.filters
        root.removeHandler(handler)
        root.addHandler(lines)
    try:
        yield lines
    finally:
        root.removeHandler(lines)
        for handler in replaced:
            root.addHandler(handler)
            for record in lines.records:
                handler.emit(record)


def clock_time(time_ms: float) -> str:
    """Formats milliseconds since the epoch as local time of day, which leaves room."""
    return datetime.fromtimestamp(time_ms / 1000).strftime("%H:%M:%S")
