"""Draws the parts of a scenario document that a swarm of everything leaves open."""

from collections.abc import Mapping
from random import Random
from typing import Any

from kraftsim.simulation.topology import broker_ids, controller_ids

from .lot import Lot, Words
from .shape import drawn_shape
from .steps import USUAL_PACE_MS, drawn_steps

HEALS_ALL = 0.5  # part of the runs whose calm heals every node, and not only a majority


def drawn_parts(stream: Random, run_ms: int, pace_ms: tuple[int, int] = USUAL_PACE_MS) -> Words:
    """Returns the keys of a scenario document from its release to its steps.

    `pace_ms` bounds the mean time between two faults, and between two requests.
    """
    shape = drawn_shape(stream)
    lot = lot_of(shape, stream)
    calm = {"heals": "all" if lot.chance(HEALS_ALL) else "core"}
    return claimed(shape | {"do": drawn_steps(lot, run_ms, pace_ms), "calm": calm})


def claimed(document: Words) -> Words:
    """Returns the document with the properties that its steps leave to Kafka.

    A voter that moves is lost to a follower that already has its former address for this epoch
    (KafkaRaftClient.maybeTransition), so such a run must be safe and need not recover.
    """
    steps = document["do"]
    assert isinstance(steps, list)
    group = "safety" if any("proc.move" in step for step in steps) else "all"
    return document | {"expect": {"always": [group]}}


def lot_of(document: Mapping[str, Any], stream: Random) -> Lot:
    """Returns a lot for the cluster of a scenario document."""
    cluster = document["cluster"]
    return Lot(
        stream,
        document["profile"],
        controller_ids(cluster["controllers"]),
        broker_ids(cluster["brokers"]),
        tuple(cluster["topics"]),
        are_voters_static=cluster.get("kraft_version") == 0,
    )
