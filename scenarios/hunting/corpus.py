"""The plans that a hunt keeps: each was the first whose run showed some behaviour."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from .candidate import Candidate, Shown

KEPT_MAX = 5_000  # plans; of more, those that were varied most often are dropped
MOMENTS_MAX = 8  # times of a run that variations are aimed at


@dataclass(slots=True)
class Kept:
    """A plan, the times of its rarest behaviours in microseconds, and how often it was varied.

    `events` is what its run cost, and `messages_per_s` how many messages arrived in a second.
    """

    candidate: Candidate
    first_us: dict[int, int]  # of the behaviours that it was the first to show
    events: int = 1
    messages_per_s: int = 1
    varied: int = 0

    @property
    def moments_us(self) -> list[int]:
        """The last times at which the run showed something that no run had shown before."""
        return sorted(set(self.first_us.values()))[-MOMENTS_MAX:]


@dataclass(slots=True)
class Corpus:
    """The kept plans, and every behaviour that any run has shown, with the number of its runs."""

    kept: list[Kept] = field(default_factory=list)
    runs_with: dict[int, int] = field(default_factory=dict)

    def take(self, candidate: Candidate, shown: Shown) -> int:
        """Counts the behaviours of a run, keeps its plan if one is new; returns how many are."""
        new = {number: us for number, us in shown.first_us.items() if number not in self.runs_with}
        for number in shown.first_us:
            self.runs_with[number] = self.runs_with.get(number, 0) + 1
        if new and not shown.broken:
            self.kept.append(Kept(candidate, new, max(1, shown.events), shown.messages_per_s))
        if len(self.kept) > KEPT_MAX:
            self.kept.remove(max(self.kept, key=lambda kept: kept.varied))
        return len(new)

    @property
    def varied(self) -> list[int]:
        """How often each plan was varied, in the order of `kept`."""
        return [kept.varied for kept in self.kept]

    @varied.setter
    def varied(self, counts: Sequence[int]) -> None:
        for kept, count in zip(self.kept, counts, strict=True):
            kept.varied = count

    def drawn(self, stream: Random) -> Kept:
        """Draws a plan: likelier a cheap one with rare behaviours that was rarely varied."""
        (kept,) = stream.choices(self.kept, [self._weight(kept) for kept in self.kept])
        kept.varied += 1
        return kept

    def _weight(self, kept: Kept) -> float:
        rarity = sum(1 / self.runs_with[number] for number in kept.first_us)
        return rarity / kept.events / (1 + kept.varied)
