"""Finds claims that no run can break, because their conditions always or never hold."""

from collections.abc import Iterator

from ..conditions.condition import AllOf, AnyOf, Condition, Held, Not
from ..document.scenario import Scenario
from ..language.reading import Path, Problem

ALWAYS = "this condition always holds, so the claim proves nothing"
NEVER = "this condition can never hold, so the claim proves nothing"


def complaints(scenario: Scenario) -> Iterator[Problem]:
    """Yields the mistakes, each with its position in the document."""
    expect = scenario.expect
    for kind in ("sometimes", "calm"):
        for number, condition in enumerate(getattr(expect, kind)):
            yield from _if(always_holds(condition), ("expect", kind, number), ALWAYS)
    for number, condition in enumerate(expect.never):
        yield from _if(never_holds(condition), ("expect", "never", number), NEVER)
    for number, claim in enumerate(expect.during):
        path: Path = ("expect", "during", number, "holds")
        yield from _if(always_holds(claim.holds), path, ALWAYS)
    for number, implication in enumerate(expect.leads_to):
        path = ("expect", "leads_to", number)
        yield from _if(always_holds(implication.then), (*path, "then"), ALWAYS)
        yield from _if(never_holds(implication.if_), (*path, "if"), NEVER)
        is_repeated = implication.if_ == implication.then
        yield from _if(is_repeated, (*path, "then"), "this condition is that of `if`")


def _if(is_wrong: bool, path: Path, message: str) -> Iterator[Problem]:
    if is_wrong:
        yield Problem(path, message)


def always_holds(condition: Condition) -> bool:
    """Returns True if no state of a cluster makes the condition false."""
    match condition.of:
        case Held(held=part):
            return always_holds(part)
        case AllOf(all=parts):
            return all(map(always_holds, parts))
        case AnyOf(any=parts):
            return any(map(always_holds, parts)) or _has_opposites(parts)
        case Not(not_=part):
            return never_holds(part)
        case _:
            return False


def never_holds(condition: Condition) -> bool:
    """Returns True if no state of a cluster makes the condition true."""
    match condition.of:
        case Held(held=part):
            return never_holds(part)
        case AllOf(all=parts):
            return any(map(never_holds, parts)) or _has_opposites(parts)
        case AnyOf(any=parts):
            return all(map(never_holds, parts))
        case Not(not_=part):
            return always_holds(part)
        case _:
            return False


def _has_opposites(parts: tuple[Condition, ...]) -> bool:
    """Returns True if one of the conditions is the negation of another."""
    return any(isinstance(part.of, Not) and part.of.not_ in parts for part in parts)
