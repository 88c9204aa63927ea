"""States a second of processor time that `scenario explore` visits, interpreted and compiled."""

import time
from collections.abc import Iterator

from kraftsim.scenarios.explore.search import explore
from kraftsim.scenarios.explored.subjects import LIMITS, Subject, world_of
from tools import native

from ..report import Row

SUBJECTS = (Subject(2, False), Subject(3, False), Subject(1, True), Subject(2, True))
STATES = 40_000


def exploring() -> Iterator[Row]:
    """Measures the beginning of the search of each subject with its default limits."""
    native.main()
    for number, subject in enumerate(SUBJECTS):
        code = f"from bench.virtual.exploring import rate; print(rate({number}))"
        yield Row(f"explore, {subject}", f"{rate(number):,.0f} states/s")
        compiled = float(native.output("-c", code))
        yield Row(f"explore, {subject}, native", f"{compiled:,.0f} states/s", goal=">= 12,000")


def rate(number: int) -> float:
    """Returns the states a second of the subject with this number."""
    subject = SUBJECTS[number]
    world, beginnings = world_of(subject, LIMITS[subject])
    began_s = time.process_time()
    explored = explore(world, *beginnings, states_max=STATES)
    return explored.states / (time.process_time() - began_s)
