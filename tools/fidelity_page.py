"""Renders docs/fidelity.md: the differences, and each rule with its verdict and its tests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import Any

from tools.rule_book import Rule, RuleBook, Section

WIDTH = 110

INTRODUCTION = """\
# Fidelity: what is Kafka's, what is proven, what differs

Written by `make fidelity` from the tests, from [rules.md](rules.md), from `differences.toml` and
from `verdicts.toml`; do not edit this page.

The baseline is released Kafka 4.4, the default profile; other profiles follow Kafka 4.3, 4.1 and
3.9 where these differ. A rule is one statement about what a KRaft controller does; its number leads
to the rule book, which has its sources. The verdicts:

- **Proven**: each listed test fails when the rule does not hold.
- **Differs on purpose**: kraftsim does something else, as the named difference says. The listed
  tests prove the rest of the rule, or the difference.
- **Read, not judged**: no release has the rule; it was read in the sources of Kafka's development
  branch, or in a proposal, which it names. The listed tests hold kraftsim to it.
"""
REST = "Each section ends with the rules that no test names and no difference concerns, and why."


@dataclass(frozen=True, slots=True, order=True)
class Proof:
    """A test, and the rules that it proves.

    `test` is `tests/file.py::name`, without parameters.
    """

    test: str
    rules: tuple[str, ...]

    @property
    def promise(self) -> str:
        return self.test.rpartition("::")[2].removeprefix("test_").replace("_", " ")

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]


def render(
    book: RuleBook, proofs: list[Proof], table: dict[str, Any], verdicts: dict[str, Any]
) -> str:
    lines = [*INTRODUCTION.splitlines(), *_meanings(verdicts["meaning"]), "", REST, ""]
    lines += [*_differences(table), *_absent(table)]
    lines += ["## Rules, and the tests that prove them", ""]
    by_rule = {
        number: [proof for proof in proofs if number in proof.rules] for number in book.rules
    }
    for section in book.sections:
        lines += _section(section, by_rule, table["difference"], verdicts["verdict"])
    return "\n".join(lines).rstrip("\n") + "\n"


def without_verdict(
    book: RuleBook, proofs: Iterable[Proof], table: dict[str, Any], verdicts: dict[str, Any]
) -> list[str]:
    """Returns the rules that no test, no difference and no verdict names."""
    named = {rule for proof in proofs for rule in proof.rules}
    named.update(rule for row in table["difference"] for rule in row["rules"])
    named.update(rule for row in verdicts["verdict"] for rule in row["rules"])
    return [number for number in book.rules if number not in named]


def _meanings(meanings: Mapping[str, str]) -> list[str]:
    lines = []
    for verdict, meaning in meanings.items():
        lines += _item(f"**{verdict.capitalize()}**: {meaning}.")
    return lines


def _differences(table: dict[str, Any]) -> list[str]:
    lines = ["## Differences, on purpose", ""]
    for row in table["difference"]:
        lines += [f'<a id="{row["id"]}"></a>', "", f"### {row['title']}", ""]
        lines += _item(f"Kafka: {row['kafka']}")
        lines += _item(f"kraftsim: {row['kraftsim']}")
        lines += _item(f"Why: {row['why']}")
        if row["rules"]:
            lines += _item(f"Rules: {', '.join(map(_link, row['rules']))}")
        lines += _tests(Proof(test, ()) for test in row.get("tests", []))
        lines.append("")
    return lines


def _absent(table: dict[str, Any]) -> list[str]:
    lines = ["## Not offered", "", *_wrap(table["absent"]["about"]), ""]
    rows = [f"| {row['key']} | {row['name']} |" for row in table["absent"]["apis"]]
    lines += ["| key | API |", "|---|---|", *rows] if rows else []
    return [*lines, ""]


def _section(
    section: Section,
    by_rule: Mapping[str, list[Proof]],
    table: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> list[str]:
    proven = [rule for rule in section.rules if by_rule[rule.number]]
    lines = [f"### {section.key}. {section.title}", ""]
    lines += [f"Tests name {len(proven)} of {len(section.rules)} rules.", ""]
    unnamed: set[str] = set()
    for rule in section.rules:
        differing = [row for row in table if rule.number in row["rules"]]
        if by_rule[rule.number] or differing:
            lines += _rule(rule, by_rule[rule.number], differing)
        else:
            unnamed.add(rule.number)
    for row in verdicts:
        rules = ", ".join(_link(number) for number in row["rules"] if number in unnamed)
        lines += [*_wrap(f"**{row['verdict'].capitalize()}**: {rules}. {row['why']}"), ""] * bool(
            rules
        )
    return lines


def _rule(rule: Rule, proofs: list[Proof], differing: list[dict[str, Any]]) -> list[str]:
    lines = [f"#### {_link(rule.number)}", "", *rule.statement, ""]
    for row in differing:
        lines += _wrap(f"**Differs on purpose**: [{row['title']}](#{row['id']})")
    if rule.is_not_judged:
        lines += [""] * bool(differing) + _wrap(f"**Read, not judged**: {rule.read_in}")
    elif not differing:
        lines.append("**Proven**")
    if not proofs:
        lines += ["", "No test names the rule."]
    return [*lines, "", *_tests(proofs), ""] if proofs else [*lines, ""]


def _tests(proofs: Iterable[Proof]) -> list[str]:
    """Returns the lines that list the tests, by file."""
    lines = []
    for file, group in groupby(proofs, key=lambda proof: proof.file):
        lines.append(f"- `{file}`")
        for proof in group:
            lines += _item(proof.promise, "  ")
    return lines


def _item(text: str, indent: str = "") -> list[str]:
    first, *lines = _wrap(text, WIDTH - len(indent) - 2)
    return [f"{indent}- {first}", *(f"{indent}  {line}" for line in lines)]


def _wrap(text: str, width: int = WIDTH) -> list[str]:
    """Returns the lines of `text`, broken at spaces only, because a link may contain a hyphen."""
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _link(rule: str) -> str:
    """Returns a link to the heading of `rule`, whose anchor is the number without its dot."""
    return f"[{rule}](rules.md#{rule.replace('.', '').lower()})"
