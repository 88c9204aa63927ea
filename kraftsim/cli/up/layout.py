"""Shares the lines of a terminal between the sections of the live page."""

from collections.abc import Sequence
from dataclasses import dataclass

FRAME = 2  # lines of a section besides its rows: its heading, and the empty line after it


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: how many rows it has, and how many it needs before others get more."""

    rows: int
    least: int


def shares(lines: int, sections: Sequence[Section]) -> Sequence[int]:
    """Returns the number of rows of each section, which take at most `lines` with their frames.

    Every section first gets its least rows, in order of the sections, then its further rows. A
    section without a row takes no line.
    """
    shares = [0 for _ in sections]
    for number, section in enumerate(sections):
        rows = min(section.rows, section.least, max(lines - FRAME, 0))
        if rows:
            shares[number] = rows
            lines -= rows + FRAME
    for number, section in enumerate(sections):
        if shares[number]:
            more = min(section.rows - shares[number], max(lines, 0))
            shares[number] += more
            lines -= more
    return shares
