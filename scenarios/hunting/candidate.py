"""One candidate of a hunt: a plan and a seed, and what its run showed."""

from collections.abc import Mapping
from dataclasses import dataclass

from kraftsim.controller.core.errors import Impossible

from ..document.plan import drawn_document
from ..document.scenario import Scenario, read_scenario
from ..language.limits import LimitError
from ..language.reading import Problem
from ..running.until_broken import UntilBroken, Violated
from .coverage import Coverage

START = "start"  # name of the violation of a cluster that does not start
CRASH = "crash"  # name of the violation of a run that raised an unexpected error


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scenario document without anything left to draw but by `seed`."""

    document: Mapping[str, object]
    seed: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What the run of a candidate showed.

    `first_us` maps each behaviour to the virtual time at which it was first shown. `broken` are the
    names of broken properties and claims, `what` describes the first.
    """

    first_us: Mapping[int, int]
    broken: tuple[str, ...]
    what: str = ""


def drawn(scenario: Scenario, seed: int) -> Candidate:
    """Returns the candidate that a swarm of everything draws for a seed."""
    return Candidate(drawn_document(scenario, seed), seed)


def run(candidate: Candidate) -> Shown:
    """Runs a candidate; one that is no scenario, or whose cluster does not start, shows nothing."""
    try:
        watched = UntilBroken(read_scenario(candidate.document), candidate.seed)
    except Problem:
        return Shown({}, ())
    coverage = Coverage(watched.world)
    try:
        violations = list(watched.finish().violations)
    except Violated:
        violations = list(watched.watch.violations.values())
        violations += [watched.assertion] if watched.assertion else []
    except Impossible as impossible:
        return Shown(coverage.first_us, ("assertion",), str(impossible))
    except LimitError as limit:
        return Shown(coverage.first_us, (START,), str(limit))
    except Exception as error:  # whatever the code under test raises is a finding
        return Shown(coverage.first_us, (CRASH,), repr(error))
    violations.sort(key=lambda violation: violation.t_us)
    names = tuple(violation.name for violation in violations)
    return Shown(coverage.first_us, names, violations[0].what if violations else "")
