"""Tests of one group run in one process, under the pytest and pytest-xdist that are installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import grouping
from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[1]
FILES, TESTS = 4, 3
SUITE = """
import pytest

@pytest.mark.xdist_group("a")
@pytest.mark.parametrize("number", range({tests}))
def test_grouped(number, worker_id):
    print("group of", worker_id)

@pytest.mark.parametrize("number", range({tests}))
def test_alone(number, worker_id):
    pass
"""
pytestmark = pytest.mark.realtime


def test_tests_of_one_group_run_in_one_process(tmp_path: Path) -> None:
    for number in range(FILES):
        (tmp_path / f"test_{number}.py").write_text(SUITE.format(tests=TESTS))
    plugins = ("-p", "xdist", "-p", "tests.grouping")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "-n", "2", "--dist", "loadgroup", "-rP"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert f"{2 * FILES * TESTS} passed" in done.stdout, done.stdout
    workers = [line for line in done.stdout.splitlines() if line.startswith("group of ")]
    assert FILES * TESTS == len(workers)
    assert 1 == len(set(workers))


def test_this_suite_is_grouped(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.is_registered(grouping)
