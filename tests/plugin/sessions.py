"""Sessions of pytest, each in a process of its own that has everything imported when it begins.

Most of what a small suite takes is the start of an interpreter and its imports. One process does
them once; a session is a fork of it. What a start itself promises needs `python -m pytest`.
"""

import faulthandler
import gc
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
# What sessions use: with it, all that it imports. The plugin itself is imported by each session.
IMPORTED = (
    "confluent_kafka.admin",
    "kraftsim.scenarios.mutants.mutant",
    "kraftsim.testing.blocking_cluster",
    "kraftsim.testing.exploring.explored_run",
    "kraftsim.testing.factory",
    "kraftsim.testing.failure_report",
    "kraftsim.testing.process_cluster",
    "kraftsim.testing.shared",
    "pdb",
    "xml.etree.ElementTree",
)


class Sessions:
    """A process that forks a session for each call, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.plugin.sessions"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder: Path, arguments: list[str]) -> str:
        """Runs pytest in a folder as `python -m pytest` does; returns what it prints."""
        output = folder / "output.txt"
        words = {
            "folder": str(folder),
            "arguments": arguments,
            "environment": dict(os.environ),
            "output": str(output),
        }
        print(json.dumps(words), file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "ended\n"
        return output.read_text("utf-8")

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=LIMIT_S)


def fork_sessions() -> None:
    """Forks a session for each line of stdin, and answers when it has ended."""
    for name in IMPORTED:
        import_module(name)
    gc.freeze()  # pytest collects garbage until none is left
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            sys.exit(session(**json.loads(line)))
        os.waitpid(child, 0)
        print("ended", flush=True)


def session(
    folder: str, arguments: list[str], environment: dict[str, str], output: str
) -> int | pytest.ExitCode:
    """Runs one session of pytest in this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv[1:] = arguments
    sink = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, descriptor in ((0, os.open(os.devnull, os.O_RDONLY)), (1, sink), (2, sink)):
        os.dup2(descriptor, stream)
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    return pytest.main(arguments)


if __name__ == "__main__":
    fork_sessions()
