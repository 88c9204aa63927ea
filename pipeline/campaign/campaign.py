"""Runs a campaign from its plan to its last commit, on any engine.

Progress and the remaining work are computed from the commits: every engine writes them, they
survive a crash, and other processes can read them.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .alone import alone
from .commit_log import SHARDS, Commit, Folder
from .idle import Exercise
from .plan import Plan

UNENDED = ("error", "crash")  # verdicts of runs that did not end
ATTEMPTS = 4  # per shard on every engine, as many as Spark makes per task with local[N,4]
POLL_EVERY_S = 0.2

Poll = Callable[[], None]
Repetition = tuple[str, str, str]
"""The run id, the verdict and the digest of a repeated run."""
RunShards = Callable[[Plan, Folder, Sequence[int], Poll], None]
RepeatRuns = Callable[[Plan, Poll], Sequence[Repetition]]


class EngineError(Exception):
    """Shards could not be run; committed shards are kept."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to run shards.

    `run` runs and commits shards. `repeat` runs every shard of a plan and returns the results of
    the runs; it stores nothing, so its workers need not see a folder.
    """

    run: RunShards
    repeat: RepeatRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A scenario that must not pass: it proves that the campaign detects failures.

    `expected` is the verdict that it must have, `got` the verdict of its run; None before the run.
    """

    name: str
    expected: str
    got: str | None

    @property
    def is_deaf(self) -> bool:
        """True if the canary has run and its verdict is not the expected verdict."""
        return self.got is not None and self.got != self.expected


@dataclass(slots=True)
class State:
    """The progress of a campaign, computed from its commits.

    `verdicts` counts the verdicts of judged runs, which are all runs except canaries and runs with
    a planted bug. `planted` counts the verdicts of runs with a planted bug. `exercise` counts the
    judged runs that tested each property.
    """

    shards: int
    runs: int
    done_shards: int = 0
    done_runs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    planted: Counter[str] = field(default_factory=Counter)
    canaries: dict[str, str] = field(default_factory=dict)
    worked_s: float = 0.0
    exercise: Exercise = field(default_factory=Exercise)

    @property
    def failures(self) -> int:
        """The number of judged runs that failed or did not end."""
        return sum(self.verdicts[name] for name in ("fail", *UNENDED))

    @property
    def is_finished(self) -> bool:
        """True if every shard is committed."""
        return self.done_shards == self.shards

    def add(self, commit: Commit) -> None:
        """Adds the counts of a shard's commit."""
        self.done_shards += 1
        self.done_runs += commit.runs
        self.verdicts.update(commit.verdicts)
        self.planted.update(commit.planted)
        self.canaries |= commit.canaries
        self.worked_s += commit.wall_s
        self.exercise.update(commit.tested, commit.sought)


def state_of(plan: Plan, commits: Mapping[int, Commit]) -> State:
    """Returns the state of a campaign whose committed shards are `commits`."""
    state = State(len(plan.shards), plan.runs)
    for commit in commits.values():
        state.add(commit)
    return state


def canaries_of(plan: Plan, state: State) -> tuple[Canary, ...]:
    """Returns every canary of the plan, with its verdict if it has run."""
    return tuple(
        Canary(name=item.name, expected=item.expected, got=state.canaries.get(item.name))
        for item in plan.items
        if item.is_canary
    )


OnProgress = Callable[[State, float], None]


def run_campaign(folder: Folder, run_shards: RunShards, on_progress: OnProgress) -> State:
    """Runs the missing shards and returns the final state.

    `on_progress` is called repeatedly, with the state and the seconds since this function was
    called. `run_shards` is not called if no shard is missing. Raises PlanError if another process
    runs the campaign, EngineError if a shard has no commit afterwards.
    """
    with alone(folder.path):
        plan = folder.plan()
        done, digest, began_s = folder.commits(), plan.digest, time.monotonic()

        def poll() -> None:
            nonlocal done
            done = folder.commits_since(done, digest)
            on_progress(state_of(plan, done), _since(began_s))

        folder.sweep()
        missing = [number for number in range(len(plan.shards)) if number not in done]
        if missing:
            run_shards(plan, folder, missing, poll)
        done = folder.commits_at_end()
        _expect_committed(folder, missing, done)
        return state_of(plan, done)


def _expect_committed(folder: Folder, ran: Sequence[int], commits: Mapping[int, Commit]) -> None:
    lost = [number for number in ran if number not in commits]
    if lost:
        raise EngineError(
            f"{folder.path / SHARDS}: expected {len(ran):,} new commits, got "
            f"{len(ran) - len(lost):,}: shard {lost[0]} was reported done, but has no commit: all "
            "workers must see the folder of the campaign; give a shared folder, such as an NFS "
            "mount, as --out"
        )


def _since(began_s: float) -> float:
    return time.monotonic() - began_s
