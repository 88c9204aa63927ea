"""Programs in fresh processes, under a hash seed, on any Python."""

import os
import subprocess

from tests.limits import LIMIT_S
from tests.other_pythons import ROOT


def told_by(python: str, program: str, *arguments: object, hash_seed: str = "random") -> str:
    """Returns what `python -m tests.simulated_loop.PROGRAM` prints."""
    done = subprocess.run(
        [python, "-m", f"tests.simulated_loop.{program}", *map(str, arguments)],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=4 * LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
