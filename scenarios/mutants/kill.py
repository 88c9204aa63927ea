"""Is a mutant noticed? Its scenario is run with the bug, and has to fail by what it names."""

from dataclasses import dataclass

from ..run import LimitError, Result, run
from ..scenario import Scenario
from .mutant import Mutant, planted

START, ASSERTION = "start", "assertion"  # how a run can end before anything is judged


@dataclass(frozen=True, slots=True)
class Kill:
    """`broken`: what fell, in the order of time."""

    mutant: Mutant
    broken: tuple[str, ...]

    @property
    def is_killed(self) -> bool:
        return self.mutant.broken in self.broken


def kill(mutant: Mutant, scenario: Scenario, seed: int) -> Kill:
    """Run `scenario` with the bug."""
    with planted(mutant):
        return Kill(mutant, _broken(scenario, seed))


def _broken(scenario: Scenario, seed: int) -> tuple[str, ...]:
    try:
        result: Result = run(scenario, seed)
    except LimitError:
        return (START,)  # not even up: that is noticed by everybody
    except AssertionError:
        return (ASSERTION,)  # the core itself has seen the impossible
    return tuple(one.name for one in sorted(result.violations, key=lambda one: one.t_us))
