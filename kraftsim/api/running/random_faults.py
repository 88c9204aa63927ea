"""Random faults that act on a running cluster at their times, until they are ended."""

from collections.abc import Callable, Iterator
from functools import partial

from kraftsim.scenarios.drawing.lot import Words

from ...errors import CommandError
from .added_faults import AddedFaults
from .live import Live

TakesEffect = Callable[[str, str], bool]
"""Called with the id and the text of a drawn fault: returns False to leave the fault out."""


class RandomFaults:
    """Begins the drawn `steps` on the timeline of the present world, from now on.

    The ids of the faults are `prefix` and a number from 1 on. A fault that is left out keeps its
    number, because the draws of a fault depend on its id.
    """

    def __init__(
        self,
        live: Live,
        added: AddedFaults,
        steps: Iterator[tuple[int, Words | None]],
        prefix: str,
        takes_effect: TakesEffect,
    ) -> None:
        self._live, self._added, self._steps, self._prefix = live, added, steps, prefix
        self._takes_effect = takes_effect
        self._world, self._begin_us = live.world, live.world.timeline.now_us
        self._count, self._is_ended = 0, False
        self._schedule()

    @property
    def is_over(self) -> bool:
        """True once no further fault begins: after `end`, or if the world was replaced."""
        running = self._live.running
        return self._is_ended or running is None or running.world is not self._world

    def end(self) -> None:
        """Begins no further fault."""
        self._is_ended = True

    def _schedule(self) -> None:
        at_ms, step = next(self._steps)
        self._world.timeline.at(self._begin_us + at_ms * 1000, partial(self._strike, step))

    def _strike(self, step: Words | None) -> None:
        if self.is_over:
            return
        self._schedule()
        if step is not None:
            self._count += 1
            self._begin(step, f"{self._prefix}{self._count}")

    def _begin(self, step: Words, fault_id: str) -> None:
        from kraftsim.scenarios.language.spelling import as_written

        (word,) = (key for key, value in step.items() if isinstance(value, dict))
        if not self._takes_effect(fault_id, f"{word}: {as_written(step[word])}"):
            self._live.recorder.note_gap("some random faults were left out")
            return
        try:
            self._added.begin_drawn(word, step[word], fault_id)
        except CommandError:
            return  # too many open faults, or a fault of the program has the id
