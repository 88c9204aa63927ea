"""Short crowded plans for one cluster, which share its start: their runs are forked from there."""

from collections.abc import Mapping
from random import Random
from typing import Any

from ..document.plan import drawn_document
from ..document.scenario import MESSAGES, Scenario
from ..drawing.lot import Lot, Words
from ..drawing.messages import shape_with_messages, with_messages
from ..drawing.scenario import claimed, lot_of
from ..drawing.shape import drawn_shape
from ..drawing.steps import PART_OF_FAULTS, at_ms_of, drawn_steps
from .branches import Branches
from .candidate import Candidate, lasting
from .corpus import Kept
from .delays import crossed, late
from .ways import CROWDS as WAY

PLANS = 12  # of one cluster
LASTING_MS = 20_000
PACE_MS = (100, 1_000)  # mean times between two faults, and between two requests
ALL_KINDS = 0.6  # part of the plans with every kind of fault
CROSSED = 0.7  # part of the plans whose messages overtake each other
OF_FIVE = 0.75  # part of the drawn clusters that have five controllers
LATE = 0.3  # part of the plans with single messages that are late
MESSAGES_PER_S = 250  # of a cluster that has not run yet


def crowd(scenario: Scenario, seed: int, alike: Kept | None, stream: Random) -> Branches:
    """Returns crowded plans for the cluster of a kept plan, or for a drawn cluster."""
    has_messages = scenario.draw == MESSAGES
    parts = _drawn_shape(stream) if alike is None else _shape_of(alike.candidate.document)
    if has_messages and alike is None:
        parts = shape_with_messages(parts, stream)
    per_s = MESSAGES_PER_S if alike is None else alike.messages_per_s
    document = lasting(drawn_document(scenario, seed) | parts, LASTING_MS)
    lot = lot_of(document, stream)
    messages = per_s * LASTING_MS // 1000
    plans = [claimed(document | {"do": _steps(lot, messages)}) for _ in range(PLANS)]
    if has_messages:
        plans = [with_messages(plan, stream, LASTING_MS) for plan in plans]
    candidates = tuple(Candidate(plan, seed) for plan in plans)
    return Branches(candidates, has_calm=False, way=WAY).alike()


def _shape_of(document: Mapping[str, Any]) -> Words:
    """Returns the cluster, release, settings and network of a plan."""
    return {key: document[key] for key in ("profile", "cluster", "config", "network")}


def _drawn_shape(stream: Random) -> Words:
    """Returns a drawn cluster, more often of five controllers: they show most for their cost."""
    shape: dict[str, Any] = drawn_shape(stream)
    controllers = 5 if stream.random() < OF_FIVE else shape["cluster"]["controllers"]
    return shape | {"cluster": shape["cluster"] | {"controllers": controllers}}


def _steps(lot: Lot, messages: int) -> list[Words]:
    part = 1 if lot.chance(ALL_KINDS) else PART_OF_FAULTS
    steps = drawn_steps(lot, LASTING_MS, PACE_MS, part)
    if lot.chance(CROSSED):
        steps.append(crossed(lot, 1, LASTING_MS))
    if lot.chance(LATE):
        steps += late(lot, 1, messages)
    return sorted((step for step in steps if at_ms_of(step) > 0), key=at_ms_of)
