"""Machine code (`make native`, `KRAFTSIM_NATIVE=1 pip wheel .`) gives the same runs and replies."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

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
KRAFTSIM = ("-m", "kraftsim")
FILE_OF_NODE = "import kraftsim.controller.node.node as node; print(node.__file__)"
SUITE = (
    "-m",
    "pytest",
    "-q",
    "-o",
    "pythonpath=",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist.plugin",
)


# What code answers does not depend on how fast it is, and the C compiler takes most of the time.
UNOPTIMIZED = {**os.environ, "KRAFTSIM_NATIVE_OPTIMIZATION": "0"}


@pytest.fixture(scope="module")
def compiled() -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here: `make native` needs one")
    command = [sys.executable, "-m", "tools.native"]
    subprocess.run(command, cwd=native.ROOT, env=UNOPTIMIZED, check=True)


@pytest.fixture(scope="module")
def wheel(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with machine code, unpacked."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    environment = {**UNOPTIMIZED, "KRAFTSIM_NATIVE": "1"}
    subprocess.run(command, cwd=native.ROOT, env=environment, check=True, capture_output=True)
    (packed,) = out.glob("*.whl")
    assert "py3-none-any" not in packed.name
    zipfile.ZipFile(packed).extractall(out / "unpacked")
    return out / "unpacked"


def test_a_copy_of_a_compiled_request_keeps_what_it_does_not_change(compiled: None) -> None:
    code = """
from dataclasses import fields, replace
from kraftsim.controller.core.rpc import FetchReplicaState, FetchRequest
request = FetchRequest(replica_state=FetchReplicaState(replica_id=7), max_wait_ms=5)
copied = replace(request, max_wait_ms=6)
print(copied.replica_state.replica_id, copied.max_wait_ms, len(fields(request)))
"""
    assert native.output("-c", code).split() == ["7", "6", "13"]


def test_a_failed_connection_is_a_refusal_of_machine_code(compiled: None) -> None:
    """Its class is derived in Python from a compiled one."""
    program = """
from kraftsim.controller.core.errors import ApiError
from kraftsim.simulation.requests.rules import ConnectionFailed
try:
    raise ConnectionFailed("closed")
except ApiError as error:
    print(error.code.name, error.message)
"""
    assert native.output("-c", program) == "NOT_CONTROLLER closed\n"


def test_a_compiled_refusal_has_the_defaults_of_its_response(compiled: None) -> None:
    code = """
from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import refusal
request = rpc.CreateTopicsRequest(topics=(rpc.CreatableTopic(name="orders"),))
response = refusal(request, ApiError(ErrorCode.NOT_CONTROLLER, ""))
refused = response.topics[0]
print(response.throttle_time_ms, refused.name, int(refused.error_code), refused.error_message)
"""
    assert native.output("-c", code).split() == ["0", "orders", "41", "None"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_is_the_same_as_machine_code(name: str, compiled: None) -> None:
    scenario = in_small(read_file(find(name)).scenario)

    words = (*KRAFTSIM, "scenario", "run", name, "--seed", "3", "--smoke", "--json")
    assert run(scenario, 3).digest in native.output(*words)


def test_what_is_compiled_is_compiled(compiled: None) -> None:
    assert native.output("-c", FILE_OF_NODE).strip().endswith(".so")
    assert native.output(*KRAFTSIM, "--version").strip().endswith("(compiled)")


def test_bugs_are_planted_in_the_python_modules_instead(compiled: None) -> None:
    assert native.output(*KRAFTSIM, "scenario", "mutants", "M41").startswith("M41 killed")


def test_compiled_modules_refuse_snapshots_and_say_what_helps(compiled: None) -> None:
    saving = """
import asyncio, kraftsim
async def main():
    async with kraftsim.Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        for _ in range(3):
            await kraft.reset()
        try:
            await kraft.snapshots.save("before")
        except kraftsim.CommandError as error:
            print(error)
asyncio.run(main())
"""
    assert "KRAFTSIM_PURE=1" in native.output("-c", saving)


def test_a_search_visits_the_same_histories_as_machine_code(compiled: None) -> None:
    words = (*KRAFTSIM, "scenario", "explore", "--epochs", "1", "--crashes", "0", "--json")

    searched = json.loads(native.output(*words))
    plain = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert searched == json.loads(plain.stdout)


def test_machine_code_keeps_the_promises_of_the_suite(compiled: None) -> None:
    """It answers the recordings of released Kafka, serves sockets, and elects as Python does."""
    native.output(*SUITE, "-m", "not slow", "tests/golden", "tests/server", "tests/raft")


def test_a_wheel_has_machine_code_and_every_python_module(wheel: Path) -> None:
    names = {str(path.relative_to(wheel)) for path in wheel.rglob("*")}
    compiled = {name for name in names if ".cpython-" in name and name.startswith("kraftsim/")}

    assert len(compiled) > 100
    assert {name.partition(".")[0] + ".py" for name in compiled} <= names


@pytest.mark.parametrize(("environment", "ending"), [({}, ".so"), ({"KRAFTSIM_PURE": "1"}, ".py")])
def test_a_process_chooses_its_modules(
    wheel: Path, environment: dict[str, str], ending: str
) -> None:
    command = [sys.executable, "-P", "-c", FILE_OF_NODE]
    variables = {**os.environ, "PYTHONPATH": str(wheel), **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)

    assert done.stdout.strip().startswith(str(wheel))
    assert done.stdout.strip().endswith(ending)
