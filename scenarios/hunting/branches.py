"""Runs that are the same up to a moment: run once until then, and from there each by itself.

The caller runs each branch in a copy of the process at that moment (`pipeline/forks.py`). The
steps of all plans are on the timeline from the begin, so that each branch is exactly the run of its
plan and seed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..document.scenario import read_scenario
from ..document.step import Step
from ..drawing.lot import Words
from ..drawing.steps import at_ms_of
from ..language.reading import Problem
from ..running.timetable import Timetable
from ..running.until_broken import UntilBroken
from .candidate import NOTHING, Candidate, Shown, Violations, move_to_end, run, shown_by
from .coverage import Coverage

OF_ALL = -1  # owner of a step that all branches have
Apart = Callable[[Callable[[], Shown]], Shown]  # calls a function in a copy of the process


@dataclass(frozen=True, slots=True)
class Branches:
    """Candidates that differ only in their steps after `fork_ms`, the time of a step.

    A single candidate has no fork. With `has_calm` the first one is judged after its calm; the
    others end with their steps. `way` is the name of the way in which they were drawn.
    """

    candidates: tuple[Candidate, ...]
    fork_ms: int = 0
    has_calm: bool = True
    way: str = ""

    def alike(self) -> "Branches":
        """Returns those whose claims are the first one's: one run watches for all of them."""
        wanted = self.candidates[0].document["expect"]
        kept = [plan for plan in self.candidates if plan.document["expect"] == wanted]
        return replace(self, candidates=tuple(kept))


class _Timetable(Timetable):
    """The steps of all branches, of which those after the fork are done if `branch` owns them."""

    def __init__(self, run: UntilBroken, owners: Sequence[int]) -> None:
        super().__init__(run.stage, run.plan.do, run.plan.time.run.us)
        self._owners = owners
        self.branch = OF_ALL

    def _do(self, number: int, step: Step, after_seq: int | None) -> None:
        if self._owners[number] in (OF_ALL, self.branch):
            super()._do(number, step, after_seq)


def run_all(branches: Branches, apart: Apart) -> list[Shown]:
    """Runs the candidates; all but the first show only what they did after the fork.

    `apart` calls a function in a copy of the process and returns its result.
    """
    first, count = branches.candidates[0], len(branches.candidates)
    if count == 1:
        return [run(first, has_calm=branches.has_calm)]
    owned = list(_steps(branches))
    document = {**first.document, "do": [step for _, step in owned]}
    try:
        trunk = UntilBroken(read_scenario(document), first.seed)
    except Problem:
        return [NOTHING] * count
    trunk.timetable = timetable = _Timetable(trunk, [owner for owner, _ in owned])
    coverage = Coverage(trunk.world)
    shown = shown_by(trunk, coverage, partial(_reach_fork, trunk, branches.fork_ms))
    if shown.broken:
        return [shown] + [NOTHING] * (count - 1)
    return list(_forked(trunk, timetable, coverage, branches, apart))


def _steps(branches: Branches) -> Iterator[tuple[int, Words]]:
    """Yields the steps of all branches with the number of the branch that has them."""
    fork_ms = branches.fork_ms
    plans = [_steps_of(candidate) for candidate in branches.candidates]
    yield from ((OF_ALL, step) for step in plans[0] if at_ms_of(step) <= fork_ms)
    for branch, steps in enumerate(plans):
        yield from ((branch, step) for step in steps if at_ms_of(step) > fork_ms)


def _steps_of(candidate: Candidate) -> list[Words]:
    steps = candidate.document["do"]
    assert isinstance(steps, list)
    return steps


def _reach_fork(trunk: UntilBroken, fork_ms: int) -> Violations:
    trunk.reach(fork_ms * 1000)
    return trunk.broken


def _forked(
    trunk: UntilBroken, timetable: _Timetable, coverage: Coverage, branches: Branches, apart: Apart
) -> Iterator[Shown]:
    """Runs one branch after the other, each in a copy of the process that ends with it."""

    def finish(branch: int) -> Shown:
        timetable.branch = branch
        has_calm = branches.has_calm and branch == 0
        return shown_by(trunk, coverage, partial(move_to_end, trunk, has_calm=has_calm))

    for branch in range(len(branches.candidates)):
        shown = apart(partial(finish, branch))
        yield shown if branch == 0 else shown.since(1000 * branches.fork_ms)
