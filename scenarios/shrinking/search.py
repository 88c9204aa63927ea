"""The search for the smallest scenario that fails in the same way: delta debugging.

Each reduction proposes smaller plans, and learns of each whether it still fails. A round calls all
reductions; the search ends after a round in which nothing became smaller: the plan is minimal.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ..document.scenario import Scenario
from ..lint import complaints
from ..running.watch import Violation
from .cause import Cause

T = TypeVar("T")


class Failure(NamedTuple):
    """The violation of a run.

    `at_us` is its time since the begin of the steps, in microseconds. `events` is the number of
    actions on the timeline until then: the cost of the run.
    """

    violation: Violation
    at_us: int
    events: int
    cause: Cause


# yields smaller plans, and is sent whether the yielded plan fails in the same way
Reduction = Generator[Scenario, bool, None]
Reduce = Callable[[Scenario, Failure], Reduction]
# whether a plan fails in the same way; the second argument is the failure of a greater plan
FailureOf = Callable[[Scenario, Failure], Failure | None]


@dataclass(slots=True)
class Tries:
    """A budget of `limit` tries, which are runs.

    `on_try` is called with the number of each try; the search stops once it returns False.
    """

    limit: int
    on_try: Callable[[int], bool] = lambda number: True
    used: int = 0

    def take(self) -> bool:
        """Takes a try from the budget; returns False if none is left."""
        if self.used >= self.limit or not self.on_try(self.used + 1):
            return False
        self.used += 1
        return True


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest plan that was found, with its failure.

    `is_minimal` is False if the search stopped after `tried` tries, before it had tried everything.
    """

    plan: Scenario
    failure: Failure
    tried: int
    is_minimal: bool

    @property
    def extent(self) -> str:
        """Says whether the search has tried everything, and after how many tries."""
        tries = f"{self.tried:,} tries"
        return f"minimal ({tries})" if self.is_minimal else f"stopped after {tries}"

    @property
    def counts(self) -> dict[str, object]:
        """The number of tries, and whether the plan is minimal, as data."""
        return {"tries": self.tried, "isMinimal": self.is_minimal}


class _Stopped(Exception):
    """Ends a search whose budget is used up."""


@dataclass(slots=True)
class _Search:
    """A search; `known` has the plans that were tried, because rounds propose some again."""

    plan: Scenario
    failure: Failure
    failure_of: FailureOf
    tries: Tries
    known: set[str] = field(default_factory=set)

    def run(self, reductions: Sequence[Reduce]) -> Smallest:
        is_minimal = False
        try:
            while not is_minimal:
                before = self.plan
                for reduce in reductions:
                    self._follow(reduce(self.plan, self.failure))
                is_minimal = self.plan is before
        except _Stopped:
            pass
        return Smallest(self.plan, self.failure, self.tries.used, is_minimal)

    def _follow(self, reduction: Reduction) -> None:
        try:
            candidate = next(reduction)
            while True:
                candidate = reduction.send(self._replaces(candidate))
        except StopIteration:
            return

    def _replaces(self, candidate: Scenario) -> bool:
        """Takes the candidate as the plan if it fails in the same way; raises _Stopped."""
        text = repr(candidate)
        if text in self.known or candidate == self.plan or any(complaints(candidate)):
            return False
        if not self.tries.take():
            raise _Stopped
        self.known.add(text)
        failure = self.failure_of(candidate, self.failure)
        if failure is None:
            return False
        self.plan, self.failure = candidate, failure
        return True


def smallest(
    plan: Scenario,
    failure: Failure,
    failure_of: FailureOf,
    reductions: Sequence[Reduce],
    tries: Tries,
) -> Smallest:
    """Returns the smallest plan for which `failure_of` returns a failure; `plan` has `failure`."""
    return _Search(plan, failure, failure_of, tries).run(reductions)


def fewer(
    parts: Sequence[T], rebuilt: Callable[[tuple[T, ...]], Scenario | None]
) -> Generator[Scenario, bool, tuple[T, ...]]:
    """Leaves out parts: all of them, halves, quarters, and so on to single parts.

    `rebuilt` returns the plan with only these parts, None if there is no such plan. Returns the
    parts that are left.
    """
    left, size = tuple(parts), len(parts)
    while size:
        at = 0
        while at < len(left):
            rest = left[:at] + left[at + size :]
            candidate = rebuilt(rest)
            if candidate is not None and (yield candidate):
                left = rest
            else:
                at += size
        size //= 2
    return left
