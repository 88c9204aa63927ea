"""The lines of the log: how many, which characters, and as text or JSON.

A client can cause lines with text of its own: it must neither fill a disk nor forge a line.
"""

import logging
import time

from ..printable import printable

LINES_PER_S = 10.0  # of one kind, over a long time
BURST = 50  # lines of one kind at once
REPEAT_S = 10.0  # between two equal lines
TEXTS_MAX = 16  # lines of one kind that are remembered, to find equal ones


class LogLimit(logging.Filter):
    """Drops lines of one kind above LINES_PER_S, and equal lines within REPEAT_S.

    The next line of the kind counts those that were dropped. Lines are of one kind if logger and
    message are equal before their arguments are filled in.
    Control characters in a line are escaped, because arguments come from clients.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[str, object], _Kind] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns True if the line may be written."""
        kind = self._kinds.setdefault((record.name, record.msg), _Kind())
        text = printable(record.getMessage())
        if not kind.admits(text, time.monotonic()):
            return False
        if kind.dropped:
            text += f" ({kind.dropped} similar lines were dropped)"
            kind.dropped = 0
        record.msg, record.args = text, None
        return True


class _Kind:
    """The lines of one kind: how many may be written now, and how many were dropped."""

    def __init__(self) -> None:
        self.dropped = 0
        self._allowance = float(BURST)
        self._last_s = 0.0
        self._written_s: dict[str, float] = {}  # when the newest lines were written, oldest first

    def admits(self, text: str, now_s: float) -> bool:
        if not (self._is_new(text, now_s) and self._is_allowed(now_s)):
            self.dropped += 1
            return False
        self._written_s.pop(text, None)
        self._written_s[text] = now_s
        if len(self._written_s) > TEXTS_MAX:
            del self._written_s[next(iter(self._written_s))]
        return True

    def _is_new(self, text: str, now_s: float) -> bool:
        return text not in self._written_s or now_s - self._written_s[text] >= REPEAT_S

    def _is_allowed(self, now_s: float) -> bool:
        refill = (now_s - self._last_s) * LINES_PER_S
        self._allowance, self._last_s = min(self._allowance + refill, float(BURST)), now_s
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True


class JsonLines(logging.Formatter):
    """Formats a line of the log as a JSON object: time (UTC), level, logger, message, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the object as one line."""
        import json
        from datetime import UTC, datetime

        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        document = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        return json.dumps(document)
