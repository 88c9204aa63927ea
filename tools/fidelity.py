"""Writes docs/fidelity.md: the tests that prove each rule of Kafka's, and the differences.

A test says `@pytest.mark.rule("2.33")`. Collecting the tests gives the proofs, docs/rules.md the
rules; docs/differences.toml and docs/verdicts.toml, which are written by hand, the differences and
the verdicts of all other rules. `make fidelity` (python -m tools.fidelity) writes the page, and
tests/test_fidelity.py fails if the page differs from the result.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tools.fidelity_page import Proof, render
from tools.rule_book import rule_book

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "fidelity.md"
DIFFERENCES = ROOT / "docs" / "differences.toml"
VERDICTS = ROOT / "docs" / "verdicts.toml"
COLLECTED = "collected: "


def proofs_of(items: Iterable[pytest.Item]) -> list[Proof]:
    """Returns one proof per test, in order.

    The parameters of a test are one test, with the rules of all of them.
    """
    rules_of: dict[str, dict[str, None]] = {}
    for item in items:
        test = item.nodeid.partition("@")[0].partition("[")[0]
        rules = rules_of.setdefault(test, {})
        rules.update(
            (str(argument), None) for mark in item.iter_markers("rule") for argument in mark.args
        )
    return sorted(Proof(test, tuple(rules)) for test, rules in rules_of.items())


def problems_of(proofs: Iterable[Proof]) -> list[str]:
    """Returns an error for each rule that a test names and that does not exist."""
    return [
        f"{proof.test}: {problem}"
        for proof in proofs
        for problem in map(rule_book().problem_with, proof.rules)
        if problem
    ]


def collect() -> list[Proof]:
    """Returns the proofs of the whole test suite, which pytest collects in this process."""
    collector = _Collector()
    code = pytest.main(["--collect-only", "-p", "no:terminal", str(ROOT / "tests")], [collector])
    if code != pytest.ExitCode.OK:
        sys.exit(
            f"the tests cannot be collected (pytest: {code!r}); `pytest --collect-only` says why"
        )
    return collector.proofs


def collect_apart() -> list[Proof]:
    """Returns the proofs of the whole test suite, which a new process collects.

    A test needs this, because a collection is already under way in its own process.
    """
    command = [sys.executable, "-m", "tools.fidelity", "--collect"]
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


def verdicts() -> dict[str, Any]:
    return tomllib.loads(VERDICTS.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> None:
    proofs = collect()
    if arguments == ["--collect"]:
        print(COLLECTED + json.dumps([asdict(proof) for proof in proofs]))
        return
    problems = problems_of(proofs)
    if problems:
        sys.exit("\n".join(problems))
    PAGE.write_text(render(rule_book(), proofs, differences(), verdicts()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len({r for p in proofs for r in p.rules})} rules proven")


if __name__ == "__main__":
    main(sys.argv[1:])
