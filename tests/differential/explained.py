"""The differences that are decided: rows of docs/differences.toml that say what they match.

    matches = [{ api = "AlterPartition", path = "reply.errorCode", kafka = "-1", ours = "0" }]

The head of docs/differences.toml describes `matches`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.differential.judge import Mismatch
from tools.fidelity import differences

_BETWEEN = "\0"  # between both values, so that `ours` may refer to a group of `kafka`


@dataclass(frozen=True, slots=True)
class Match:
    row: str
    api: str = ".*"
    path: str = ".*"
    kafka: str = ".*"
    ours: str = ".*"
    releases: tuple[str, ...] = ()
    records: int | None = None
    is_race: bool = False

    def explains(self, mismatch: Mismatch, release: str) -> bool:
        if self.releases and release not in self.releases:
            return False
        if self.records not in (None, mismatch.records):
            return False
        values = f"{mismatch.kafka}{_BETWEEN}{mismatch.ours}"
        parts = (
            (self.api, mismatch.api),
            (self.path, mismatch.path),
            (f"(?:{self.kafka}){_BETWEEN}(?:{self.ours})", values),
        )
        return all(re.fullmatch(a, b, re.DOTALL) for a, b in parts)


def matches() -> list[Match]:
    rows = differences()["difference"]
    return [Match(row["id"], **_typed(match)) for row in rows for match in row.get("matches", ())]


def _typed(match: dict[str, object]) -> dict[str, object]:
    releases = match.get("releases", ())
    assert isinstance(releases, Iterable), match
    return match | {"releases": tuple(releases)}


def explanation(mismatches: list[Mismatch], release: str, known: list[Match]) -> list[Match]:
    """Return the matches of the first row that explains every mismatch of one step, else none."""
    for row in dict.fromkeys(match.row for match in known):
        of_row = [match for match in known if match.row == row]
        found = [_first_match(mismatch, release, of_row) for mismatch in mismatches]
        if None not in found:
            return list(dict.fromkeys(match for match in found if match))
    return []


def _first_match(mismatch: Mismatch, release: str, known: list[Match]) -> Match | None:
    return next((match for match in known if match.explains(mismatch, release)), None)
