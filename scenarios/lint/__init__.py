"""What can be said against a scenario without running it, beyond what reading it says.

`names.py`: words that stand for something that is not there; `nodes.py`: nodes, racks and topics
that there are not; `kinds.py`: brokers where controllers are meant; `reach.py`: what never comes
about; `budget.py`: faults that no claim survives.
"""

from collections.abc import Iterator

from ..plan import expand, settings_of
from ..reading import Problem
from ..scenario import Scenario
from ..smoke import in_small
from . import budget, kinds, names, nodes, reach

SEED = 1  # any one: what is complained of does not depend on draws, but for times that are drawn


def complaints(scenario: Scenario) -> Iterator[str]:
    """One sentence each."""
    try:
        settings_of(scenario)
        yield from names.complaints(scenario)
        yield from _of_run(scenario)
    except Problem as problem:
        yield str(problem)
        return
    if scenario.smoke:
        yield from (f"smoke: {complaint}" for complaint in _of_smoke(scenario))


def _of_smoke(scenario: Scenario) -> Iterator[str]:
    try:
        yield from _of_run(in_small(scenario))
    except Problem as problem:
        yield str(problem).removeprefix("smoke: ")


def _of_run(scenario: Scenario) -> Iterator[str]:
    plan = expand(scenario, SEED)
    yield from nodes.complaints(scenario)
    yield from kinds.complaints(scenario)
    yield from reach.complaints(plan)
    yield from budget.complaints(scenario, plan)
