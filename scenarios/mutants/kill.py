"""Runs a mutant's scenario with the bug, which must break the property that the mutant names."""

from collections.abc import Iterable
from dataclasses import dataclass

from kraftsim.controller.core.errors import Impossible

from ..document.scenario import Scenario
from ..document.step import LimitError
from ..running.run import Run
from ..running.until_broken import START, UntilBroken, Violated
from .mutant import Mutant, planted


@dataclass(frozen=True, slots=True)
class Kill:
    """The outcome of a run with a mutant's bug.

    `broken` are the broken properties and claims in the order of time, up to the one that the
    mutant names: the run ends there. `without` are those of the same run without the bug.
    """

    mutant: Mutant
    broken: tuple[str, ...]
    without: tuple[str, ...] = ()

    @property
    def is_killed(self) -> bool:
        """True if the mutant's property or claim is broken with the bug and holds without it."""
        return self.mutant.broken in self.broken and self.mutant.broken not in self.without


def kill(mutant: Mutant, scenario: Scenario, seed: int, without: tuple[str, ...] = ()) -> Kill:
    """Runs `scenario` with the bug; `without` is what breaks in the run without the bug."""
    with planted(mutant):
        run = UntilBroken(scenario, seed)
        run.wanted = mutant.broken
        return Kill(mutant, _names(run), without)


def kills(mutant: Mutant, scenario: Scenario, passing: Iterable[int]) -> int:
    """Returns how many of the seeds `passing`, which pass without the bug, fail with the bug."""
    with planted(mutant):
        return sum(falls(scenario, seed) for seed in passing)


def falls(scenario: Scenario, seed: int) -> bool:
    """Returns True if the run breaks a property or claim; the run may end at a violation."""
    try:
        return bool(UntilBroken(scenario, seed).finish().violations)
    except (Violated, LimitError, Impossible):
        return True


def broken(scenario: Scenario, seed: int) -> tuple[str, ...]:
    """Returns the broken properties and claims of a run; `start` stands for a run without end."""
    return _names(Run(scenario, seed))


def _names(run: Run) -> tuple[str, ...]:
    try:
        found = run.finish().violations
    except Violated:
        found = (*run.broken, *run.broken_claims)
    except LimitError:  # the cluster did not even start, which every scenario notices
        ended = () if run.assertion is None else (run.assertion.name,)
        return (*(violation.name for violation in run.watch.violations.values()), *ended, START)
    return tuple(violation.name for violation in sorted(found, key=lambda each: each.t_us))
