"""clock.*: what nodes take for the time. Its effect is the nodes whose clocks went another way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.time.clock import Clock
from kraftsim.simulation.delays import exponential
from kraftsim.simulation.recurring import strobe

from ..language.amounts import Amount, Period
from ..language.constraints import Between
from ..language.selectors import Selector
from ..stage.stage import Stage
from .verb import Effects, Undo, Verb

DRIFT_MAX = 999_999  # millionths: one that is slower by more stands still, or goes back


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockVerb(Verb):
    on: Selector
    for_: Amount | None = None

    @property
    def is_felt(self) -> bool:
        """Does a clock go another way at all?"""
        return True

    def bend(self, clock: Clock) -> None:
        raise NotImplementedError(self.word)

    def mend(self, clock: Clock) -> None:
        raise NotImplementedError(self.word)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        clocks = [stage.world.clocks[node] for node in stage.targets(self.on)]
        _each(clocks, self.bend)
        bent = len(clocks) if self.is_felt else 0
        return lambda: bent, lambda: _each(clocks, self.mend)


def _each(clocks: list[Clock], do: Callable[[Clock], None]) -> None:
    for clock in clocks:
        do(clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWall(ClockVerb, word="clock.step"):
    """Somebody sets the wall clock, forward or (a negative `by`) back; nothing that decides looks
    at it."""

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
    """Both clocks run faster by so many millionths of a second a second, or slower."""

    ppm: Annotated[int, Between(-DRIFT_MAX, DRIFT_MAX)]

    @property
    def is_felt(self) -> bool:
        return self.ppm != 0

    def bend(self, clock: Clock) -> None:
        clock.drift(self.ppm)

    def mend(self, clock: Clock) -> None:
        clock.drift(-self.ppm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze(ClockVerb, word="clock.freeze"):
    """Both clocks stand still; the process goes on."""

    def bend(self, clock: Clock) -> None:
        clock.freeze()

    def mend(self, clock: Clock) -> None:
        clock.thaw()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarse(ClockVerb, word="clock.coarse"):
    """Time is seen to pass in steps of `tick` only."""

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
    """The machine sleeps, and its processes with it; on waking the monotonic clock has jumped, or
    it has not and the wall clock has (`jumps: false`)."""

    on: Selector
    for_: Amount | None = None
    jumps: bool = True

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        processes = stage.processes
        asleep = [one for one in stage.targets(self.on) if processes.is_alive(one)]
        for node in asleep:
            processes.suspend(node)

        def wake() -> None:
            for node in asleep:
                processes.wake(node, monotonic_jumps=self.jumps)

        return lambda: len(asleep), wake


@dataclass(frozen=True, slots=True, kw_only=True)
class Strobe(Verb, word="clock.strobe"):
    """The wall clock jumps by `by` and back, over and over."""

    on: Selector
    by: Amount
    every: Period
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        every_us = exponential(self.every.us, stage.stream(f"fault/{fault_id}"))
        clocks = [stage.world.clocks[node] for node in stage.targets(self.on)]
        strobes = [strobe(clock, self.by.us // 1000, every_us) for clock in clocks]

        def end() -> None:
            for one in strobes:
                one.end()

        return lambda: sum(one.hits for one in strobes), end
