"""`python -O`, which drops every assert, changes nothing: no promise rests on one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios.digests import digest_of

pytestmark = pytest.mark.slow


ROOT = Path(__file__).resolve().parent.parent
WARNS = "ignore:assertions not in test modules"  # what pytest says of -O; those of tests hold
PURE_SUITE = ("tests/core", "tests/raft", "tests/scenarios/test_node_ids.py")
QUICK = ("-m", "not slow")
SLOW = (
    *("tests/scenarios/test_run.py", "tests/scenarios/test_properties.py"),
    *("--deselect", "tests/raft/test_explore.py", "-k", "not random and not troubled"),
)
MUTANTS = ("M26", "M28", "M29", "M41", "M83")  # M83: found by nothing but the core's own checks
HANDFUL = ("isolated-active-controller", "zombie-after-takeover", "voter-loses-disk")
SEED = 5


def optimised(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A run of Python under -O that is no part of this one."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-O", *words],
        cwd=ROOT,
        env=inherited | {"PYTHONPATH": str(ROOT)},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def pytest_run(*words: str) -> subprocess.CompletedProcess[str]:
    return optimised("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", WARNS, *words)


@pytest.mark.soak
@pytest.mark.parametrize("words", [QUICK, SLOW], ids=["quick", "slow"])
def test_the_pure_suite_passes(words: tuple[str, ...]) -> None:
    """The gate has the runs and planted bugs below.

    `test_asserts_and_ids.py` reads that the pure modules have no assert, and that no module asks
    whether asserts are dropped.
    """
    done = pytest_run(*PURE_SUITE, *words)

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    "program",
    [
        "def test_it():\n    assert 1 == 2\n",
        "from types import SimpleNamespace as World\n"
        "from tests.worlds import ask\n"
        "def test_it():\n"
        "    ask(World(dispatch=lambda *_: None, run_until=lambda *_, **__: False), None)\n",
    ],
    ids=["of a test", "of what tests share"],
)
def test_asserts_of_tests_hold(tmp_path: Path, program: str) -> None:
    """Without them the suite would pass whatever it sees."""
    path = tmp_path / "test_that_fails.py"
    path.write_text(program, "utf-8")

    done = pytest_run("-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), str(path))

    assert "AssertionError" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1


def test_runs_have_the_same_digests() -> None:
    lines = "".join(f"{name} {SEED} on\n" for name in HANDFUL)

    done = optimised("-m", "tests.scenarios.digests", given=lines)

    assert done.returncode == 0, done.stderr
    assert [digest_of(name, SEED, watched=True) for name in HANDFUL] == done.stdout.split()


def test_planted_bugs_are_found() -> None:
    done = optimised("-m", "kraftsim", "scenario", "mutants", "--json", *MUTANTS)

    assert {mutant: True for mutant in MUTANTS} == {
        row["mutant"]: row["killed"] for row in json.loads(done.stdout)
    }


@pytest.mark.parametrize(("mutant", "rule"), [("M26", "9.37"), ("M28", "9.40")])
def test_a_search_finds_a_planted_bug(mutant: str, rule: str) -> None:
    words = ("--voters", "2", "--epochs", "1", "--mutant", mutant, "--json")

    done = optimised("-m", "kraftsim", "scenario", "explore", *words)

    assert rule in done.stdout, done.stdout + done.stderr
    assert "violated" in done.stdout
