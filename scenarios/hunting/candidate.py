"""One candidate of a hunt: a plan and a seed, and what its run showed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..document.plan import drawn_document
from ..document.scenario import Scenario, read_scenario
from ..language.reading import Problem
from ..running.until_broken import UntilBroken, violations_until
from ..running.watch import Violation
from .coverage import Coverage

Violations = Sequence[Violation]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scenario document without anything left to draw but by `seed`."""

    document: Mapping[str, object]
    seed: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What the run of a candidate showed.

    `first_us` maps each behaviour to the time at which it was first shown, in microseconds since
    the begin of the steps. `broken` are the names of broken properties and claims, `what`
    describes the first. `events` is the number of actions on the timeline: the cost of the run.
    `messages_per_s` is the mean number of messages that arrived in a second of virtual time.
    """

    first_us: Mapping[int, int]
    broken: tuple[str, ...] = ()
    what: str = ""
    events: int = 0
    messages_per_s: int = 0

    def since(self, us: int) -> "Shown":
        """Returns what was first shown after a time."""
        later = {number: at_us for number, at_us in self.first_us.items() if at_us > us}
        return replace(self, first_us=later)


NOTHING = Shown({})


def drawn(scenario: Scenario, seed: int) -> Candidate:
    """Returns the candidate that a swarm of everything draws for a seed."""
    return Candidate(drawn_document(scenario, seed), seed)


def lasting(document: Mapping[str, Any], run_ms: int) -> dict[str, Any]:
    """Returns the document whose steps have this time, in milliseconds."""
    return {**document, "time": {**document["time"], "run": f"{run_ms}ms"}}


def run(candidate: Candidate, *, has_calm: bool = True) -> Shown:
    """Runs a candidate, without `has_calm` to the end of its steps only.

    One that is no scenario shows nothing.
    """
    try:
        watched = UntilBroken(read_scenario(candidate.document), candidate.seed)
    except Problem:
        return NOTHING
    return shown_by(watched, Coverage(watched.world), partial(_run, watched, has_calm=has_calm))


def _run(watched: UntilBroken, *, has_calm: bool) -> Violations:
    watched.begin()
    watched.begin_steps()
    return move_to_end(watched, has_calm=has_calm)


def move_to_end(watched: UntilBroken, *, has_calm: bool) -> Violations:
    """Runs the rest of the steps, then the calm, and returns what the run broke.

    Without a calm the claims of the file are not judged.
    """
    end_us = watched.begin_us + watched.plan.time.run.us
    watched.move(end_us - watched.world.timeline.now_us)
    return watched.finish_calm().violations if has_calm else watched.broken


def shown_by(watched: UntilBroken, coverage: Coverage, move: Callable[[], Violations]) -> Shown:
    """Returns what a run shows until `move` returns its violations, or until the first one."""
    timeline = watched.world.timeline
    began, begin_us, arrived = timeline.scheduled_count, timeline.now_us, coverage.arrived
    broken = violations_until(watched, move)
    first_us = {number: us - watched.begin_us for number, us in coverage.first_us.items()}
    events = timeline.scheduled_count - began
    passed_s = max(1, timeline.now_us - begin_us) / 1_000_000
    messages_per_s = round((coverage.arrived - arrived) / passed_s)
    names = tuple(violation.name for violation in broken)
    return Shown(first_us, names, broken[0].what if broken else "", events, messages_per_s)
