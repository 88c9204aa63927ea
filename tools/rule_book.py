"""Reads docs/rules.md: sections, and the number, statement and sources of each rule.

The page itself explains the form of a rule. Another form raises ValueError.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"
KINDS = ("Class", "KIP", "Ticket", "Rules", "Recording", "Observed", "Basis")
NUMBER = re.compile(r"(\d+A?|B\d)\.(\d+)([a-z]?)")
_SECTION = re.compile(r"## (\d+A?|B\d)\. (.+)")
_PART = re.compile(r"### (\d+A?[A-Z]|B\d[A-Z])\. .+")
_RULE = re.compile(r"#### (\S+)")
_SOURCE = re.compile(rf"- ({'|'.join(KINDS)}): (.+)")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `statement` is Markdown, with the lines of the book; `sources` are keyed by kind.
    """

    number: str
    statement: tuple[str, ...]
    sources: Mapping[str, str]

    @property
    def is_not_judged(self) -> bool:
        """True for a rule that no release has."""
        return self.sources.get("Basis", "").startswith("read, not judged")

    @property
    def read_in(self) -> str:
        """The classes, tickets and proposals in which the rule was read."""
        kinds = ("Class", "Ticket", "KIP")
        return "; ".join(self.sources[kind] for kind in kinds if kind in self.sources)


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    rules: tuple[Rule, ...]

    @property
    def is_of_messages(self) -> bool:
        """True for a section about the messages of a broker: B1, B2."""
        return self.key.startswith("B")

    @cached_property
    def last(self) -> int:
        """The highest rule number in the section."""
        return max(order(rule.number)[0] for rule in self.rules)


@dataclass(frozen=True)
class RuleBook:
    """`parts` are the keys of the sections' parts, such as `2A`."""

    sections: tuple[Section, ...]
    parts: frozenset[str]

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        return {rule.number: rule for section in self.sections for rule in section.rules}

    def problem_with(self, rule: object) -> str | None:
        """Returns an error if `rule` is not the number of a rule; otherwise None."""
        if not isinstance(rule, str) or NUMBER.fullmatch(rule) is None:
            return f"expected a rule number such as '2.33', got {rule!r}"
        if rule in self.rules:
            return None
        key = section_of(rule)
        for section in self.sections:
            if section.key == key:
                return f"expected {key}.1 to {key}.{section.last}, got {rule}"
        keys = ", ".join(section.key for section in self.sections)
        return f"expected one of the sections {keys}, got {key} in {rule}"


@cache
def rule_book() -> RuleBook:
    return parse(PAGE.read_text(encoding="utf-8"))


def parse(text: str) -> RuleBook:
    book = RuleBook(tuple(_sections(text)), frozenset(_parts(text)))
    count = sum(len(section.rules) for section in book.sections)
    if count != len(book.rules):
        raise ValueError("expected each rule number once in the rule book")
    return book


def section_of(rule: str) -> str:
    return rule.partition(".")[0]


def order(rule: str) -> tuple[int, str]:
    """Returns a sort key for the rules of a section: number, then letter."""
    match = NUMBER.fullmatch(rule)
    if match is None:
        raise ValueError(f"expected a rule number such as '2.33', got {rule!r}")
    return int(match[2]), match[3]


def _sections(text: str) -> Iterator[Section]:
    for heading, lines in _split(_numbered(text), _SECTION):
        rules = tuple(_rule(match[1], body) for match, body in _split(lines, _RULE))
        for rule in rules:
            if section_of(rule.number) != heading[1]:
                raise ValueError(f"expected rules of section {heading[1]}, got {rule.number}")
        yield Section(heading[1], heading[2], rules)


def _parts(text: str) -> Iterator[str]:
    for line in text.splitlines():
        match = _PART.fullmatch(line)
        if match is not None:
            yield match[1]


def _numbered(text: str) -> list[str]:
    """Returns the lines without the headings of parts, which stand between rules."""
    return [line for line in text.splitlines() if not line.startswith("### ")]


def _split(lines: list[str], heading: re.Pattern[str]) -> list[tuple[re.Match[str], list[str]]]:
    """Returns each line that matches `heading`, with the lines below it."""
    sections: list[tuple[re.Match[str], list[str]]] = []
    in_code = False
    for line in lines:
        in_code ^= line.startswith(_FENCE)
        match = None if in_code else heading.fullmatch(line)
        if match is not None:
            sections.append((match, []))
        elif sections:
            sections[-1][1].append(line)
    return sections


def _rule(number: str, lines: list[str]) -> Rule:
    order(number)
    first = next((at for at, line in enumerate(lines) if _SOURCE.fullmatch(line)), len(lines))
    statement = _stripped(lines[:first])
    sources = _sources(lines[first:])
    if not statement or not sources:
        raise ValueError(f"expected a statement and a source in rule {number}")
    return Rule(number, statement, sources)


def _stripped(lines: list[str]) -> tuple[str, ...]:
    return tuple("\n".join(lines).strip("\n").splitlines())


def _sources(lines: list[str]) -> dict[str, str]:
    """Returns the sources of a rule, by kind.

    A list item is a source; an indented line continues it.
    """
    sources: dict[str, str] = {}
    for line in filter(None, lines):
        match = _SOURCE.fullmatch(line)
        if match is not None and match[1] not in sources:
            sources[match[1]] = match[2]
        elif sources and line.startswith("  "):
            kind = next(reversed(sources))
            sources[kind] = f"{sources[kind]} {line.strip()}"
        else:
            raise ValueError(f"expected a source, once for each kind, got {line!r}")
    return sources
