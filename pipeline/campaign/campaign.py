"""Runs a campaign from its plan to its last commit, on any engine.

Progress and the remaining work are both derived from the commits, which exist on every engine and
after every crash, and which other processes can read.
"""

import fcntl
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .commit_log import LOCK, Commit, Folder
from .plan import Plan, PlanError

UNENDED = ("error", "crash")  # verdicts of runs that did not end
ATTEMPTS = 4  # per shard on every engine, as many as Spark makes per task with local[N,4]
LOOK_EVERY_S = 0.2

Look = Callable[[], None]
Engine = Callable[[Plan, Folder, Sequence[int], Look], None]


class EngineError(Exception):
    """Shards could not be run; committed shards are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A scenario that must not pass. `got` is its verdict, None before it has run."""

    name: str
    expected: str
    got: str | None

    @property
    def is_deaf(self) -> bool:
        """True if the verdict is not the expected one."""
        return self.got is not None and self.got != self.expected


@dataclass(slots=True)
class State:
    """The progress of a campaign, from its commits.

    `verdicts` counts judged runs, `planted` runs with a planted bug.
    """

    shards: int
    runs: int
    done_shards: int = 0
    done_runs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    planted: Counter[str] = field(default_factory=Counter)
    canaries: dict[str, str] = field(default_factory=dict)
    worked_s: float = 0.0

    @property
    def failures(self) -> int:
        """The number of judged runs that failed or did not end."""
        return sum(self.verdicts[name] for name in ("fail", *UNENDED))

    @property
    def is_finished(self) -> bool:
        """True if every shard is committed."""
        return self.done_shards == self.shards

    def add(self, commit: Commit) -> None:
        """Adds a commit."""
        self.done_shards += 1
        self.done_runs += commit.runs
        self.verdicts.update(commit.verdicts)
        self.planted.update(commit.planted)
        self.canaries |= commit.canaries
        self.worked_s += commit.wall_s


def state_of(plan: Plan, commits: Mapping[int, Commit]) -> State:
    """Returns the state after these commits."""
    state = State(len(plan.shards), plan.runs)
    for commit in commits.values():
        state.add(commit)
    return state


def canaries_of(plan: Plan, state: State) -> tuple[Canary, ...]:
    """Returns every canary of the plan."""
    return tuple(
        Canary(name=item.name, expected=item.expected, got=state.canaries.get(item.name))
        for item in plan.items
        if item.is_canary
    )


Tell = Callable[[State, float], None]


def run_campaign(folder: Folder, engine: Engine, tell: Tell) -> State:
    """Runs the missing shards and returns the final state.

    `tell` is called with the state and the seconds that this call has worked. Raises PlanError if
    another process runs the campaign. The engine is not started if no shard is missing.
    """
    with alone(folder):
        plan = folder.plan()
        done, digest, began_s = folder.commits(), plan.digest, time.monotonic()

        def look() -> None:
            nonlocal done
            done = folder.commits_since(done, digest)
            tell(state_of(plan, done), _since(began_s))

        folder.sweep()
        missing = [number for number in range(len(plan.shards)) if number not in done]
        if missing:
            engine(plan, folder, missing, look)
        return state_of(plan, folder.commits())


def _since(began_s: float) -> float:
    return time.monotonic() - began_s


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Takes an exclusive lock on the campaign folder; PlanError if another process holds it.

    Two processes would remove each other's files.
    """
    path = folder.path / LOCK
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise PlanError(
            f"{folder.path}: another process runs this campaign: wait for it, or interrupt it"
        ) from None
    try:
        yield
    finally:
        os.close(number)
