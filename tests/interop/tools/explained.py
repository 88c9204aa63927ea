"""Differences between what the tools print of a released cluster and of ours, and their reasons.

docs/tools.toml has the reasons; its head says what a row means.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tests.interop.tools.play import Answer

_FILE = Path(__file__).parents[3] / "docs" / "tools.toml"


@dataclass(frozen=True, slots=True)
class Difference:
    """The lines that only one of both answers has, of one step."""

    step: str
    kafka: tuple[str, ...]
    ours: tuple[str, ...]

    def __str__(self) -> str:
        lines = (
            *(f"  kafka: {line}" for line in self.kafka),
            *(f"  ours: {line}" for line in self.ours),
        )
        return "\n".join((self.step, *lines))


@dataclass(frozen=True, slots=True)
class Reason:
    """A row of docs/tools.toml."""

    id: str
    verdict: str
    why: str
    steps: re.Pattern[str]
    kafka: re.Pattern[str]
    ours: re.Pattern[str]

    def explains(self, difference: Difference) -> bool:
        return (
            self.steps.fullmatch(difference.step) is not None
            and all(self.kafka.fullmatch(line) for line in difference.kafka)
            and all(self.ours.fullmatch(line) for line in difference.ours)
        )


def reasons() -> list[Reason]:
    rows = tomllib.loads(_FILE.read_text("utf-8"))["difference"]
    return [
        Reason(
            id=row["id"],
            verdict=row["verdict"],
            why=" ".join(row["why"].split()),
            steps=_any_of(row["steps"]),
            kafka=_any_of(row["kafka"]),
            ours=_any_of(row["ours"]),
        )
        for row in rows
    ]


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or "(?!)")


def differences(kafka: Sequence[Answer], ours: Sequence[Answer]) -> Iterator[Difference]:
    """Yields what differs, step by step; both have the same steps."""
    for expected, got in zip(kafka, ours, strict=True):
        assert expected.step == got.step
        only_kafka, only_ours = _only(_lines(expected), _lines(got))
        if only_kafka or only_ours:
            yield Difference(expected.step, tuple(only_kafka), tuple(only_ours))


def _lines(answer: Answer) -> list[str]:
    return [*answer.stdout, *answer.stderr, f"exit code {answer.exit}"]


def _only(kafka: list[str], ours: list[str]) -> tuple[list[str], list[str]]:
    only_kafka: list[str] = []
    only_ours: list[str] = []
    matcher = SequenceMatcher(None, kafka, ours, autojunk=False)
    for tag, start, end, own_start, own_end in matcher.get_opcodes():
        if tag != "equal":
            only_kafka += kafka[start:end]
            only_ours += ours[own_start:own_end]
    return only_kafka, only_ours
