"""Varies the document of a kept plan: from a moment on, its run goes on in other ways.

The variations of one plan share its steps until that moment, so that they run from a fork.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ..drawing.faults import FAULTS
from ..drawing.lot import Lot, Words
from ..drawing.messages import WRITE, drawn_copy_fault, judged
from ..drawing.scenario import claimed, lot_of
from ..drawing.steps import (
    Budget,
    at_ms_of,
    budget_left,
    drawn_fault,
    drawn_request,
    drawn_steps,
    nodes_of,
    step_of,
    without_lost_quorum,
)
from .branches import Branches
from .candidate import Candidate, lasting
from .corpus import Kept
from .crowds import PACE_MS
from .delays import crossed, late
from .ways import BRANCHES as WAY

Steps = list[Words]
BRANCHES = 16  # variations that go on from one moment
TAIL_MS = 12_000  # a variation ends so long after its moment
AFTER_MS = 500  # a fork is at most so long after something rare
SPREAD_MS = 6_000  # a step that is added is at most so long after the fork
CHANGES_MAX = 4  # changes of one variation
JUDGED = 0.2  # part of the forks whose first branch is judged after a calm
STEPS_MAX = 120  # a longer plan is cut: its run shows nothing that a shorter one cannot
LATEST_MS = 40_000  # no fork is later: what is before it costs as much as what is after it
KINDS = list(FAULTS)


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a plan is varied: after `at_ms`, the time of a step, within a budget of faults.

    `messages` is about how many the cluster has from then on until the end. `lent` are the steps of
    another plan after a rare moment of it, with times since that moment.
    """

    lot: Lot
    budget: Budget
    at_ms: int
    messages: int
    lent: Steps


def varied(parent: Kept, other: Kept, stream: Random) -> Branches:
    """Returns variations of `parent` that are the same until one of its moments.

    `other` lends steps after one of its own moments.
    """
    document: dict[str, Any] = dict(parent.candidate.document)
    at_ms = min(_moment_ms(parent.moments_us, stream) + stream.randrange(AFTER_MS), LATEST_MS)
    lot = lot_of(document, stream)
    shared = [step for step in document["do"] if at_ms_of(step) <= at_ms][:STEPS_MAX]
    later = [step for step in document["do"] if at_ms < at_ms_of(step) <= at_ms + TAIL_MS]
    document = lasting(document, at_ms + TAIL_MS)
    lent = _lent(lot, other.candidate, _moment_ms(other.moments_us, stream))
    messages = parent.messages_per_s * TAIL_MS // 1000
    candidates = []
    for _ in range(BRANCHES):
        moment = Moment(lot, budget_left(lot, [*shared, *later]), at_ms, messages, lent)
        candidates.append(_branch(document, shared, later, moment, parent.candidate.seed))
    has_calm = stream.random() < JUDGED
    return Branches(tuple(candidates), at_ms, has_calm, WAY).alike()


def _branch(
    document: dict[str, Any], shared: Steps, later: Steps, moment: Moment, seed: int
) -> Candidate:
    lot, at_ms = moment.lot, moment.at_ms
    crowd = drawn_steps(lot, TAIL_MS, PACE_MS)
    tail = later + [step | {"at": f"{at_ms + 1 + at_ms_of(step)}ms"} for step in crowd]
    changes = CHANGES_OF_MESSAGES if any(WRITE in step for step in shared) else CHANGES
    for _ in range(lot.stream.randint(1, CHANGES_MAX)):
        tail = lot.one_of(changes)(moment, tail)
    if changes is CHANGES_OF_MESSAGES:
        tail = judged(tail, lot.stream, at_ms + TAIL_MS // 2)
    steps = without_lost_quorum(lot, [*shared, *tail[:STEPS_MAX]])
    return Candidate(claimed(document | {"do": steps}), seed)


def _moment_ms(moments_us: Sequence[int], stream: Random) -> int:
    """Returns one of the moments in milliseconds since the begin of the steps, or any time."""
    moments_ms = [us // 1000 for us in moments_us if us > 0]
    return stream.choice(moments_ms) if moments_ms else stream.randrange(60_000)


def _lent(lot: Lot, other: Candidate, moment_ms: int) -> Steps:
    """Returns the steps of another plan after a moment of it, whose nodes exist in this one."""
    steps: Any = other.document["do"]
    return [
        step | {"at": f"{at_ms_of(step) - moment_ms}ms"}
        for step in steps
        if 0 <= at_ms_of(step) - moment_ms <= TAIL_MS and nodes_of(step) <= {*lot.nodes}
    ]


def _soon(moment: Moment) -> int:
    """Returns a time after the fork, at most SPREAD_MS later."""
    return moment.at_ms + moment.lot.stream.randint(1, SPREAD_MS)


def _add_fault(moment: Moment, tail: Steps) -> Steps:
    kind = moment.lot.one_of(KINDS)
    return tail + drawn_fault(moment.lot, kind, _soon(moment), moment.budget)


def _add_copy_fault(moment: Moment, tail: Steps) -> Steps:
    lot = moment.lot
    brokers, topics = range(lot.brokers[0], lot.brokers[-1] + 1), list(lot.topics)
    return [*tail, drawn_copy_fault(lot.stream, brokers, topics, _soon(moment))]


def _add_request(moment: Moment, tail: Steps) -> Steps:
    return [*tail, drawn_request(moment.lot, _soon(moment))]


def _hold(moment: Moment, tail: Steps) -> Steps:
    """Lets the messages of a node wait for a time, so that others overtake them."""
    lot = moment.lot
    words = {lot.one_of(("from", "to")): lot.one_of(lot.nodes), "for": lot.time(1, 2_000)}
    return [*tail, step_of(_soon(moment), "net.hold", words)]


def _cross(moment: Moment, tail: Steps) -> Steps:
    return [*tail, crossed(moment.lot, moment.at_ms + 1, TAIL_MS)]


def _delay(moment: Moment, tail: Steps) -> Steps:
    return tail + late(moment.lot, moment.at_ms + 1, moment.messages)


def _drop(moment: Moment, tail: Steps) -> Steps:
    dropped = moment.lot.stream.randrange(len(tail)) if tail else 0
    return tail[:dropped] + tail[dropped + 1 :]


def _move(moment: Moment, tail: Steps) -> Steps:
    if not tail:
        return _add_fault(moment, tail)
    moved = moment.lot.stream.randrange(len(tail))
    to = tail[moved] | {"at": f"{_soon(moment)}ms"}
    return [*tail[:moved], to, *tail[moved + 1 :]]


def _repeat(moment: Moment, tail: Steps) -> Steps:
    if not tail:
        return _add_request(moment, tail)
    return [*tail, moment.lot.one_of(tail) | {"at": f"{_soon(moment)}ms"}]


def _lend(moment: Moment, tail: Steps) -> Steps:
    """Adds steps of the other plan, as long after this moment as they came after theirs."""
    lent = moment.lent
    begin = moment.lot.stream.randrange(len(lent)) if lent else 0
    some = lent[begin : begin + moment.lot.stream.randint(1, 5)]
    return tail + [step | {"at": f"{moment.at_ms + 1 + at_ms_of(step)}ms"} for step in some]


Change = Callable[[Moment, Steps], Steps]
CHANGES: Sequence[Change] = (
    _add_fault, _add_fault, _add_request, _hold, _cross, _cross, _delay, _drop, _move, _repeat,
    _lend,
)  # fmt: skip
CHANGES_OF_MESSAGES: Sequence[Change] = (*CHANGES, _add_copy_fault, _add_copy_fault)
