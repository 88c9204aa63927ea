"""Durations as users write them: "11s", "250ms", "2m"; a bare number is seconds."""

import re

_UNITS_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}
DURATION_US_MAX = 366 * 24 * 3_600_000_000  # a year, longer than any test or scenario
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(us|ms|s|m|h)?\s*")


def microseconds(duration: str | float) -> int:
    """Returns a duration in microseconds; raises ValueError if it is malformed or above a year."""
    match = _DURATION.fullmatch(str(duration))
    if match is None:
        raise ValueError(f"expected a duration such as 11s, 250ms or 2m, got {duration!r}")
    duration_us = float(match[1]) * _UNITS_US[match[2] or "s"]
    if duration_us > DURATION_US_MAX:
        raise ValueError(f"expected a duration of at most a year, got {str(duration)[:40]!r}")
    return round(duration_us)


def duration_text(duration_us: int) -> str:
    """Returns a duration as `microseconds` reads it, in the largest unit that divides it."""
    for unit in ("h", "m", "s", "ms"):
        if duration_us and duration_us % _UNITS_US[unit] == 0:
            return f"{duration_us // _UNITS_US[unit]}{unit}"
    return f"{duration_us}us" if duration_us else "0s"


def seconds_text(duration_us: int) -> str:
    """Returns a duration in seconds for people, to the millisecond: "10.125 s", "2 s"."""
    return f"{duration_us / 1e6:.3f}".rstrip("0").rstrip(".") + " s"
