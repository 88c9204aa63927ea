"""Varies the document of a kept plan: steps added, moved, dropped, repeated or exchanged."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from ..drawing.faults import FAULTS
from ..drawing.lot import Lot, Words
from ..drawing.scenario import claimed, lot_of
from ..drawing.steps import (
    Budget,
    at_ms_of,
    budget_left,
    drawn_fault,
    drawn_request,
    nodes_of,
    without_lost_quorum,
)
from .candidate import Candidate

Steps = list[Words]
MOMENT_MS = 3_000  # a step that is added near a moment is at most so far from it
CHANGES_MAX = 4  # changes of one variation
KEEPS_SEED = 0.7  # part of the variations whose messages take as long as those of the parent
STEPS_MAX = 120  # a longer plan is cut: its run shows nothing that a shorter one cannot


def varied(
    parent: Candidate, moments_us: Sequence[int], other: Candidate, stream: Random
) -> Candidate:
    """Returns a variation of `parent`.

    `moments_us` are the times at which its run showed something rare; most changes are near one of
    them, so that the run is the same until then: a fork. `other` lends steps.
    """
    document: dict[str, Any] = dict(parent.document)
    lot, steps = lot_of(document, stream), [*document.get("do", ())]
    at_ms = _moment_ms(moments_us, document, stream)
    budget = budget_left(lot, steps)
    for _ in range(stream.randint(1, CHANGES_MAX)):
        change = stream.choice(CHANGES)
        steps = change(lot, budget, steps, at_ms, other.document)
    steps = without_lost_quorum(lot, steps)
    document = dict(claimed(document | {"do": steps[:STEPS_MAX]}))
    seed = parent.seed if stream.random() < KEEPS_SEED else stream.getrandbits(31)
    return Candidate(document, seed)


def _moment_ms(moments_us: Sequence[int], document: Mapping[str, Any], stream: Random) -> int:
    """Returns a time of the run's steps in milliseconds, near one of the moments if there are."""
    if not moments_us or stream.random() < 0.2:
        return stream.randrange(60_000)
    return max(0, stream.choice(moments_us) // 1000)


def _near(lot: Lot, at_ms: int) -> int:
    return max(0, at_ms + lot.stream.randint(-MOMENT_MS, MOMENT_MS))


def _add_fault(
    lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]
) -> Steps:
    kind = lot.one_of(list(FAULTS))
    return steps + drawn_fault(lot, kind, _near(lot, at_ms), budget)


def _add_request(
    lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]
) -> Steps:
    return [*steps, drawn_request(lot, _near(lot, at_ms))]


def _drop(lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]) -> Steps:
    dropped = lot.stream.randrange(len(steps)) if steps else 0
    return steps[:dropped] + steps[dropped + 1 :]


def _move(lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]) -> Steps:
    if not steps:
        return steps
    moved = lot.stream.randrange(len(steps))
    to = steps[moved] | {"at": f"{_near(lot, at_ms)}ms"}
    return [*steps[:moved], to, *steps[moved + 1 :]]


def _repeat(lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]) -> Steps:
    if not steps:
        return steps
    return [*steps, lot.one_of(steps) | {"at": f"{_near(lot, at_ms)}ms"}]


def _end_anew(
    lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]
) -> Steps:
    """Keeps the steps up to a moment, and draws some others after it."""
    kept = [step for step in steps if at_ms_of(step) <= at_ms]
    for _ in range(lot.stream.randint(1, 6)):
        kept = _add_fault(lot, budget, kept, at_ms + MOMENT_MS, other)
    return kept


def _lend(lot: Lot, budget: Budget, steps: Steps, at_ms: int, other: Mapping[str, Any]) -> Steps:
    """Adds some steps of another plan, whose nodes exist in this one."""
    lent = [step for step in other.get("do", ()) if nodes_of(step) <= {*lot.nodes}]
    begin = lot.stream.randrange(len(lent)) if lent else 0
    return steps + lent[begin : begin + lot.stream.randint(1, 5)]


Change = Callable[[Lot, Budget, Steps, int, Mapping[str, Any]], Steps]
CHANGES: Sequence[Change] = (
    _add_fault, _add_fault, _add_request, _add_request, _drop, _move, _repeat, _end_anew, _lend,
)  # fmt: skip
