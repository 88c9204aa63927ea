"""The judges of a mutant: the quick tests, the library, a swarm of sixty seeds, a hunt.

Each is a process in the copy that has the mutant. It kills the mutant if it fails, or if it does
not end within the processor time in which honest code always ends: a busy machine kills no mutant.
"""

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SEEDS = 60  # of the swarm
HUNT_S = 600  # seconds of processor time of a hunt
TESTS = ("tests/core", "tests/raft", "tests/broker_agent", "tests/test_node.py", "tests/golden")
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0")
QUICK = "not slow and not realtime and not interop and not spark and not released and not page"
KILLED, SURVIVED = 1, 0
WAIT = 20  # times the processor time, after which a judge that waits for something is given up


@dataclass(frozen=True, slots=True)
class Judge:
    """A command that fails where the mutant is found.

    `limit_s` bounds the processor time of each of its processes, in seconds.
    """

    name: str
    command: tuple[str, ...]
    limit_s: int

    def kills(self, folder: Path) -> bool:
        """Returns True if the command fails in the copy, or does not end in time."""
        return self.finding(folder) is not None

    def finding(self, folder: Path) -> str | None:
        """Runs the command in the copy; returns what a failure printed, None for a success."""
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "KRAFTSIM_PURE": "1"}
        limit_s = self.limit_s
        environment |= {"PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"}
        try:
            done = subprocess.run(
                (sys.executable, *self.command),
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                timeout=WAIT * self.limit_s,
                check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s)),
            )
        except subprocess.TimeoutExpired:
            return "it did not end in time"
        if done.returncode == SURVIVED:
            return None
        return done.stdout.strip() or f"exit code {done.returncode}"


def judges(hunt_s: int = HUNT_S) -> tuple[Judge, ...]:
    """Returns the judges in the order in which they are asked."""
    strike = ("-m", "tools.mutation.strike")
    return (
        Judge("tests", (*PYTEST, "-m", QUICK, *TESTS), 900),
        Judge("library", (*strike, "library"), 900),
        Judge("swarm", (*strike, "swarm", str(SEEDS)), 900),
        Judge("hunt", (*strike, "hunt", str(hunt_s)), 2 * hunt_s),
    )
