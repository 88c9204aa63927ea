"""The positive control of a claim that a condition never comes true.

Such a claim proves something only if the run came near: each part of a conjunction was true at some
moment, what must not last began, and what must not end was there.
"""

from collections.abc import Callable

from ..stage.stage import Stage
from .condition import AllOf, AnyOf, Condition, Held, Not

Chance = Callable[[], bool]


def chance_of(condition: Condition, stage: Stage) -> Chance:
    """Returns a function: True once each part has held at some time, so that all could have held.

    A condition without parts has its chance as long as its nodes exist (`unknown_subjects.py`) and
    a step of the file had an effect (`Stage.is_untouched`).
    """
    match condition.of:
        case AllOf(all=parts) | Held(held=Condition(of=AllOf(all=parts))):
            seen = [_seen(part, stage) for part in parts]
            return lambda: all(was_seen() for was_seen in seen)
        case AnyOf(any=parts):
            chances = [chance_of(part, stage) for part in parts]
            return lambda: any(chance() for chance in chances)
        case Held(held=part) | Not(not_=part):
            return _seen(part, stage)
        case _:
            return lambda: True


def _seen(part: Condition, stage: Stage) -> Chance:
    waiting = stage.wait_for(part, lambda: None)
    return lambda: waiting.is_over
