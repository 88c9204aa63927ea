"""Shrinks a sequence that shows a difference to the fewest requests that still show it."""

import re
from collections.abc import Callable

from tests.differential.judge import Mismatch
from tests.differential.sequence import Sequence, Step

Judge = Callable[[Sequence], list[Mismatch]]
JUDGEMENTS_MAX = 150


def kind(mismatch: Mismatch) -> tuple[str, str]:
    """What two mismatches have in common that show one difference: API and field."""
    return mismatch.api, re.sub(r"\[\d+\]", "[]", mismatch.path)


def shrunk(sequence: Sequence, found: list[Mismatch], judge: Judge) -> Sequence:
    """Take away ever smaller runs of steps while the first mismatch stays of its kind."""
    wanted, judged = kind(found[0]), 0
    steps = sequence.every_step[: found[0].step + 1]
    size = len(steps) // 2
    while size:
        place = 0
        while place < len(steps) - 1 and judged < JUDGEMENTS_MAX:
            candidate = _without(steps, place, size)
            judged += 1
            if shows(judge(sequence.with_steps(candidate)), wanted):
                steps = candidate
            else:
                place += size
        size //= 2
    return sequence.with_steps(steps)


def _without(steps: tuple[Step, ...], place: int, size: int) -> tuple[Step, ...]:
    """The last step stays: it is the one that shows the difference."""
    return steps[:place] + steps[min(place + size, len(steps) - 1) :]


def shows(mismatches: list[Mismatch], wanted: tuple[str, str]) -> bool:
    return any(kind(mismatch) == wanted for mismatch in mismatches)
