"""The terminal: text that fits its width, colours of states, and times for people."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

NARROW = 100  # columns; on a narrower terminal, times in lines are short
GAP = "  "  # between two columns
COLUMN_MIN = 4  # characters of a column, if no other way makes a row fit

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
    # lines of a story
    "fault_begins": YELLOW,
    "fault_ends": YELLOW,
    "lease_expired": RED,
    "broker_fenced": RED,
    "leaderless": RED,
    "broker_unfenced": GREEN,
    "controller_elected": GREEN,
    # findings of `doctor`, and verdicts
    "ok": GREEN,
    "warn": YELLOW,
    "pass": GREEN,
    "fail": RED,
    "vacuous": YELLOW,
}


def width() -> int | None:
    """Returns the columns of the terminal; None if stdout is no terminal, so without a limit."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def is_narrow() -> bool:
    """True on a terminal of less than NARROW columns."""
    columns = width()
    return columns is not None and columns < NARROW


def print_wrapped(text: str, *, indent: int, is_wide: bool = False, state: str = "") -> None:
    """Prints a line; what a terminal has no room for goes to further lines, which are indented.

    With `is_wide` and off a terminal the line is printed as it is. The `state` chooses the colour.
    """
    columns = None if is_wide else width()
    lines = [text]
    if columns is not None and len(text) > columns:
        from textwrap import wrap

        lines = wrap(text, columns, subsequent_indent=" " * indent, break_on_hyphens=False)
    print(*(coloured(line, state) for line in lines), sep="\n", flush=True)


def fitted(
    widths: Mapping[str, int], least: Mapping[str, int], drops: Sequence[str], room: int
) -> dict[str, int]:
    """Returns the columns of a table, and their widths, with which a row has at most `room`.

    Drops columns in the order of `drops` until the `least` widths of the others have room. Then
    shortens the widest column again and again: down to its least width, if possible.
    """
    shown = list(widths)
    for key in drops:
        if row_width(least[left] for left in shown) <= room:
            break
        shown.remove(key)
    found = {key: widths[key] for key in shown}
    for floors in (least, dict.fromkeys(shown, COLUMN_MIN)):
        while row_width(found.values()) > room:
            cut = [key for key in found if found[key] > floors[key]]
            if not cut:
                break
            found[max(cut, key=found.__getitem__)] -= 1
    return found


def row_width(widths: Iterable[int]) -> int:
    """Returns the characters of a row with columns of these widths."""
    sizes = list(widths)
    return sum(sizes) + len(GAP) * (len(sizes) - 1)


def coloured(cell: str, state: str) -> str:
    """Returns the cell in the colour of the state, on a terminal and without NO_COLOR.

    If a cell has several states, the first one chooses the colour.
    """
    colour = COLOURS.get(state.partition(",")[0])
    if colour is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return cell
    return f"\x1b[{colour}m{cell}\x1b[0m"


def clock_text(time_ms: int, *, utc: bool, is_short: bool = False) -> str:
    """Formats milliseconds since the epoch as local clock time, or as UTC, which ends with Z.

    With `is_short` without year and milliseconds: "11-22 23:54:10".
    """
    moment = datetime.fromtimestamp(time_ms / 1000, UTC if utc else None).replace(tzinfo=None)
    text = f"{moment:%m-%d %H:%M:%S}" if is_short else moment.isoformat(timespec="milliseconds")
    return f"{text}Z" if utc else text
