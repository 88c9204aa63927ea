"""The smallest scenario that shows a mutant: it falls with the bug, and holds without it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .claims.expect import Expect
from .document.plan import expand
from .document.scenario import Pin, Scenario
from .lint import complaints
from .mutants.kill import broken
from .mutants.mutant import Mutant, planted
from .properties import ALL
from .running.shrink import smallest

PROPERTIES = {one.name for one in ALL}


def reproducer(
    mutant: Mutant, scenario: Scenario, seed: int, *, may_go_on: Callable[[], bool] = lambda: True
) -> Scenario:
    """From the run that kills `mutant`; ValueError if it does not. `may_go_on` is asked before
    every try."""
    plan = replace(expand(scenario, seed), **_named_after(mutant, seed))
    if _shows(mutant, plan, seed) is None:
        raise ValueError(f"{mutant.name} is not killed by {scenario.name}, seed {seed}")
    alone = replace(plan, expect=_claimed_alone(mutant, plan.expect))
    begin = plan if _shows(mutant, alone, seed) is None else alone
    return smallest(begin, lambda one: _shows(mutant, one, seed), may_go_on)[0]


def _named_after(mutant: Mutant, seed: int) -> dict[str, Any]:
    return {
        "name": mutant.name,
        "title": mutant.title,
        "tags": (),
        "refs": (mutant.defect,) if mutant.defect else (),
        "smoke": {},
        "mutants": (mutant.name,),
        "pins": (Pin(seed=seed),),
        "lesson": (),
    }


def _shows(mutant: Mutant, candidate: Scenario, seed: int) -> tuple[str, ...] | None:
    """What falls, if that is what is said of the mutant, and nothing does without it. What lint
    would complain of is no scenario."""
    if any(complaints(candidate)):
        return None
    try:
        with planted(mutant):
            fallen = broken(candidate, seed)
        is_shown = mutant.broken in fallen and not broken(candidate, seed)
    except (KeyError, IndexError, ValueError, RuntimeError):
        return None  # steps without meaning in so small a cluster, or time that stands still
    return fallen if is_shown else None


def _claimed_alone(mutant: Mutant, expect: Expect) -> Expect:
    """What it falls by, and no other claim. Those of a file are known by their places."""
    if mutant.broken in PROPERTIES:
        return Expect(always=(mutant.broken,))
    kind, _, _ = mutant.broken.partition("[")
    if hasattr(expect, kind):
        return replace(Expect(always=()), **{kind: getattr(expect, kind)})
    return Expect()  # a run that does not come to its end
