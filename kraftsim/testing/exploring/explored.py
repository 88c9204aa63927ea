"""What an explored seed showed about its test, in the reports of pytest.

A worker of xdist sends its reports to the process that writes the summary, so that they have plain
values.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import pytest

from ..requested import explored_seed

ATTRIBUTE = "kraft_explored"


class Failure(NamedTuple):
    """What two runs that fail in the same way have in common."""

    exception: str
    place: str


@dataclass(slots=True)
class Explored:
    """One seed of a test: its failure, or None if it passed.

    `faults` took part in a failure, of which it needs `needs`; None: not known. It came at `at_us`
    of the cluster's time.
    """

    test: str
    seed: int
    failure: Failure | None = None
    faults: int = 0
    needs: int | None = None
    at_us: int = 0

    @property
    def length(self) -> tuple[float, int, int]:
        """What makes one failure shorter than another: faults first, then time."""
        needs = float("inf") if self.faults and self.needs is None else float(self.needs or 0)
        return needs, self.at_us, self.seed


def test_name(test: pytest.Item) -> str:
    """Returns the node id of a test without its seed."""
    seed = explored_seed(test)
    return test.nodeid.replace(f"[seed {seed}]", "").replace(f"[seed {seed}-", "[")


def put(report: pytest.TestReport, explored: Explored) -> None:
    """Writes what a seed showed into a report of its test."""
    failure = explored.failure and list(explored.failure)
    setattr(report, ATTRIBUTE, {**asdict(explored), "failure": failure})


def explored_of(reports: Iterable[Any]) -> Iterator[Explored]:
    """Yields what the reports say, each seed of a test once."""
    seen: set[tuple[str, int]] = set()
    for report in reports:
        values = getattr(report, ATTRIBUTE, None)
        if values is not None and (values["test"], values["seed"]) not in seen:
            seen.add((values["test"], values["seed"]))
            failure = values["failure"] and Failure(*values["failure"])
            yield Explored(**{**values, "failure": failure})
