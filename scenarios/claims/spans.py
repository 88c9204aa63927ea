"""Measures the time from one condition to another, each time."""

from ..conditions.condition import Condition, Not
from ..stage.stage import Stage


class Spans:
    """Samples of times. With `counts_unfinished` a time that has not ended is a sample as well."""

    def __init__(self, stage: Stage, *, counts_unfinished: bool) -> None:
        self._stage = stage
        self._counts_unfinished = counts_unfinished
        self._done_us: list[int] = []
        # number -> begin in microseconds of a time that has not ended
        self._since_us: dict[int, int] = {}
        self._watched = 0

    def watch(self, begins: Condition, ends: Condition) -> None:
        """Measures from `begins` to `ends`, and again when `begins` comes true the next time."""
        number, stage = self._watched, self._stage
        self._watched += 1

        def wait() -> None:
            stage.wait_for(begins, begin)

        def begin() -> None:
            self._since_us[number] = stage.world.timeline.now_us
            stage.wait_for(ends, end)

        def end() -> None:
            self._done_us.append(self._so_far_us(self._since_us.pop(number)))
            stage.wait_for(Condition(Not(not_=begins)), wait)

        wait()

    def samples(self, at_most_us: int | None) -> list[int]:
        """Returns the samples in microseconds.

        A time that has not ended counts if `counts_unfinished`, or if it already exceeds
        `at_most_us`.
        """
        going_on = (self._so_far_us(since_us) for since_us in self._since_us.values())
        is_late = at_most_us is not None
        return self._done_us + [
            us for us in going_on if self._counts_unfinished or (is_late and us > (at_most_us or 0))
        ]

    def _so_far_us(self, since_us: int) -> int:
        return self._stage.world.timeline.now_us - since_us
