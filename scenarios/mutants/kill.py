"""Is a mutant noticed? Its scenario is run with the bug, and has to fail by what it names."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

from kraftsim.controller.core.errors import Impossible

from ..document.scenario import Scenario
from ..language.limits import LimitError
from ..running.run import Run, properties_of
from .mutant import Mutant, planted

START = "start"  # a run that ends before anything is judged
LOOK_EVERY_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Kill:
    """`broken`: what fell, in the order of time; `without`: what falls in the same run without the
    bug."""

    mutant: Mutant
    broken: tuple[str, ...]
    without: tuple[str, ...] = ()

    @property
    def is_killed(self) -> bool:
        return self.mutant.broken in self.broken and self.mutant.broken not in self.without


def kill(mutant: Mutant, scenario: Scenario, seed: int, without: tuple[str, ...] = ()) -> Kill:
    """Run `scenario` with the bug."""
    with planted(mutant):
        return Kill(mutant, broken(scenario, seed), without)


def kills(mutant: Mutant, scenario: Scenario, passing: Iterable[int]) -> int:
    """With how many of those seeds, all of which pass without it, does anything fall?"""
    with planted(mutant):
        return sum(falls(scenario, seed) for seed in passing)


def falls(scenario: Scenario, seed: int) -> bool:
    """Does anything fall? What comes after the first is not waited for."""
    try:
        return bool(_UntilBroken(scenario, seed, properties_of(scenario)).finish().violations)
    except (_Fell, LimitError, Impossible):
        return True


class _Fell(Exception):
    """Enough is known of a run."""


class _UntilBroken(Run):
    """Looks every second of it whether it may end."""

    def _move(self, by_us: int) -> None:
        for piece_us in (*repeat(LOOK_EVERY_US, by_us // LOOK_EVERY_US), by_us % LOOK_EVERY_US):
            super()._move(piece_us)
            if self.watch.violations:
                raise _Fell


def broken(scenario: Scenario, seed: int) -> tuple[str, ...]:
    """What falls in a run, be it that the run itself does not come to its end."""
    run = Run(scenario, seed, properties_of(scenario))
    try:
        return tuple(one.name for one in sorted(run.finish().violations, key=lambda one: one.t_us))
    except LimitError:  # not even up: that is noticed by everybody
        ended = () if run.assertion is None else (run.assertion.name,)
        return (*(one.name for one in run.watch.violations.values()), *ended, START)
