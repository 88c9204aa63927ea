"""Ctrl-C while Spark's work runs in a thread: no process is left, and py4j logs nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]

# The script that starts a JVM has a child too, which holds the stdout of this test.
STARTING = """
import logging, subprocess
from kraftsim.pipeline.engines.background import in_background

def work():
    script = subprocess.Popen(["sh", "-c", "sleep 60 & echo started; wait"], stdout=subprocess.PIPE)
    script.stdout.readline()
    started.append(script)
    try:
        script.wait()
    finally:
        logging.exception("Exception while sending command")  # as py4j does
        finished.append(script)

def interrupt():
    if started:
        raise KeyboardInterrupt

started, finished = [], []
try:
    in_background(work, interrupt, owns_children=True)
except KeyboardInterrupt:
    print("interrupted", len(finished), started[0].stdout.read())
"""


@pytest.mark.slow
def test_an_interrupt_kills_what_the_work_has_started_and_logs_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )

    assert (done.stdout, done.stderr) == ("interrupted 1 b''\n", "")
