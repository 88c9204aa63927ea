"""Judges sequences side by side: after each step, once settled, both sides must show the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from tests.differential.judge import Mismatch, differences
from tests.differential.replicas.observed import Seen
from tests.differential.replicas.steps import Sequence as Drawn
from tests.differential.replicas.steps import Step

SETTLED_LATER_MAX = 3  # times in which a side may settle once more


class Watched(Protocol):
    """A side, or what was recorded of one."""

    late: str

    def begin(self, sequences: Sequence[Drawn], topics: Sequence[str]) -> dict[str, Seen]: ...
    def perform(self, drawn: Sequence[Step]) -> None: ...
    def settled(self) -> dict[str, Seen]: ...
    def forget_writes(self) -> None: ...


@dataclass(slots=True)
class Judged:
    """What came of sequences that were judged side by side, by their names; `recorded` is what the
    released brokers showed after their creation and after each step. `late` says what this machine
    was too slow for, so that a mismatch says nothing; empty if it was in time."""

    mismatches: dict[str, list[Mismatch]] = field(default_factory=dict)
    recorded: list[dict[str, Seen]] = field(default_factory=list)
    late: str = ""


class Judge:
    """`ours` are clusters that must show what the released one shows, by what they have apart."""

    def __init__(self, kafka: Watched, ours: Mapping[str, Watched]) -> None:
        self._ours = tuple(ours)
        self._sides = (kafka, *ours.values())
        self._numbers: Iterator[int] = count()

    def judge(self, sequences: Sequence[Drawn]) -> Judged:
        """The sequences share their faults; one that has shown a mismatch is not compared again."""
        number = next(self._numbers)
        topics = [f"j{number}.{sequence.name}" for sequence in sequences]
        names = dict(zip(topics, (sequence.name for sequence in sequences), strict=True))
        judged = Judged()
        seen = [side.begin(sequences, topics) for side in self._sides]
        self._compare(-1, names, seen, judged)
        for place, drawn in enumerate(zip(*(s.steps for s in sequences), strict=True)):
            for side in self._sides:
                side.forget_writes()
                side.perform(drawn)
            self._compare(place, names, [side.settled() for side in self._sides], judged)
        for side in self._sides:
            side.forget_writes()
        judged.late = next((side.late for side in self._sides if side.late), "")
        return judged

    def _compare(
        self, place: int, names: dict[str, str], seen: list[dict[str, Seen]], judged: Judged
    ) -> None:
        for _ in range(SETTLED_LATER_MAX):
            differing = [
                topic for topic in names if any(of[topic] != seen[0][topic] for of in seen)
            ]
            if all(names[topic] in judged.mismatches for topic in differing):
                break
            seen = [side.settled() for side in self._sides]
        kafka, *ours = seen
        judged.recorded.append({names[topic]: kafka[topic] for topic in names})
        for side, shown in zip(self._ours, ours, strict=True):
            for topic, name in names.items():
                if name not in judged.mismatches and kafka[topic] != shown[topic]:
                    found = differences(kafka[topic], shown[topic], "")
                    judged.mismatches[name] = [Mismatch(place, side, *row) for row in found]
