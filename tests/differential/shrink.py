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


def shrunk(
    sequence: Sequence,
    found: list[Mismatch],
    judge: Judge,
    *,
    judgements_max: int = JUDGEMENTS_MAX,
) -> Sequence:
    """Take away ever smaller runs of steps while the first mismatch stays of its kind."""
    wanted, judged = kind(found[0]), 0
    steps = sequence.every_step[: found[0].step + 1]
    size, has_shrunk = len(steps) // 2, False
    while size and judged < judgements_max:
        place = 0
        while place < len(steps) - 1 and judged < judgements_max:
            candidate = _without(steps, place, size)
            judged += 1
            if shows(judge(sequence.with_steps(candidate)), wanted):
                steps, has_shrunk = candidate, True
            else:
                place += size
        size = 1 if size == 1 and has_shrunk else size // 2
        has_shrunk = False
    return sequence.with_steps(steps)


def _without(steps: tuple[Step, ...], place: int, size: int) -> tuple[Step, ...]:
    """The last step stays: it is the one that shows the difference."""
    return steps[:place] + steps[min(place + size, len(steps) - 1) :]


def shows(mismatches: list[Mismatch], wanted: tuple[str, str]) -> bool:
    """The first mismatch counts: the others may follow from it."""
    return bool(mismatches) and kind(mismatches[0]) == wanted
