"""The copy that `make native` compiles gives the same runs; bugs cannot be planted in it."""

import shutil
import subprocess
import sys

import pytest

from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.running.run import run
from tools import native

pytestmark = [pytest.mark.xdist_group("native"), pytest.mark.slow]  # it is made once

SCENARIOS = (
    "steady-heartbeats",
    "active-controller-crash",
    "swarm-everything",
    "rolling-restart-controllers",
    "late-voter-reads-a-snapshot",
    "remove-leader-voter",
)


@pytest.fixture(scope="module")
def compiled():
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here: `make native` needs one")
    subprocess.run([sys.executable, "-m", "tools.native"], cwd=native.ROOT, check=True)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_is_the_same_as_machine_code(name, compiled):
    scenario = in_small(read_file(find(name)).scenario)

    words = ("-m", "kraftsim", "scenario", "run", name, "--seed", "3", "--smoke", "--json")
    assert run(scenario, 3).digest in native.output(*words)


def test_what_is_compiled_is_compiled(compiled):
    where = "import kraftsim.controller.node.node as one; print(one.__file__)"

    assert native.output("-c", where).strip().endswith(".so")


def test_no_bug_is_planted_in_machine_code(compiled):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        native.output("-m", "kraftsim", "scenario", "mutants", "M41")

    assert "expected Python modules, got compiled ones" in refused.value.stderr
