"""The score of drawn mutants: how many each judge kills, and which survive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

JUDGES = ("tests", "library", "swarm", "hunt")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of the judges that were asked kill a mutant, and how many seconds each took."""

    name: str
    killed: Mapping[str, bool]
    took_s: Mapping[str, float]

    def __str__(self) -> str:
        by = ", ".join(judge for judge, kills in self.killed.items() if kills)
        return f"{self.name}: {f'killed by {by}' if by else 'survives the tests'}"

    def to_document(self) -> dict[str, object]:
        """Returns the verdict as a JSON object."""
        return {"name": self.name, "killed": dict(self.killed), "took_s": dict(self.took_s)}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> "Verdict":
        """Reads a JSON object that `to_document` returned."""
        return Verdict(document["name"], document["killed"], document["took_s"])


def table(verdicts: Sequence[Verdict]) -> str:
    """Returns the score as a table of Markdown, and what the hunt and what the tests missed."""
    by_tests = [verdict for verdict in verdicts if verdict.killed["tests"]]
    lines = [
        f"{len(verdicts)} mutants, of which the tests kill {len(by_tests)}. Of these:",
        "",
        "| judge | kills | part |",
        "|---|---|---|",
        *(_row(judge, by_tests) for judge in JUDGES[1:]),
        "",
        "Survived the hunt:",
        "",
        *(f"- `{verdict.name}`" for verdict in by_tests if not verdict.killed["hunt"]),
        "",
        "Survived the tests, and were shown to no other judge:",
        "",
        *(f"- `{verdict.name}`" for verdict in verdicts if not verdict.killed["tests"]),
    ]
    return "\n".join(lines)


def _row(judge: str, by_tests: Sequence[Verdict]) -> str:
    kills = sum(verdict.killed[judge] for verdict in by_tests)
    part = f"{kills / len(by_tests):.0%}" if by_tests else "-"
    return f"| {judge} | {kills} of {len(by_tests)} | {part} |"
