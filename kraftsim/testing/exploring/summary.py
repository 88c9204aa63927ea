"""What pytest prints at the end about explored tests: equal failures once, and counts of seeds."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from ..failure_report import TITLE
from .explored import Explored, Failure, explored_of

SHOWN_MAX = 40  # seeds in one line
FAILURES = ("failed", "error")


@contextmanager
def folded(reporter: Any) -> Iterator[None]:
    """Context manager: of equal failures, the reporter has the shortest one, with all seeds."""
    before = {name: reporter.stats.get(name, []) for name in FAILURES}
    alike = _alike([report for reports in before.values() for report in reports])
    shown = {}
    for (test, _), seeds in alike.items():
        shortest = min(seeds, key=lambda explored: explored.length)
        shown[test, shortest.seed] = [explored.seed for explored in seeds]
    try:
        for name, reports in before.items():
            if reports:
                reporter.stats[name] = [of for of in reports if _is_shown(of, shown)]
        yield
    finally:
        reporter.stats.update({name: reports for name, reports in before.items() if reports})


def _alike(reports: Sequence[Any]) -> dict[tuple[str, Failure], list[Explored]]:
    """Returns the seeds that fail alike, for each failure of each test."""
    alike: dict[tuple[str, Failure], list[Explored]] = {}
    for explored in explored_of(reports):
        if explored.failure is not None:
            alike.setdefault((explored.test, explored.failure), []).append(explored)
    return alike


def _is_shown(report: Any, shown: dict[tuple[str, int], list[int]]) -> bool:
    """Returns True for a report that is shown; it gets the seeds that fail alike."""
    explored = next(explored_of([report]), None)
    if explored is None or explored.failure is None:
        return True
    seeds = shown.get((explored.test, explored.seed))
    if seeds is not None and len(seeds) > 1:
        report.sections[:] = [
            (title, f"{text}\nfails alike: seeds {_listed(seeds)}" if title == TITLE else text)
            for title, text in report.sections
        ]
    return seeds is not None


def summary_lines(reporter: Any) -> Iterator[str]:
    """Yields a line for each explored test."""
    reports = (of for name in (*FAILURES, "passed") for of in reporter.stats.get(name, []))
    found = sorted(explored_of(reports), key=lambda explored: (explored.test, explored.seed))
    for test, seeds in groupby(found, key=lambda explored: explored.test):
        yield f"{test}: {_text([*seeds])}"


def _text(seeds: Sequence[Explored]) -> str:
    failed = [explored for explored in seeds if explored.failure is not None]
    passed = [explored.seed for explored in seeds if explored.failure is None]
    if not failed:
        return f"all {len(seeds)} seeds pass"
    parts = [f"{len(failed)} of {len(seeds)} seeds fail"]
    if any(explored.faults for explored in failed):
        without = [explored for explored in failed if not explored.faults or explored.needs == 0]
        parts.append(f"{len(without)} need no fault")
    parts.append(f"shortest: seed {min(failed, key=lambda explored: explored.length).seed}")
    parts.append(f"pass: {_listed(passed)}")
    return "; ".join(parts)


def _listed(seeds: Sequence[int]) -> str:
    """Returns seeds in a line: runs of them as 4-9."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and runs[-1][1] == seed - 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    texts = [f"{a}" if a == b else f"{a}, {b}" if b == a + 1 else f"{a}-{b}" for a, b in runs]
    left = len(texts) - SHOWN_MAX
    more = f" and {left} more" if left > 0 else ""
    return (", ".join(texts[:SHOWN_MAX]) or "none") + more
