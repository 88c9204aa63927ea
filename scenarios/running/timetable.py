"""Puts the steps of a plan on the timeline, and counts which steps were done."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..document.step import Step
from ..stage.stage import Stage, Waiting


class Timetable:
    """The steps of a run, from `begin` to `end`, when the calm begins; no step is done after it."""

    def __init__(self, stage: Stage, steps: Sequence[Step], run_us: int) -> None:
        self._stage, self._steps, self._run_us = stage, steps, run_us
        self._times_done: Counter[int] = Counter()
        self._waiting: list[Waiting] = []
        self._is_over = False

    def begin(self) -> None:
        """Arranges every step that does not wait for the previous step."""
        for number, step in enumerate(self._steps):
            if step.trigger != "after" or number == 0:
                self._arrange(number, step)

    def end(self) -> None:
        """Ends the timetable: no further step is done."""
        self._is_over = True
        for waiting in self._waiting:
            waiting.is_over = True

    def never_done(self) -> Iterator[int]:
        """Returns the places of the steps whose time or condition never came."""
        return (number for number in range(len(self._steps)) if not self._times_done[number])

    def _arrange(self, number: int, step: Step) -> None:
        do = partial(self._do, number, step)
        if step.when is not None:
            self._waiting.append(self._stage.wait_for(step.when, do))
            return
        assert step.amount is not None, step
        if step.trigger == "every":
            self._repeat(step, do)
        else:
            self._stage.world.timeline.after(step.amount.us, do)

    def _repeat(self, step: Step, do: Callable[[], None]) -> None:
        assert step.amount is not None, step
        for time in range(1, step.times_in(self._run_us) + 1):
            self._stage.world.timeline.after(time * step.amount.us, do)

    def _do(self, number: int, step: Step) -> None:
        if self._is_over:
            return
        self._times_done[number] += 1
        fault_id = self._fault_id(number, step)
        stage = self._stage
        fault = stage.begin(step.verb, step.word, fault_id, step.say)
        if step.verb.for_ is not None:
            stage.world.timeline.after(step.verb.for_.us, lambda: stage.lift(fault))
        self._follow(number)

    def _fault_id(self, number: int, step: Step) -> str:
        """Returns the id of the fault; a repeated step has a numbered id for each time."""
        if not step.id:
            return f"{step.word}#{self._times_done.total()}"
        times = self._times_done[number]
        return step.id if times == 1 else f"{step.id}#{times}"

    def _follow(self, number: int) -> None:
        """Arranges a following `after` step, when its predecessor was done for the first time."""
        follower = number + 1
        if self._times_done[number] == 1 and follower < len(self._steps):
            step = self._steps[follower]
            if step.trigger == "after":
                self._arrange(follower, step)
