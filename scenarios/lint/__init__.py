"""Finds mistakes in a scenario without running it, beyond the checks of reading.

`names.py`: unknown names; `nodes.py`: nodes, racks and topics that do not exist; `kinds.py`:
brokers where controllers are expected; `reach.py`: steps that are never done and conditions that
never hold; `tautologies.py`: claims that no run can break; `budget.py`: faults that break a claim
by themselves.
"""

from collections.abc import Iterator

from ..document.plan import expand, settings_of
from ..document.scenario import Scenario
from ..document.smoke import in_small
from ..language.reading import Problem
from . import budget, kinds, names, nodes, reach, tautologies

SEED = 1  # any seed: complaints do not depend on draws, except on drawn times


def complaints(scenario: Scenario) -> Iterator[Problem]:
    """Yields the mistakes of a scenario, each with its position in the document."""
    try:
        settings_of(scenario)
        yield from names.complaints(scenario)
        yield from _of_run(scenario)
    except Problem as problem:
        yield problem
        return
    if scenario.smoke:
        yield from _of_smoke(scenario)


def _of_smoke(scenario: Scenario) -> Iterator[Problem]:
    try:
        small = in_small(scenario)
    except Problem as problem:
        yield problem
        return
    yield from (Problem(("smoke", *problem.path), problem.what) for problem in _of_small(small))


def _of_small(small: Scenario) -> Iterator[Problem]:
    try:
        yield from _of_run(small)
    except Problem as problem:
        yield problem


def _of_run(scenario: Scenario) -> Iterator[Problem]:
    plan = expand(scenario, SEED)
    yield from nodes.complaints(scenario)
    yield from kinds.complaints(scenario)
    yield from reach.complaints(plan)
    yield from tautologies.complaints(scenario)
    yield from budget.complaints(scenario, plan)
