"""The examples in other languages, as a user runs them, where the language is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.toolchains import ToolchainMissing, require

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LIMIT_S = 600  # a first run fetches and compiles a client

pytestmark = [pytest.mark.interop, pytest.mark.slow]

# What a user types, by the folder, and the program without which it is not tried.
COMMANDS = {
    "pytest": ("python", "python -m pytest -p no:cacheprovider"),
    "shell": ("curl", "sh fencing.sh && sh rolling-restart.sh && sh forgotten-broker.sh"),
    "operator": (
        "python",
        "kraftsim scenario run rolling-operator.yaml --allow-code --seeds 0..3"
        " && kraftsim scenario shrink forgetful-operator.yaml --allow-code --seed 0",
    ),
    "node": ("npm", "npm install --silent && node --test"),
    "go": ("go", "go test ./..."),
    "java": ("mvn", "mvn --batch-mode --quiet test"),
}


@pytest.mark.parametrize("folder", COMMANDS)
def test_an_example_passes_as_it_is(folder: str, tmp_path: Path) -> None:
    program, command = COMMANDS[folder]
    try:
        require(program)
    except ToolchainMissing as missing:
        pytest.skip(str(missing))
    shutil.copytree(EXAMPLES / folder, tmp_path / folder)
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"}
    for name in ("KRAFTSIM_HTTP", "KRAFTSIM_TOKEN", "PYTEST_ADDOPTS"):
        environment.pop(name, None)

    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path / folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_example_is_tried_or_is_a_workflow() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}

    assert folders == {*COMMANDS, "github-actions"}
