"""Puts the steps of a plan on the timeline, and counts which steps were done."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..conditions.row_kinds import row_words
from ..document.step import Step
from ..stage.stage import RowWords, Stage, Waiting


class Timetable:
    """The steps of a run. No step is done after `end`, which is called when the calm begins."""

    def __init__(self, stage: Stage, steps: Sequence[Step], run_us: int) -> None:
        self._stage, self._steps, self._run_us = stage, steps, run_us
        self._times_done: Counter[int] = Counter()
        self._waiting: list[Waiting] = []
        self._is_over = False
        self.optional_faults: set[str] = set()  # ids of faults that may have no effect

    def begin(self) -> None:
        """Schedules every step that does not wait for the previous step."""
        self._stage.timetable_begins_us = self._stage.world.timeline.now_us
        for number, step in enumerate(self._steps):
            if step.trigger != "after" or number == 0:
                self._schedule(number, step)

    def end(self) -> None:
        """Ends the timetable: no further step is done."""
        self._is_over = True
        for waiting in self._waiting:
            waiting.is_over = True

    def never_done(self) -> Iterator[int]:
        """Returns the indexes of the steps that were never done, without the optional steps."""
        return (
            number
            for number, step in enumerate(self._steps)
            if not self._times_done[number] and not step.optional
        )

    def _schedule(self, number: int, step: Step, after_seq: int | None = None) -> None:
        """Schedules a step; `after_seq` is the row with the begin of the step that it follows."""
        do = partial(self._do, number, step, after_seq)
        if step.when is not None:
            do = partial(self._do_when, number, step, row_words(step.when))
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

    def _do_when(self, number: int, step: Step, words: RowWords) -> None:
        self._do(number, step, self._stage.fresh_seq(words))

    def _do(self, number: int, step: Step, after_seq: int | None) -> None:
        if self._is_over:
            return
        self._times_done[number] += 1
        fault_id = self._fault_id(number, step)
        if step.optional:
            self.optional_faults.add(fault_id)
        fault = self._stage.begin(step.verb, step.word, fault_id, step.say, after_seq)
        self._follow(number, fault.seq)

    def _fault_id(self, number: int, step: Step) -> str:
        """Returns the id of the fault; the faults of a repeated step have numbered ids."""
        if not step.id:
            return f"{step.word}#{self._times_done.total()}"
        times = self._times_done[number]
        return step.id if times == 1 else f"{step.id}#{times}"

    def _follow(self, number: int, seq: int | None) -> None:
        """Schedules the next step if it has `after` and this step was done for the first time."""
        follower = number + 1
        if self._times_done[number] == 1 and follower < len(self._steps):
            step = self._steps[follower]
            if step.trigger == "after":
                self._schedule(follower, step, seq)
