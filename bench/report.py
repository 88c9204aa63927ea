"""One line a figure: ours, the peer's, their ratio, what was aimed for."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BEGIN, END = "<!-- written by make bench -->\n", "<!-- to here -->\n"


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    goal: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return self.name, self.ours, self.peer, ratio, self.goal


def print_rows(rows: Iterable[Row]) -> list[Row]:
    """Each when it is known; returns them."""
    printed = []
    for row in rows:
        name, ours, peer, ratio, goal = row.cells
        print(f"{name:<52} {ours:<26} {peer:<14} {ratio:<6} {goal}", flush=True)
        printed.append(row)
    return printed


def write_rows(page: Path, heads: tuple[str, ...], rows: list[Row]) -> None:
    """As the table of a document, between its two marks."""
    before, mark, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise RuntimeError(f"{page}: expected {BEGIN.strip()} and {END.strip()}")
    lines = [heads, ("---",) * len(heads), *(row.cells for row in rows)]
    table = "".join(f"| {' | '.join(one)} |\n" for one in lines)
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")
