"""Judges sequences side by side: after each step, once settled, both sides must show the same."""

import time
from collections.abc import Iterator, Sequence
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

    def begin(self, sequences: Sequence[Drawn], topics: Sequence[str]) -> dict[str, Seen]: ...
    def perform(self, drawn: Sequence[Step]) -> None: ...
    def settled(self) -> dict[str, Seen]: ...
    def forget_writes(self) -> None: ...


@dataclass(slots=True)
class Judged:
    """What came of sequences that were judged side by side; `seconds` is when each step ended."""

    mismatches: dict[str, list[Mismatch]] = field(default_factory=dict)
    recorded: list[dict[str, Seen]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


class Judge:
    def __init__(self, kafka: Watched, ours: Watched) -> None:
        self._kafka, self._ours = kafka, ours
        self._numbers: Iterator[int] = count()

    def judge(self, sequences: Sequence[Drawn]) -> Judged:
        """The sequences share their faults; one that has shown a mismatch is not compared again."""
        number = next(self._numbers)
        topics = [f"j{number}.{sequence.name}" for sequence in sequences]
        names = dict(zip(topics, (sequence.name for sequence in sequences), strict=True))
        judged = Judged()
        began_s = time.monotonic()
        seen = self._kafka.begin(sequences, topics), self._ours.begin(sequences, topics)
        self._compare(-1, "create", names, seen, judged)
        for place, drawn in enumerate(zip(*(s.steps for s in sequences), strict=True)):
            for side in (self._kafka, self._ours):
                side.forget_writes()
                side.perform(drawn)
            seen = self._kafka.settled(), self._ours.settled()
            judged.seconds.append(time.monotonic() - began_s)
            self._compare(place, "step", names, seen, judged)
        for side in (self._kafka, self._ours):
            side.forget_writes()
        return judged

    def _compare(
        self,
        place: int,
        what: str,
        names: dict[str, str],
        seen: tuple[dict[str, Seen], dict[str, Seen]],
        judged: Judged,
    ) -> None:
        for _ in range(SETTLED_LATER_MAX):
            if seen[0] == seen[1]:
                break
            waiting = [topic for topic in names if seen[0][topic] != seen[1][topic]]
            if all(names[topic] in judged.mismatches for topic in waiting):
                break
            seen = self._kafka.settled(), self._ours.settled()
        judged.recorded.append({names[topic]: seen[0][topic] for topic in names})
        for topic, name in names.items():
            if name not in judged.mismatches and seen[0][topic] != seen[1][topic]:
                found = differences(seen[0][topic], seen[1][topic], "")
                judged.mismatches[name] = [Mismatch(place, what, *each) for each in found]
