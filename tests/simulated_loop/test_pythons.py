"""On every Python, CPython's own tests pass on a simulated loop, and a seed gives the same history
in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import LIMIT_S
from tests.other_pythons import ROOT, NoPython, python_with
from tests.scenarios.test_other_processes import OTHERS, run_time_libraries

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


def with_clients(version: str) -> str:
    libraries, constraints = run_time_libraries()
    try:
        return python_with(version, [*libraries, "aiokafka"], constraints)
    except NoPython as reason:
        pytest.skip(str(reason))


def told_by(python: str, program: str, *arguments: str, hash_seed: str = "random") -> str:
    done = subprocess.run(
        [python, str(HERE / program), *arguments],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def history() -> str:
    told = told_by(sys.executable, "failover.py", "7", "5", hash_seed="0")
    assert told.startswith("True ")
    return told


def test_another_hash_seed_gives_the_same_history(history: str) -> None:
    assert told_by(sys.executable, "failover.py", "7", "5", hash_seed="1") == history


def test_another_seed_gives_another_history(history: str) -> None:
    other = told_by(sys.executable, "failover.py", "8", "5")

    assert other.startswith("True ")
    assert other != history


@pytest.mark.parametrize("version", OTHERS)
def test_another_python_gives_the_same_history(version: str, history: str) -> None:
    assert told_by(with_clients(version), "failover.py", "7", "5") == history


def test_the_tests_of_cpython_pass() -> None:
    pytest.importorskip("test.test_asyncio", reason="this Python comes without its own tests")
    assert told_by(sys.executable, "cpython_tests.py")


@pytest.mark.parametrize("version", OTHERS)
def test_the_tests_of_another_cpython_pass(version: str) -> None:
    assert told_by(with_clients(version), "cpython_tests.py")
