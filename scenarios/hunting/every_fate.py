"""Explores every fate of the next messages of a run, from one moment of it.

Each branch is a copy of the run at that moment (`simulation/copying.py`), in which the fates of the
next messages are another combination; then it goes on, and its properties are checked.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from kraftsim.simulation.copying import copied

from ..document.scenario import Scenario
from ..document.step import LimitError
from ..running.run import Run
from ..running.watch import Violation
from .coverage import Coverage
from .fates import Decision, Fate, Fates, following

AFTER_US = 15_000_000  # a branch goes on for more than a broker session (9 s) and an election
WINDOW_US = 100_000  # behaviours within so long belong to one moment

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class EveryFate:
    """The result of exploring the branches of a run from one moment.

    `at_us` is the moment in microseconds, counted from the begin of the steps. `violation` is the
    first violation, `decisions` are the fates of its branch: none if the run broke the property
    before the moment. `met` is the largest number of messages that had a fate in a branch.
    """

    at_us: int
    branches: int
    met: int
    violation: Violation | None = None
    decisions: tuple[Decision, ...] = ()


def _expect_copies(scenario: Scenario) -> None:
    """Raises LimitError for a scenario whose run cannot be copied."""
    if scenario.nodes:
        raise LimitError("expected no nodes of its own: a branch is a copy, and code has none")


def rarest_us(scenario: Scenario, seed: int) -> int:
    """Returns the moment of a run at which most behaviours were shown for the first time.

    It is counted from the begin of the steps, in microseconds.
    """
    _expect_copies(scenario)
    run = Run(scenario, seed)
    coverage = Coverage(run.world)
    run.reach(run.plan.time.run.us)
    after_us = (at_us - run.begin_us for at_us in coverage.first_us.values())
    new = Counter(at_us // WINDOW_US for at_us in after_us if at_us >= 0)
    window = max(new, key=lambda window: (new[window], -window), default=0)
    return window * WINDOW_US


def explore_fates(
    scenario: Scenario, seed: int, at_us: int, depth: int, on_branch: Progress
) -> EveryFate:
    """Runs a branch for each combination of fates of the next `depth` messages after `at_us`.

    Ends at the first branch that breaks a property. `on_branch` is called with the number of
    branches after each. Raises LimitError if the cluster does not start.
    """
    _expect_copies(scenario)
    run = Run(scenario, seed)
    run.reach(at_us)
    if run.broken:
        return EveryFate(at_us, 0, 0, run.broken[0])
    script: tuple[Fate, ...] | None = ()
    branches = met = 0
    while script is not None:
        branch, fates = _branch(run, Fates(script, depth))
        branches, met = branches + 1, max(met, len(fates.decisions))
        on_branch(branches)
        if branch.broken:
            return EveryFate(at_us, branches, met, branch.broken[0], tuple(fates.decisions))
        script = following([decision.fate for decision in fates.decisions])
    return EveryFate(at_us, branches, met)


def _branch(run: Run, fates: Fates) -> tuple[Run, Fates]:
    """Returns a copy of the run that went on with these fates."""
    branch: Run = copied(run)
    branch.world.network.add(fates)
    branch.run_until(branch.world.timeline.now_us + AFTER_US)
    return branch, fates
