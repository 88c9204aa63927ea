"""A campaign from its plan to its last commit: whoever runs the shards, this is what they do.

Progress is read from the commits, and so is what is left: they are there on every engine, after
every crash, and for a process that only looks.
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

UNENDED = ("error", "crash")  # verdicts of runs that came to no end
ATTEMPTS = 4  # at a shard, on every engine: as many as Spark makes at a task with local[N,4]
LOOK_EVERY_S = 0.2

Look = Callable[[], None]
Engine = Callable[[Plan, Folder, Sequence[int], Look], None]


class EngineError(Exception):
    """Shards that could not be run at all; what is committed stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """`got` is None where it has not run yet."""

    name: str
    expected: str
    got: str | None

    @property
    def is_deaf(self) -> bool:
        return self.got is not None and self.got != self.expected


@dataclass(slots=True)
class State:
    """What is done, from the commits. `planted` are the verdicts of runs with a bug."""

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
        return sum(self.verdicts[one] for one in ("fail", *UNENDED))

    @property
    def is_finished(self) -> bool:
        return self.done_shards == self.shards

    def add(self, commit: Commit) -> None:
        self.done_shards += 1
        self.done_runs += commit.runs
        self.verdicts.update(commit.verdicts)
        self.planted.update(commit.planted)
        self.canaries |= commit.canaries
        self.worked_s += commit.wall_s


def state_of(plan: Plan, commits: Mapping[int, Commit]) -> State:
    state = State(len(plan.shards), plan.runs)
    for commit in commits.values():
        state.add(commit)
    return state


def canaries_of(plan: Plan, state: State) -> tuple[Canary, ...]:
    """All that are planned."""
    return tuple(
        Canary(name=item.name, expected=item.expected, got=state.canaries.get(item.name))
        for item in plan.items
        if item.is_canary
    )


Tell = Callable[[State, float], None]


def run_campaign(folder: Folder, engine: Engine, tell: Tell) -> State:
    """Run what is missing. `tell` hears how far it has come, and for how many seconds this has
    worked. PlanError where somebody else runs it; nothing is started if nothing is missing."""
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
    """Two at one campaign would sweep each other's files away. PlanError for the second."""
    path = folder.path / LOCK
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise PlanError(f"{folder.path}: another process runs this campaign") from None
    try:
        yield
    finally:
        os.close(number)
