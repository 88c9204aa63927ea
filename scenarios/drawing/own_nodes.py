"""Draws faults of nodes that run a user's code: of their processes, clocks and links."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from .links import WAYS
from .lot import Lot, Words, log_uniform_ms
from .nodes import ANY_NODE
from .steps import USUAL_PACE_MS, at_ms_of, lasting_ms_of, step_of, words_of

SIDES = ("on", "from", "to")
SHORTEST_MS, LONGEST_MS = 100, 60_000
KINDS: Mapping[str, Callable[[Lot], Words]] = {**ANY_NODE, **WAYS}
PART_OF_KINDS = 0.4  # a run has some kinds of faults only: a bug may need one without the others


def own_steps(names: Sequence[str], stream: Random, run_ms: int) -> list[Words]:
    """Returns the faults of the nodes `names` in a run; each has one at a time."""
    lot = Lot(stream, "", (), (), ())
    return sorted((step for name in names for step in _faults(lot, name, run_ms)), key=at_ms_of)


def _faults(lot: Lot, name: str, run_ms: int) -> Iterator[Words]:
    kinds = [kind for kind in KINDS if lot.chance(PART_OF_KINDS)] or list(KINDS)
    every_ms = log_uniform_ms(lot.stream, *USUAL_PACE_MS)
    at_ms = 0
    while (at_ms := at_ms + int(lot.stream.expovariate(1 / every_ms))) < run_ms:
        word = lot.one_of(kinds)
        words = {_side(lot, word): {"node": name}} | KINDS[word](lot)
        if word in WAYS:
            words["for"] = lot.time(SHORTEST_MS, LONGEST_MS)
        step = step_of(at_ms, word, words)
        yield step
        at_ms += lasting_ms_of(words_of(step))


def _side(lot: Lot, word: str) -> str:
    return lot.one_of(SIDES) if word in WAYS else "on"
