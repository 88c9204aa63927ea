"""Calls in a copy of the process."""

import subprocess
import sys

ORPHANED = """
import os, signal
from kraftsim.pipeline.forks import apart

original = os.getpid()

def outlive_the_original():
    os.kill(original, signal.SIGKILL)
    while os.getppid() == original:
        pass
    return "nobody reads this"

apart(outlive_the_original)
"""


def test_a_copy_whose_original_was_killed_prints_nothing():
    done = subprocess.run([sys.executable, "-c", ORPHANED], capture_output=True, check=False)

    assert done.stderr == b""
