"""What can be said against a scenario without running it, beyond what reading it says."""

from collections.abc import Iterator

from .plan import expand, settings_of
from .properties import ALL
from .reading import Problem, document_of
from .scenario import Scenario
from .smoke import in_small
from .words import nearest

SEED = 1  # any one: what is complained of does not depend on draws, but for times that are drawn


def complaints(scenario: Scenario) -> Iterator[str]:
    """One sentence each."""
    try:
        settings_of(scenario)
    except Problem as problem:
        yield f"{problem.place}: {problem.what}"
        return
    yield from _of_run(scenario)
    yield from _of_smoke(scenario)
    yield from _unbound(scenario)
    yield from _unknown_failure(scenario)
    expect = scenario.expect
    if not (expect.leads_to or expect.never or expect.sometimes or expect.calm or expect.always):
        yield "expect: nothing is claimed"


def _of_smoke(scenario: Scenario) -> Iterator[str]:
    if scenario.smoke:
        try:
            yield from (f"smoke: {complaint}" for complaint in _of_run(in_small(scenario)))
        except Problem as problem:
            yield f"{problem.place}: {problem.what}"


def _of_run(scenario: Scenario) -> Iterator[str]:
    yield from _unreachable(scenario)
    times = expand(scenario, SEED).time
    whole_us = times.warmup.us + times.run.us + times.calm.us
    if whole_us >= times.limit.us:
        yield f"time: warmup, run and calm take {whole_us} us, the limit is {times.limit.us} us"


def _unreachable(scenario: Scenario) -> Iterator[str]:
    plan = expand(scenario, SEED)
    for number, step in enumerate(plan.do):
        if step.trigger == "at" and step.amount is not None and step.amount.us > plan.time.run.us:
            yield f"do[{number}]: is due after the run has ended, and is never done"


def _unknown_failure(scenario: Scenario) -> Iterator[str]:
    """What it fails with is a property, or one of its own claims by its place."""
    expect = scenario.expect
    known = {one.name for one in ALL}
    for kind in ("leads_to", "never", "sometimes", "calm"):
        known |= {f"{kind}[{number}]" for number in range(len(getattr(expect, kind)))}
    if expect.fails_with is not None and expect.fails_with not in known:
        near = nearest(expect.fails_with, sorted(known))
        yield f"expect.fails_with: expected {near}, got {expect.fails_with!r}"


def _unbound(scenario: Scenario) -> Iterator[str]:
    for name in sorted(_names(document_of(scenario)) - set(scenario.let)):
        known = ", ".join(f"${one}" for one in scenario.let) or "nothing"
        yield f"${name} is not bound: `let` binds {known}"


def _names(document: object) -> set[str]:
    """Every $name in it."""
    match document:
        case str() if document.startswith("$"):
            return {document[1:]}
        case dict():
            return set().union(*(_names(one) for one in document.values()))
        case list():
            return set().union(*(_names(one) for one in document))
        case _:
            return set()
