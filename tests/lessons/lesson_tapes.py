"""Tapes and answers for tests of lessons."""

from functools import cache

from kraftsim.files.scenario_files import find, read_sound
from kraftsim.lessons.answers import Answers
from kraftsim.lessons.tapes import Branch, Tapes

PAUSE = "gc-pause-longer-than-lease"
KILL = '[{"at": "12s", "proc.crash": {"on": 2}}]'
S = 1_000_000  # microseconds


@cache
def tapes() -> Tapes:
    """Returns the tapes that the tests of one process share."""
    return Tapes(lambda name: read_sound(find(name)).scenario)


@cache
def answers() -> Answers:
    """Returns answers about these tapes."""
    return Answers(tapes())


def branch(name: str = PAUSE, seed: int = 7) -> Branch:
    """Returns the branch of a scenario without acts."""
    return Branch(name, seed, "", ())
