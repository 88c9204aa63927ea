"""Situations: steps at related times, which faults that are drawn one by one rarely have.

Some properties are tested only in such a situation: the order of a leader's successors (S38), a
leader without a majority (S37), and a long controlled shutdown (S24).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .lot import Lot, Words

Steps = list[tuple[int, str, Words]]
"""Steps of a situation: milliseconds after its start, verb, and the words of the verb."""


class Situation(NamedTuple):
    """The pool of the node that a situation concerns, and the part of the runs that have it."""

    pool: str
    part: float
    draw: Callable[[Lot, int], Steps]


def _handover(lot: Lot, node: int) -> Steps:
    """Stops the leader while a voter has not fetched for 600 to 1,400 ms."""
    silent_ms = lot.stream.randint(600, 1_400)
    return [
        (0, "net.hold", {"from": node, "message": "Fetch", "for": f"{silent_ms + 200}ms"}),
        (silent_ms, "proc.stop", {"on": "active", "for": lot.time(1_000, 10_000)}),
    ]


def _lonely_leader(lot: Lot, node: int) -> Steps:
    """Partitions the leader for longer than a leader without a majority may lead."""
    return [(0, "net.partition", {"on": "active", "for": lot.time(7_000, 15_000)})]


def _long_shutdown(lot: Lot, node: int) -> Steps:
    """Stops a broker while another broker fetches no metadata; the shutdown waits for that one."""
    others = [broker for broker in lot.brokers if broker != node]
    lasting_ms = lot.stream.randint(3_000, 8_000)
    held = {"from": lot.one_of(others), "message": "Fetch", "for": f"{lasting_ms}ms"}
    return [(0, "net.hold", held), (500, "proc.stop", {"on": node, "for": lot.time(8_000, 20_000)})]


SITUATIONS: Mapping[str, Situation] = {
    "handover": Situation("controllers", 0.6, _handover),
    "lonely leader": Situation("controllers", 0.3, _lonely_leader),
    "long shutdown": Situation("brokers", 0.4, _long_shutdown),
}
