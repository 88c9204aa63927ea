"""Reads a link of the page: a lesson with its seed, its time and every branch that was open.

The words after `#` are those of `page/address.js`: `lesson`, `seed`, `t`, and either `profile` and
`acts` of the only branch, or `branches`, of which `active` is shown and `beside` are side by side.
`sum` is a check sum (FNV-1a, 32 bits) of the other words; a link without it was written by hand.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from ..errors import UsageError

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTU"  # of branches, as on the page
BRANCHES_MAX: Final = 21
LINK_MAX: Final = 100_000  # characters
SUM: Final = "sum"
OFFSET_BASIS: Final = 0x811C9DC5
PRIME: Final = 0x01000193


@dataclass(frozen=True, slots=True)
class LinkedBranch:
    """A branch of a link; `profile` is empty for that of the file, `acts` is an array in JSON."""

    profile: str = ""
    acts: str = "[]"


@dataclass(frozen=True, slots=True)
class Link:
    """What a link shows; `at_us` is a time of the timeline, None for the begin of the steps."""

    name: str
    seed: int
    at_us: int | None
    branches: tuple[LinkedBranch, ...]
    active: int
    beside: tuple[int, ...]

    @property
    def shown(self) -> LinkedBranch:
        """The branch whose timeline the page shows."""
        return self.branches[self.active]


def read_link(text: str) -> Link:
    """Reads an address, or what stands after its `#`. Raises UsageError for a damaged link."""
    if len(text) > LINK_MAX:
        raise _damaged("a link", f"at most {LINK_MAX:,} characters", len(text))
    pairs = _pairs(text.rpartition("#")[2])
    words = dict(reversed(pairs))  # of a word that is there twice, the first counts
    if SUM in words and words[SUM] != sum_of(pairs):
        raise UsageError(
            "this link is damaged: its end is missing, or a part of it was changed: expected sum "
            f"{sum_of(pairs)}, got {words[SUM][:60]!r}"
        )
    if not words.get("lesson"):
        raise _damaged("a link", "lesson=NAME after its #", text[-60:])
    branches = _branches(words)
    beside = tuple(_number("beside", part) for part in words.get("beside", "").split(",") if part)
    active = _number("active", words.get("active", "0"))
    for word, index in (("active", active), *(("beside", index) for index in beside)):
        if index >= len(branches):
            raise _damaged(word, f"the number of a branch, 0 to {len(branches) - 1}", index)
    at_us = _number("t", words["t"]) if "t" in words else None
    seed = _number("seed", words.get("seed", "17"))
    return Link(words["lesson"], seed, at_us, branches, active, beside)


def sum_of(pairs: Sequence[tuple[str, str]]) -> str:
    """Returns the check sum of the words of a link, without that of `sum` itself."""
    text = "".join(f"{word}={value}\n" for word, value in pairs if word != SUM)
    number = OFFSET_BASIS
    for byte in text.encode():
        number = (number ^ byte) * PRIME % 2**32
    return f"{number:08x}"


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise _damaged("a link", "at most 20 words", text) from None


def _branches(words: dict[str, str]) -> tuple[LinkedBranch, ...]:
    if "branches" not in words:
        return (LinkedBranch(words.get("profile", ""), words.get("acts", "[]")),)
    documents = _array("branches", words["branches"])
    if not 0 < len(documents) <= BRANCHES_MAX:
        raise _damaged("branches", f"1 to {BRANCHES_MAX} branches", len(documents))
    return tuple(_branch(document) for document in documents)


def _branch(document: object) -> LinkedBranch:
    if not isinstance(document, dict) or not set(document) <= {"profile", "acts"}:
        raise _damaged("a branch", "an object with profile and acts", document)
    return LinkedBranch(str(document.get("profile", "")), json.dumps(document.get("acts", [])))


def _array(word: str, text: str) -> list[object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise _damaged(word, "an array in JSON", text)
    return found


def _number(word: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise _damaged(word, "a whole number", text)
    return int(text)


def _damaged(word: str, expected: str, got: object) -> UsageError:
    return UsageError(f"this link is damaged: expected {word} as {expected}, got {str(got)[:60]!r}")
