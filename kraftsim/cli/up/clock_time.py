"""Times of day on the live page, where a date would take the room of other columns."""

from datetime import datetime


def clock_time(time_ms: float) -> str:
    """Formats milliseconds since the epoch as local time of day."""
    return datetime.fromtimestamp(time_ms / 1000).strftime("%H:%M:%S")
