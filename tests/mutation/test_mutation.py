"""Drawn mutants: every one is a change that compiles, and a judge that is asked sees it."""

import ast
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tools.mutation.__main__ import results_name
from tools.mutation.copied import copy_to, fingerprint, planted
from tools.mutation.drawn import ROOT, Drawn, drawn
from tools.mutation.judges import Judge
from tools.mutation.operators import mutated, sites
from tools.mutation.score import Verdict, table

SOURCE = '''
def is_over(self, now_ms, limit_ms):
    """Returns True once the limit has passed."""
    if self.fenced and not self.is_paused:
        self.count += 1
    return now_ms >= limit_ms + 1
'''


def the_changes():
    return {mutated(SOURCE, site.number).splitlines()[-1].strip() for site in sites(SOURCE)}


def test_operators_change_comparisons_bounds_and_sums():
    assert {
        "return now_ms > limit_ms + 1",
        "return now_ms >= limit_ms + 2",
        "return now_ms >= limit_ms - 1",
    } <= the_changes()


def test_operators_drop_conditions_and_updates():
    changed = {mutated(SOURCE, site.number) for site in sites(SOURCE)}

    assert any("if True:" in source for source in changed)
    assert any("if False:" in source for source in changed)
    assert any("        pass" in source for source in changed)
    assert any(
        "if not self.is_paused:" in source.replace(" and not", "and") or "not not" in source
        for source in changed
    )


@pytest.mark.slow
def test_a_drawn_mutant_changes_its_module_and_compiles():
    for mutant in drawn(100, seed=5):
        honest = (ROOT / mutant.path).read_text("utf-8")
        changed = mutated(honest, mutant.number)
        compile(changed, mutant.path, "exec")
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(honest)), mutant.name


@pytest.mark.slow
def test_a_seed_draws_the_same_mutants_again():
    assert drawn(20, seed=5) == drawn(20, seed=5) != drawn(20, seed=6)


@pytest.mark.slow
def test_results_go_on_only_for_the_same_code_and_length_of_hunts(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    code = tmp_path / "leases.py"
    code.write_text("SESSION_MS = 9_000\n")
    before = fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("No verdict depends on this.\n")

    assert fingerprint(tmp_path) == before
    code.write_text("SESSION_MS = 18_000\n")
    assert fingerprint(tmp_path) != before
    assert len({results_name(1, 60), results_name(1, 600), results_name(2, 60)}) == 3
    assert fingerprint() in results_name(1, 60)


def test_a_score_counts_of_those_that_the_tests_kill():
    found = Verdict(
        "a.py:1 Lt -> LtE", dict.fromkeys(("tests", "library", "swarm", "hunt"), True), {}
    )
    missed = replace(found, name="a.py:2 dropped call", killed=found.killed | {"hunt": False})

    equivalent = Verdict("a.py:3 Lt -> LtE", {"tests": False}, {})

    score = table([found, missed, equivalent])

    assert "| hunt | 1 of 2 | 50% |" in score
    assert "- `a.py:2 dropped call`" in score.partition("Survived the tests")[0]
    assert "- `a.py:3 Lt -> LtE`" in score.partition("Survived the tests")[2]


@pytest.mark.slow
def test_a_swarm_kills_a_mutant_in_a_copy_and_spares_honest_code(tmp_path):
    copy = copy_to(tmp_path / "copy")
    path = "controller/core/leases.py"
    honest = (ROOT / path).read_text("utf-8")
    swarm = Judge("swarm", ("-m", "tools.mutation.strike", "swarm", "5"), 600)
    of_expiry = [site for site in sites(honest) if "session" in honest.splitlines()[site.line - 1]]

    assert not swarm.kills(copy)
    killed = []
    for site in of_expiry[:2]:
        with planted(copy, Drawn(path, site.number, site.line, site.change)):
            killed.append(swarm.kills(copy))

    assert any(killed)
    assert (copy / path).read_text("utf-8") == honest


@pytest.mark.slow
def test_no_mutant_is_judged_by_a_hunt_that_breaks_a_property_without_one(tmp_path):
    """The code at hand has a bug itself: one vote makes a leader."""
    copy = copy_to(tmp_path / "copy")
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    elections = copy / "controller/raft/elections.py"
    honest = elections.read_text("utf-8")
    elections.write_text(honest.replace("ids)) >= quorum.voters.majority", "ids)) >= 1"), "utf-8")
    command = (sys.executable, "-m", "tools.mutation", "1", "--hunt-seconds", "60")
    environment = {**os.environ, "PYTHONPATH": str(copy), "KRAFTSIM_PURE": "1"}

    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)

    assert elections.read_text("utf-8") != honest
    assert done.returncode == 1
    assert "breaks a property of the code without a mutant: seed" in done.stderr


def test_a_judge_that_fails_without_a_word_has_a_finding(tmp_path):
    """Else a hunt that cannot start would find nothing in the code without a mutant."""
    silent, content = (Judge("hunt", ("-c", f"raise SystemExit({code})"), 60) for code in (3, 0))

    assert silent.finding(tmp_path) == "exit code 3"
    assert content.finding(tmp_path) is None
