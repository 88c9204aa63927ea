"""One line a figure: ours, the peer's, their ratio, what was aimed for."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    goal: str = ""


def print_rows(rows: Iterable[Row]) -> None:
    """Each when it is known."""
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        print(f"{row.name:<52} {row.ours:<26} {row.peer:<14} {ratio:<6} {row.goal}", flush=True)
