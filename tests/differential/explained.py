"""The differences that are decided: rows of docs/differences.toml that say what they match.

    matches = [{ api = "AlterPartition", path = "reply.errorCode", kafka = "-1", ours = "0" }]

`path`, `kafka` and `ours` are regular expressions that must match whole; a part that is left out
matches anything. `releases` limits a match to some of the releases.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.differential.judge import Mismatch

DIFFERENCES = Path(__file__).parents[2] / "docs" / "differences.toml"


@dataclass(frozen=True, slots=True)
class Match:
    row: str
    api: str = ".*"
    path: str = ".*"
    kafka: str = ".*"
    ours: str = ".*"
    releases: tuple[str, ...] = ()

    def explains(self, mismatch: Mismatch, release: str) -> bool:
        parts = (
            (self.api, mismatch.api),
            (self.path, mismatch.path),
            (self.kafka, str(mismatch.kafka)),
            (self.ours, str(mismatch.ours)),
        )
        applies = not self.releases or release in self.releases
        return applies and all(re.fullmatch(a, b, re.DOTALL) for a, b in parts)


def matches() -> list[Match]:
    rows = tomllib.loads(DIFFERENCES.read_text("utf-8"))["difference"]
    return [Match(row["id"], **_typed(match)) for row in rows for match in row.get("matches", ())]


def _typed(match: dict[str, object]) -> dict[str, object]:
    releases = match.get("releases", ())
    assert isinstance(releases, Iterable), match
    return match | {"releases": tuple(releases)}


def explanation(mismatches: list[Mismatch], release: str, known: list[Match]) -> Match | None:
    """The match that explains the first mismatch of a step: what follows it is its consequence."""
    return next((match for match in known if match.explains(mismatches[0], release)), None)
