"""Reads docs/novelties.toml, the verdicts of novelties, which are written by hand.

The head of that file explains its form. Another form raises ValueError.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.released.novelty_table import Kind, Novelty

FILE = Path(__file__).resolve().parents[2] / "docs" / "novelties.toml"
_KEYS = {"class", "text", "kind", "release", "rules", "difference", "tests", "missing"}
_KEYS |= {"absent", "why"}
_ANSWERS = ("rules", "difference", "tests", "missing", "absent")


@dataclass(frozen=True)
class Verdict:
    """A row of the file: which novelties it is about, and its answer.

    One of the fields `rules` to `absent` is the answer. `classes` and `texts` are patterns; an
    empty tuple matches everything.
    """

    classes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = tuple(Kind)
    release: str = ""
    rules: tuple[str, ...] = ()
    difference: str = ""
    tests: tuple[str, ...] = ()
    missing: str = ""
    absent: str = ""
    why: str = ""

    def pattern_of(self, novelty: Novelty) -> str | None:
        """Returns the pattern of the text that matches, or None if the row is about another one.

        Every class that holds the text must match.
        """
        if novelty.kind not in self.kinds or self.release not in ("", novelty.release):
            return None
        if self.classes and not all(
            any(_matches(pattern, name) for pattern in self.classes) for name in novelty.classes
        ):
            return None
        patterns = (text for text in self.texts or ("*",) if _matches(text, novelty.text))
        return next(patterns, None)


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """`*` stands for any characters."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def verdicts() -> list[Verdict]:
    return parse(FILE.read_text("utf-8"))


def parse(text: str) -> list[Verdict]:
    return [_verdict(row) for row in tomllib.loads(text)["verdict"]]


def _verdict(row: Mapping[str, Any]) -> Verdict:
    unknown = sorted(row.keys() - _KEYS)
    if unknown:
        raise ValueError(f"expected the keys {', '.join(sorted(_KEYS))}, got {', '.join(unknown)}")
    if sum(answer in row for answer in _ANSWERS) != 1:
        raise ValueError(f"expected one of {', '.join(_ANSWERS)} in a verdict, got {dict(row)}")
    kinds = tuple(map(Kind, _listed(row.get("kind", ())))) or tuple(Kind)
    return Verdict(
        classes=_listed(row.get("class", ())),
        texts=_listed(row.get("text", ())),
        kinds=kinds,
        release=row.get("release", ""),
        rules=_listed(row.get("rules", ())),
        difference=row.get("difference", ""),
        tests=_listed(row.get("tests", ())),
        missing=row.get("missing", ""),
        absent=row.get("absent", ""),
        why=row.get("why", ""),
    )


def _listed(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True)
class Judged:
    """Novelties by verdict, in the order of the file; `stale` names patterns that match nothing."""

    rows: Mapping[Verdict, list[Novelty]]
    unread: list[Novelty]
    stale: list[str]


def judge(found: Iterable[Novelty], table: list[Verdict]) -> Judged:
    """Gives each novelty the first verdict that matches."""
    rows: dict[Verdict, list[Novelty]] = {verdict: [] for verdict in table}
    used: set[tuple[Verdict, str]] = set()
    unread = []
    for novelty in found:
        for verdict in table:
            pattern = verdict.pattern_of(novelty)
            if pattern is not None:
                rows[verdict].append(novelty)
                used.add((verdict, pattern))
                break
        else:
            unread.append(novelty)
    stale = [
        f"{', '.join(verdict.classes) or 'any class'}: {text}"
        for verdict in table
        for text in verdict.texts or ("*",)
        if (verdict, text) not in used
    ]
    return Judged(rows, unread, stale)
