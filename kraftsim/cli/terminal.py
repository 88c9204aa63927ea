"""The terminal: its width, colours of states, and times for people."""

import os
import shutil
import sys
from datetime import UTC, datetime

RED, GREEN, YELLOW = 31, 32, 33
COLOURS = {
    "unfenced": GREEN,
    "RUNNING": GREEN,
    "LEADER": GREEN,
    "fenced": RED,
    "damaged": RED,
    "unregistered": RED,
    "NOT_RUNNING": RED,
    "PAUSED": YELLOW,
    "STARTING": YELLOW,
    "RECOVERY": YELLOW,
    "PENDING_CONTROLLED_SHUTDOWN": YELLOW,
    "SHUTTING_DOWN": YELLOW,
    "in_controlled_shutdown": YELLOW,
}


def width() -> int | None:
    """Returns the columns of the terminal; None if stdout is no terminal, so without a limit."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def coloured(cell: str, state: str) -> str:
    """Returns the cell in the colour of the state, on a terminal and without NO_COLOR.

    If a cell has several states, the first one chooses the colour.
    """
    colour = COLOURS.get(state.partition(",")[0])
    if colour is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return cell
    return f"\x1b[{colour}m{cell}\x1b[0m"


def clock_text(time_ms: int, *, utc: bool) -> str:
    """Formats milliseconds since the epoch as local clock time, or as UTC, which ends with Z."""
    if utc:
        moment = datetime.fromtimestamp(time_ms / 1000, UTC).replace(tzinfo=None)
        return f"{moment.isoformat(timespec='milliseconds')}Z"
    return datetime.fromtimestamp(time_ms / 1000).isoformat(timespec="milliseconds")
