"""Sequences with what the released brokers showed after each step: ours must show the same.

A kept file is replayed without Java.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.differential.judge import Mismatch
from tests.differential.replicas.judge import Judge, Judged
from tests.differential.replicas.observed import Seen
from tests.differential.replicas.sides import our_sides
from tests.differential.replicas.steps import Sequence as Drawn
from tests.differential.replicas.steps import Step
from tests.differential.replicas.witness import witnesses

FOLDER = Path(__file__).parent / "kept"


class Recorded:
    """The released side, as it was recorded."""

    late = ""

    def __init__(self, seen: Sequence[dict[str, Seen]]) -> None:
        self._seen = iter(seen)
        self._topics: dict[str, str] = {}
        self._last: dict[str, Seen] = {}

    def begin(self, sequences: Sequence[Drawn], topics: Sequence[str]) -> dict[str, Seen]:
        names = (sequence.name for sequence in sequences)
        self._topics = dict(zip(topics, names, strict=True))
        self.perform(())
        return self.settled()

    def perform(self, drawn: Sequence[Step]) -> None:
        self._last = next(self._seen)

    def settled(self) -> dict[str, Seen]:
        return {topic: self._last[name] for topic, name in self._topics.items()}

    def forget_writes(self) -> None:
        """Nothing was written."""


def write(path: Path, release: str, rule: str, sequences: Sequence[Drawn], judged: Judged) -> None:
    """Keeps sequences with what was recorded when they were judged."""
    path.parent.mkdir(parents=True, exist_ok=True)
    steps = [_line(sequence.to_json()) for sequence in sequences]
    seen = [_line(step) for step in judged.recorded]
    head = f'{{"release": {_line(release)}, "rule": {_line(rule)},\n'
    body = f'"sequences": [\n{_lines(steps)}],\n"seen": [\n{_lines(seen)}]}}\n'
    path.write_text(head + body, "utf-8")


def _line(document: Any) -> str:
    return json.dumps(document)


def _lines(lines: Sequence[str]) -> str:
    return ",\n".join(lines)


def replay(path: Path) -> dict[str, list[Mismatch]]:
    """The first mismatches of each sequence in which ours shows something else."""
    document = json.loads(path.read_text("utf-8"))
    sequences = [Drawn.of_json(sequence) for sequence in document["sequences"]]
    with our_sides() as sides, witnesses(sides) as ours:
        return Judge(Recorded(document["seen"]), ours).judge(sequences).mismatches
