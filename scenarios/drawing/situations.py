"""Draws situations: steps at related times, which independently drawn faults rarely have.

Some properties are put to the test in one of them only: the order of a leader's successors (S38),
a leader without a majority (S37), and a controlled shutdown that lasts (S24).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .lot import Lot, Words

Steps = list[tuple[int, str, Words]]
"""Steps of a situation: milliseconds after its begin, verb, and the words of the verb."""


class Situation(NamedTuple):
    """A situation, the pool of the node that it strikes, and the part of the runs that have it."""

    pool: str
    part: float
    draw: Callable[[Lot, int], Steps]


def _handover(lot: Lot, node: int) -> Steps:
    """A leader is stopped while it has not heard from a controller for some time."""
    silent_ms = lot.stream.randint(600, 1_400)
    return [
        (0, "net.hold", {"from": node, "message": "Fetch", "for": f"{silent_ms + 200}ms"}),
        (silent_ms, "proc.stop", {"on": "active", "for": lot.time(1_000, 10_000)}),
    ]


def _lonely_leader(lot: Lot, node: int) -> Steps:
    """Nobody reaches the leader for longer than it may lead alone."""
    return [(0, "net.partition", {"on": "active", "for": lot.time(7_000, 15_000)})]


def _long_shutdown(lot: Lot, node: int) -> Steps:
    """A broker shuts down while another does not read the metadata, for which it must wait."""
    others = [broker for broker in lot.brokers if broker != node]
    lasting_ms = lot.stream.randint(3_000, 8_000)
    held = {"from": lot.one_of(others), "message": "Fetch", "for": f"{lasting_ms}ms"}
    return [
        (0, "net.hold", held),
        (500, "proc.stop", {"on": node, "for": lot.time(8_000, 20_000)}),
    ]


SITUATIONS: Mapping[str, Situation] = {
    "handover": Situation("controllers", 0.6, _handover),
    "lonely leader": Situation("controllers", 0.3, _lonely_leader),
    "long shutdown": Situation("brokers", 0.4, _long_shutdown),
}
