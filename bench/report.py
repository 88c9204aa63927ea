"""Rows of figures: kraftsim's, the peer's, their ratio, and the goal."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BEGIN, END = "<!-- written by make bench -->\n", "<!-- to here -->\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark's results.

    `figure` is kraftsim's, `peer` that of the compared program, `ratio` how they compare, `goal`
    the expected figure or ratio.
    """

    name: str
    figure: str
    peer: str = ""
    ratio: float | None = None
    goal: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the row as texts."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return self.name, self.figure, self.peer, ratio, self.goal


def print_rows(rows: Iterable[Row]) -> list[Row]:
    """Prints each row as soon as it is known; returns all rows."""
    printed = []
    for row in rows:
        name, figure, peer, ratio, goal = row.cells
        print(f"{name:<52} {figure:<26} {peer:<14} {ratio:<6} {goal}", flush=True)
        printed.append(row)
    return printed


def write_rows(page: Path, heads: tuple[str, ...], rows: list[Row]) -> None:
    """Writes the rows as a table between the two marks of a document."""
    before, mark, after_mark = page.read_text("utf-8").partition(BEGIN)
    _, end, after = after_mark.partition(END)
    if not mark or not end:
        raise RuntimeError(f"{page}: expected {BEGIN.strip()} and {END.strip()}")
    lines = [heads, ("---",) * len(heads), *(row.cells for row in rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")
