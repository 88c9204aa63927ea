"""A run that ends early: at the first check after a violation."""

from collections.abc import Callable, Sequence
from itertools import repeat
from math import inf

from kraftsim.controller.core.errors import Impossible

from ..document.step import LimitError
from .run import Run
from .watch import ASSERTION, UNNUMBERED, Violation

CHECK_INTERVAL_US = 1_000_000  # virtual time between two checks
START = "start"  # name of the violation of a cluster that does not start
CRASH = "crash"  # name of the violation of a run that raised an unexpected error


class Violated(Exception):
    """Ends a run at its first violation."""


class UntilBroken(Run):
    """A run that checks every second of virtual time for a violation, and raises Violated.

    A search waits for the violation of `wanted` only, and ends a run after more than `events_max`
    actions on the timeline.
    """

    events_max: float = inf
    wanted: str | None = None

    def move(self, by_us: int) -> None:
        whole, rest_us = divmod(by_us, CHECK_INTERVAL_US)
        for piece_us in (*repeat(CHECK_INTERVAL_US, whole), rest_us):
            super().move(piece_us)
            count = self.world.timeline.scheduled_count
            if count > self.events_max or self._is_violated():
                raise Violated

    def _is_violated(self) -> bool:
        found = (*self.broken, *self.broken_claims)
        return any(self.wanted in (None, violation.name) for violation in found)


def violations_until(
    run: UntilBroken, move: Callable[[], Sequence[Violation]]
) -> tuple[Violation, ...]:
    """Returns the violations that `move` returns, or those at its end if it ends early.

    They are in the order of time. A cluster that does not start and an unexpected error are
    violations as well, named `start` and `crash`.
    """
    try:
        found = move()
    except Violated:
        found = (*run.broken, *run.broken_claims)
    except Impossible as impossible:
        found = (_ended(run, ASSERTION, str(impossible)),)
    except LimitError as limit:
        found = (_ended(run, START, str(limit)),)
    except Exception as error:  # whatever the code under test raises is a violation
        found = (_ended(run, CRASH, repr(error)),)
    return tuple(sorted(found, key=lambda violation: violation.t_us))


def _ended(run: Run, name: str, what: str) -> Violation:
    world = run.world
    return Violation(UNNUMBERED, name, what, world.timeline.now_us, world.journal.last_seq)
