"""Delays that change the order of messages, placed as PCT does.

PCT (Burckhardt et al., ASPLOS 2010) gives every thread a random priority, and lowers priorities at
d random points of the counted steps of a program: it finds a bug of depth d with a known least
probability. Here messages take the place of steps: in `crossed` every message of some nodes waits
for a random time, so that any of them may arrive first; `late` makes messages late whose numbers
are drawn among the messages that a run has had.
"""

from ..drawing.lot import Lot, Words, log_uniform_ms
from ..drawing.steps import step_of

POINTS_MAX = 3  # late messages of one plan: few bugs need the order of more (PCT's d)
LATE_MS = (10, 15_000)
LOW_MS, HIGH_MS = (5, 100), (100, 2_000)  # of random delays; requests time out after 2 s


def crossed(lot: Lot, at_ms: int, lasting_ms: int) -> Words:
    """Returns a step after which messages of drawn nodes overtake each other for a while."""
    nodes = lot.one_of((lot.controllers, lot.controllers, lot.nodes, lot.some_of(lot.nodes)))
    low_ms, high_ms = log_uniform_ms(lot.stream, *LOW_MS), log_uniform_ms(lot.stream, *HIGH_MS)
    low, high = f"{low_ms}ms", f"{max(low_ms, high_ms)}ms"
    words: Words = {"on": [*nodes], "low": low, "high": high, "for": f"{lasting_ms}ms"}
    return step_of(at_ms, "net.delay", words)


def late(lot: Lot, at_ms: int, messages: int) -> list[Words]:
    """Returns steps that make one to three of the next `messages` messages of the cluster late."""
    numbers = [
        lot.stream.randint(1, max(1, messages)) for _ in range(lot.stream.randint(1, POINTS_MAX))
    ]
    every = {"on": [*lot.nodes], "copies": 1}
    return [
        step_of(at_ms, "net.surgery", every | {"nth": number, "by": lot.time(*LATE_MS)})
        for number in numbers
    ]
