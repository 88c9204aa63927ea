"""Finds what never happens: steps after the end, impossible conditions, undecided claims.

It also finds repetitions that would never end.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..conditions.broker_states import BROKER_STATES, BrokerState, FencedAtLeast
from ..conditions.condition import AllOf, AnyOf, Condition, Held, Leaderless, Not
from ..document.scenario import Scenario
from ..document.step import LimitError, Step
from ..language.amounts import Period
from ..language.durations import duration_text
from ..language.reading import Path, Problem, words_of
from ..verbs import VERBS
from .nodes import Population


def complaints(plan: Scenario) -> Iterator[Problem]:
    """Yields the mistakes of a plan, each with its position in the document."""
    times = plan.time
    whole_us = times.warmup.us + times.run.us + times.calm.us
    if whole_us >= times.limit.us:
        whole, limit = duration_text(whole_us), duration_text(times.limit.us)
        yield Problem(("time",), f"warmup, run and calm take {whole}: expected at most {limit}")
    yield from _steps(plan)
    yield from _endless(plan)
    yield from _claims(plan)


def _steps(plan: Scenario) -> Iterator[Problem]:
    run_us = plan.time.run.us
    for number, (step, at_us) in enumerate(zip(plan.do, _earliest(plan.do), strict=True)):
        if at_us > run_us:
            yield Problem(
                ("do", number), "this step is due after the end of the run and is never executed"
            )
        elif step.trigger == "every" and _last(step, run_us) > run_us:
            last, end = duration_text(_last(step, run_us)), duration_text(run_us)
            yield Problem(
                ("do", number),
                f"the last repetition is at {last}: expected before the end of the run, {end}",
            )
        elif step.when is not None:
            reason = impossible(step.when, plan, run_us)
            if reason:
                yield Problem(("do", number, "when"), f"can never hold: {reason}")


def _endless(plan: Scenario) -> Iterator[Problem]:
    """Yields steps and verbs that would repeat without end, because their period is 0."""
    for number, step in enumerate(plan.do):
        try:
            if step.trigger == "every":
                step.times_in(plan.time.run.us)
        except LimitError as error:
            yield Problem(("do", number, "every"), str(error))
        verb: Any = VERBS[step.word]
        for name, word in words_of(verb).items():
            if word.kind == Period and getattr(step.verb, word.name).us == 0:
                message = "expected a time above 0s, because the step would repeat without end"
                yield Problem(("do", number, step.word, name), message)


def _earliest(steps: Sequence[Step]) -> Iterator[int]:
    """Yields for each step the earliest time at which it can be done, in microseconds."""
    before_us = 0
    for step in steps:
        amount_us = 0 if step.amount is None else step.amount.us
        before_us = amount_us + (before_us if step.trigger == "after" else 0)
        yield before_us


def _last(step: Step, run_us: int) -> int:
    assert step.amount is not None
    if step.times is not None:
        return step.times * step.amount.us
    return run_us if step.until is None else step.until.us


def _claims(plan: Scenario) -> Iterator[Problem]:
    expect, whole_us = plan.expect, plan.time.run.us + plan.time.calm.us
    named: list[tuple[Path, Condition]] = [
        (("expect", kind, number), condition)
        for kind in ("never", "sometimes", "calm")
        for number, condition in enumerate(getattr(expect, kind))
    ]
    for number, implication in enumerate(expect.leads_to):
        claim_path = ("expect", "leads_to", number)
        named += [((*claim_path, "if"), implication.if_), ((*claim_path, "then"), implication.then)]
        if implication.within.us > whole_us:
            within, whole = duration_text(implication.within.us), duration_text(whole_us)
            message = f"{within} never pass, because run and calm take {whole}"
            yield Problem((*claim_path, "within"), message)
    for number, claim in enumerate(expect.during):
        named.append((("expect", "during", number, "holds"), claim.holds))
        if claim.window is not None and claim.window.from_.us > plan.time.run.us:
            yield Problem(
                ("expect", "during", number, "window"),
                "this window begins after the end of the run",
            )
    for number, converge in enumerate(expect.converge):
        if converge.within.us > plan.time.calm.us:
            within, calm = duration_text(converge.within.us), duration_text(plan.time.calm.us)
            message = f"{within}: expected at most the {calm} of calm"
            yield Problem(("expect", "converge", number, "within"), message)
    for path, condition in named:
        reason = impossible(condition, plan, whole_us)
        if reason:
            yield Problem(path, f"can never hold: {reason}")


def impossible(condition: Condition, plan: Scenario, whole_us: int) -> str:
    """Returns the reason why the condition cannot hold within `whole_us`, or an empty text."""
    match condition.of:
        case Leaderless(leaderless=amount) if amount.us > whole_us:
            return f"{duration_text(amount.us)} are longer than the time of the scenario"
        case Held(for_=amount) if amount.us > whole_us:
            return f"{duration_text(amount.us)} are longer than the time of the scenario"
        case Held(held=part):
            return impossible(part, plan, whole_us)
        case FencedAtLeast(fenced_at_least=least) if least > _brokers(plan):
            return f"there are {_brokers(plan)} brokers"
        case AnyOf(any=parts):
            reasons = [impossible(part, plan, whole_us) for part in parts]
            return "" if "" in reasons else reasons[0] if reasons else "the condition has no key"
        case AllOf(all=parts):
            return _contradiction(parts) or next(
                filter(None, (impossible(part, plan, whole_us) for part in parts)), ""
            )
        case Not(not_=Condition(of=AllOf(all=()))):
            return "a condition without keys always holds"
        case _:
            return ""


def _contradiction(parts: Sequence[Condition]) -> str:
    """Returns a text if two conditions demand different states of one broker, otherwise empty."""
    states: dict[tuple[object, object, bool], str] = {}
    for part in (part.of for part in parts):
        if isinstance(part, BrokerState):
            of = (part.broker, part.seen_by, part.state in BROKER_STATES)
            if states.setdefault(of, part.state) != part.state:
                return f"no node is {states[of]} and {part.state} at once"
    return ""


def _brokers(plan: Scenario) -> int:
    return Population(plan).brokers
