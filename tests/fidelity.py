"""Writes docs/fidelity.md: which rule of Kafka's is proven by which test, and what differs.

A test says `@pytest.mark.rule("2.33")`. Collecting the tests gives the first part of the page;
docs/differences.toml, kept by hand, gives the second. `make fidelity` (python -m tests.fidelity)
writes the page, and tests/test_fidelity.py fails when it is not what this would write.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "fidelity.md"
DIFFERENCES = ROOT / "docs" / "differences.toml"
RULE = re.compile(r"(\d+A?)\.(\d+)([a-z]?)")
COLLECTED = "collected: "

# The rule book's sections: their titles, and the number of the last rule in each.
SECTIONS = {
    "0": ("Conventions", 8),
    "0A": ("The controller's execution model", 16),
    "1": ("BrokerRegistration", 52),
    "2": ("BrokerHeartbeat", 49),
    "3": ("UnregisterBroker", 13),
    "4": ("Partitions, elections, placement, CreateTopics", 59),
    "5": ("Describe, metadata, ApiVersions, features", 63),
    "6": ("Cluster id and tools", 39),
    "7": ("Configurations", 8),
    "8": ("Start time", 13),
    "9": ("Invariants", 47),
    "10": ("Raft", 54),
}
INSERTED = ("1.12a", "2.2a", "2.32a")  # rules that were put between two others


@dataclass(frozen=True, slots=True, order=True)
class Proof:
    """One test, and the rules that it names. `test` is `tests/file.py::name`, no parameters."""

    test: str
    rules: tuple[str, ...]

    @property
    def promise(self) -> str:
        return self.test.rpartition("::")[2].removeprefix("test_").replace("_", " ")

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]


def problem_with(rule: object) -> str | None:
    """Why `rule` is not the number of a rule, or None if it is one."""
    match = RULE.fullmatch(rule) if isinstance(rule, str) else None
    if match is None:
        return f"expected a rule number such as '2.33', got {rule!r}"
    section, number, letter = match.groups()
    if section not in SECTIONS:
        return f"expected one of the sections {', '.join(SECTIONS)}, got {section} in {rule}"
    last = SECTIONS[section][1]
    if not 1 <= int(number) <= last:
        return f"expected {section}.1 to {section}.{last}, got {rule}"
    if letter and rule not in INSERTED:
        return f"expected one of {', '.join(INSERTED)} or no letter, got {rule}"
    return None


def proofs_of(items: Iterable[pytest.Item]) -> list[Proof]:
    """One proof per test, in order; the parameters of a test are one test, their rules united."""
    rules_of: dict[str, dict[str, None]] = {}
    for item in items:
        test = item.nodeid.partition("@")[0].partition("[")[0]
        rules = rules_of.setdefault(test, {})
        rules.update((str(one), None) for mark in item.iter_markers("rule") for one in mark.args)
    return sorted(Proof(test, tuple(rules)) for test, rules in rules_of.items())


def collect() -> list[Proof]:
    """The proofs of the whole suite, by a collection in this process."""
    collector = _Collector()
    code = pytest.main(["--collect-only", "-p", "no:terminal", str(ROOT)], [collector])
    if code != pytest.ExitCode.OK:
        sys.exit(
            f"the tests cannot be collected (pytest: {code!r}); `pytest --collect-only` says why"
        )
    return collector.proofs


def collect_apart() -> list[Proof]:
    """The same in a process of its own: for a test, which is itself inside a collection."""
    command = [sys.executable, "-m", "tests.fidelity", "--collect"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(COLLECTED)]
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(lines) == 1, done.stdout
    rows = json.loads(lines[0].removeprefix(COLLECTED))
    return [Proof(row["test"], tuple(row["rules"])) for row in rows]


class _Collector:
    proofs: list[Proof]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.proofs = proofs_of(session.items)


def differences() -> dict[str, Any]:
    return tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))


def render(proofs: list[Proof], table: dict[str, Any]) -> str:
    parts = [INTRODUCTION, *_difference_lines(table), *_absent_lines(table), *_rule_lines(proofs)]
    return "\n".join(parts) + "\n"


INTRODUCTION = """\
# Fidelity: what is Kafka's, what is proven, what differs

Written by `make fidelity` from the tests and from `differences.toml`; do not edit this page.

The baseline is released Kafka 4.4, the default profile; other profiles follow Kafka 4.3, 4.1 and
3.9 where these differ. A rule here is one statement about what a KRaft controller does; its number
is that of the project's rule book. A test that names a rule fails when the rule does not hold. A
rule that is not listed has no test that names it, and nothing is claimed about it.
"""


def _difference_lines(table: dict[str, Any]) -> list[str]:
    lines = [
        "## Differences, on purpose",
        "",
        "| what | Kafka | kraftsim | why |",
        "|---|---|---|---|",
    ]
    for one in table["difference"]:
        rules = f" ({_rules_text(one['rules'])})" if one["rules"] else ""
        tests = "".join(f"<br>`{test}`" for test in one.get("tests", []))
        cells = (f"**{one['title']}**{rules}{tests}", one["kafka"], one["kraftsim"], one["why"])
        lines.append(f"| {' | '.join(_cell(text) for text in cells)} |")
    return [*lines, ""]


def _absent_lines(table: dict[str, Any]) -> list[str]:
    lines = ["## Not offered yet", "", table["absent"]["about"].strip(), ""]
    lines += ["| key | API |", "|---|---|"]
    lines += [f"| {one['key']} | {one['name']} |" for one in table["absent"]["apis"]]
    return [*lines, ""]


def _rule_lines(proofs: list[Proof]) -> list[str]:
    by_rule: dict[str, list[Proof]] = {}
    for proof in proofs:
        for rule in proof.rules:
            by_rule.setdefault(rule, []).append(proof)
    lines = ["## Rules, and the tests that prove them", ""]
    for section, (title, last) in SECTIONS.items():
        rules = sorted((rule for rule in by_rule if _section(rule) == section), key=_order)
        count = last + sum(_section(rule) == section for rule in INSERTED)
        lines += [f"### {section}. {title}", "", f"{len(rules)} of {count} rules.", ""]
        if rules:
            lines += ["| rule | proven by |", "|---|---|"]
            lines += [f"| {rule} | {_proven_by(by_rule[rule])} |" for rule in rules]
            lines.append("")
    return lines[:-1]


def _proven_by(proofs: list[Proof]) -> str:
    return "<br>".join(_cell(f"{proof.promise} (`{proof.file}`)") for proof in proofs)


def _rules_text(rules: list[str]) -> str:
    return f"rule{'s' if len(rules) > 1 else ''} {', '.join(rules)}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _section(rule: str) -> str:
    return rule.partition(".")[0]


def _order(rule: str) -> tuple[int, str]:
    match = RULE.fullmatch(rule)
    assert match is not None, rule
    return int(match[2]), match[3]


def main(arguments: list[str]) -> None:
    proofs = collect()
    if arguments == ["--collect"]:
        print(COLLECTED + json.dumps([asdict(proof) for proof in proofs]))
        return
    problems = [
        f"{proof.test}: {problem}"
        for proof in proofs
        for problem in map(problem_with, proof.rules)
        if problem
    ]
    if problems:
        sys.exit("\n".join(problems))
    PAGE.write_text(render(proofs, differences()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len({r for p in proofs for r in p.rules})} rules proven")


if __name__ == "__main__":
    main(sys.argv[1:])
