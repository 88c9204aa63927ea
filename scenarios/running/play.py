"""A run of a scenario that can stop at any time, as a player needs it.

A play can be copied at any stop (`simulation/copying.py`), and the copy goes on as the original
would. Its digest at the end is that of the run.
"""

from collections.abc import Callable
from enum import Enum

from ..document.step import LimitError
from .run import START_LIMIT_US, Run


class Phase(Enum):
    """The phases of a run, in their order."""

    START_UP = "start-up"
    WARM_UP = "warm-up"
    RUN = "run"
    CALM = "calm"
    OVER = "over"


class Play:
    """A run, stopped at the time `now_us`.

    `acts` are called with the play at their times in microseconds, in order. `begin_us` is the time
    from which the `at:` of steps counts, None before it is known. The start-up ends when every
    broker is unfenced; the other phases last as the file says.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.phase = Phase.START_UP
        self.begin_us: int | None = None
        self.acts: list[tuple[int, Callable[[Play], None]]] = []
        self._phase_end_us = START_LIMIT_US
        run.start()

    @property
    def now_us(self) -> int:
        """The time of the world, in microseconds."""
        return self.run.world.timeline.now_us

    @property
    def is_over(self) -> bool:
        """True once the calm has ended: nothing happens after it."""
        return self.phase is Phase.OVER

    @property
    def next_us(self) -> int:
        """The time of the next event, phase or act."""
        return min(self.run.world.timeline.due_us, self._stop_us)

    @property
    def _stop_us(self) -> int:
        return min(self._phase_end_us, self.acts[0][0]) if self.acts else self._phase_end_us

    def advance(self, until_us: int) -> None:
        """Runs to `until_us`, through the phases, or to the end of the calm if it comes first.

        Raises LimitError if the cluster does not start within two minutes.
        """
        while not self.is_over and (self.now_us < until_us or self.next_us <= until_us):
            if self.phase is Phase.START_UP:
                self._start_up(until_us)
                continue
            self.run.run_until(min(until_us, self._stop_us))
            if self.now_us == self._phase_end_us:
                self._end_phase()
            while self.acts and self.acts[0][0] == self.now_us:
                _, act = self.acts.pop(0)
                act(self)

    def _start_up(self, until_us: int) -> None:
        timeline = self.run.world.timeline
        while not self.run.is_up():
            if timeline.due_us > until_us:
                timeline.run_until(until_us)
                return
            if timeline.due_us > START_LIMIT_US:
                raise LimitError("expected every broker unfenced within 2 minutes of the start")
            timeline.run_until(timeline.due_us)
        self.run.create_topics()
        self._enter(Phase.WARM_UP, self.run.plan.time.warmup.us)

    def _end_phase(self) -> None:
        times = self.run.plan.time
        match self.phase:
            case Phase.WARM_UP:
                self.run.bind_names()
                self.run.begin_steps()
                self.begin_us = self.now_us
                self._enter(Phase.RUN, times.run.us)
            case Phase.RUN:
                self.run.begin_calm()
                self._enter(Phase.CALM, times.calm.us)
            case _:
                self.phase = Phase.OVER

    def _enter(self, phase: Phase, lasts_us: int) -> None:
        self.phase, self._phase_end_us = phase, self.now_us + lasts_us
