"""clock.*: faults of clocks. The effects are the nodes whose clocks were changed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.time.clock import Clock
from kraftsim.simulation.delays import exponential
from kraftsim.simulation.recurring import strobe

from ..language.amounts import Amount, Period
from ..language.constraints import Between
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import UNFELT, Verb, running

FELT_DRIFT_PPM = 50  # good quartz drifts less
DRIFT_MAX = 999_999  # millionths: a larger negative drift would stop the clock or turn it back


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockVerb(Verb):
    """A verb that changes the clocks of the nodes `on`."""

    on: Selector
    for_: Amount | None = None

    @property
    def is_felt(self) -> bool:
        """True if the verb changes the clock; otherwise the fault has no effect."""
        return True

    def bend(self, clock: Clock) -> None:
        """Applies the fault to a clock."""
        raise NotImplementedError(self.word)

    def mend(self, clock: Clock) -> None:
        """Undoes the fault on a clock."""
        raise NotImplementedError(self.word)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        clocks = [stage.world.clocks[node] for node in stage.targets(self.on)]
        _for_each(clocks, self.bend)
        if not self.is_felt:
            stage.spare(UNFELT)
        bent = len(clocks) if self.is_felt else 0
        return lambda: bent, lambda: _for_each(clocks, self.mend)


def _for_each(clocks: list[Clock], do: Callable[[Clock], None]) -> None:
    for clock in clocks:
        do(clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWall(ClockVerb, word="clock.step"):
    """Steps the wall clock forward, or back with a negative `by`.

    No decision of a controller or broker uses the wall clock.
    """

    by: Amount

    @property
    def is_felt(self) -> bool:
        return self.by.us // 1000 != 0

    def bend(self, clock: Clock) -> None:
        clock.step_wall(self.by.us // 1000)

    def mend(self, clock: Clock) -> None:
        clock.step_wall(-(self.by.us // 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift(ClockVerb, word="clock.drift"):
    """Makes both clocks run faster by `ppm` millionths, or slower if `ppm` is negative.

    A drift of less than 50 ppm, a millisecond in 20 s, counts as none.
    """

    ppm: Annotated[int, Between(-DRIFT_MAX, DRIFT_MAX)]

    @property
    def is_felt(self) -> bool:
        return abs(self.ppm) >= FELT_DRIFT_PPM

    def bend(self, clock: Clock) -> None:
        clock.drift(self.ppm)

    def mend(self, clock: Clock) -> None:
        clock.drift(-self.ppm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze(ClockVerb, word="clock.freeze"):
    """Stops both clocks while the process continues."""

    def bend(self, clock: Clock) -> None:
        clock.freeze()

    def mend(self, clock: Clock) -> None:
        clock.thaw()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarse(ClockVerb, word="clock.coarse"):
    """Makes the clocks advance only in steps of `tick`."""

    tick: Period

    @property
    def is_felt(self) -> bool:
        return self.tick.us // 1000 > 1

    def bend(self, clock: Clock) -> None:
        clock.coarsen(self.tick.us // 1000)

    def mend(self, clock: Clock) -> None:
        clock.coarsen(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspend(Verb, word="clock.suspend"):
    """Suspends the machine with its processes.

    When the machine resumes, both clocks jump; with `jumps: false` only the wall clock does.
    """

    on: Selector
    for_: Amount | None = None
    jumps: bool = True

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        processes = stage.processes
        asleep = running(stage, self.on)
        for node in asleep:
            processes.suspend(node)

        def wake() -> None:
            for node in asleep:
                processes.wake(node, monotonic_jumps=self.jumps)

        return lambda: len(asleep), wake


@dataclass(frozen=True, slots=True, kw_only=True)
class Strobe(Verb, word="clock.strobe"):
    """Steps the wall clock by `by` and back, repeatedly, about every `every`."""

    on: Selector
    by: Amount
    every: Period
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        every_us = exponential(self.every.us, stage.stream(f"fault/{fault_id}"))
        clocks = [stage.world.clocks[node] for node in stage.targets(self.on)]
        strobes = [strobe(clock, self.by.us // 1000, every_us) for clock in clocks]

        def end() -> None:
            for recurring in strobes:
                recurring.end()

        return lambda: sum(recurring.hits for recurring in strobes), end
