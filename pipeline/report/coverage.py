"""Computes the coverage of a campaign, and the chance that the next run shows something new."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..analysis.statistics import counted, expected_new, share_of
from ..analysis.views import Query, sql
from .findings import Coverage

Row = Mapping[str, Any]


def coverage_of(seeds: tuple[int, int], query: Query) -> tuple[Coverage, ...]:
    """Returns the coverage of each scenario, for the seeds from the first to before the second.

    New kinds in the second half of the seeds are compared with the prediction from the first half.
    """
    middle = sum(seeds) // 2
    late = {row["scenario"]: row["runs"] for row in query(sql("surprises", middle=middle))}
    halves = {row["scenario"]: row for row in query(sql("halves", middle=middle))}
    kinds = query(sql("kinds", middle=middle))
    return tuple(
        _coverage(scenario, list(rows), halves[scenario], late.get(scenario, 0))
        for scenario, rows in groupby(kinds, key=lambda row: str(row["scenario"]))
    )


def _coverage(scenario: str, kinds: Sequence[Row], half: Row, late: int) -> Coverage:
    runs, early = half["runs"], half["early_runs"]
    once = [kind for kind in kinds if kind["runs"] == 1]
    early_once = [kind for kind in kinds if kind["early_runs"] == 1]
    early_twice = sum(1 for kind in kinds if kind["early_runs"] == 2)
    return Coverage(
        scenario=scenario,
        runs=runs,
        kinds=len(kinds),
        seen_once=len(once),
        curve=_curve(kinds, half),
        next_is_new=share_of(len({row["a_run"] for row in once}), runs),
        new_a_run=len(once) / runs,
        first_half=share_of(len({row["an_early_run"] for row in early_once}), early),
        second_half=share_of(late, runs - early),
        expected_kinds=expected_new(len(early_once), early_twice, early, runs - early),
        found_kinds=sum(1 for kind in kinds if not kind["early_runs"]),
    )


def _curve(kinds: Sequence[Row], half: Row) -> tuple[tuple[int, int], ...]:
    """Returns the number of kinds after each seed that showed a new kind, and after all runs."""
    first, last = half["first_seed"], half["last_seed"]
    runs_a_seed = half["runs"] / (last - first + 1)
    new_kinds = counted(kind["first_seed"] for kind in kinds)
    points, total = [(0, 0)], 0
    for seed in sorted(new_kinds):
        total += new_kinds[seed]
        points.append((round((seed - first + 1) * runs_a_seed), total))
    return (*points, (half["runs"], total))
