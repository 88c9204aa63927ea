"""The ways in which a hunt draws candidates; those that show more for their cost are drawn more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

WHOLE = "whole"  # a run of the plain swarm, judged after its calm
CROWDS = "crowds"  # short new plans with many steps, for one cluster
BRANCHES = "branches"  # variations of a kept plan after a rare moment
LEAST: Mapping[str, float] = {WHOLE: 0.05, CROWDS: 0.1, BRANCHES: 0.1}
"""The least share of the cost of a hunt that each way has."""
KEEPS = 0.995  # of what is known of the yield of a way, per run


@dataclass(slots=True)
class Ways:
    """The new behaviours and the events of the recent runs of each way."""

    new: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LEAST, 1.0))
    events: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LEAST, 1.0))
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LEAST, 1.0))

    def count(self, way: str, new: int, events: int) -> None:
        """Counts the new behaviours of a run, and the events that it cost."""
        self.new[way] = self.new[way] * KEEPS + new
        self.events[way] = self.events[way] * KEEPS + events
        self.spent[way] += events

    def drawn(self, stream: Random) -> str:
        """Draws a way: one that has less than its least share, or else by its yield."""
        total = sum(self.spent.values())
        for way, share in LEAST.items():
            if self.spent[way] < share * total:
                return way
        yields = [(self.new[way] / self.events[way]) ** 2 for way in LEAST]
        (way,) = stream.choices(list(LEAST), yields)
        return way
