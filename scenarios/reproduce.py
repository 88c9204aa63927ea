"""Finds the smallest scenario that fails with a mutant's bug and passes without it."""

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

PROPERTIES = {property_.name for property_ in ALL}


def reproducer(
    mutant: Mutant, scenario: Scenario, seed: int, *, may_go_on: Callable[[], bool] = lambda: True
) -> Scenario:
    """Reduces the run that kills `mutant` to the smallest scenario that still kills it.

    Raises ValueError if the run does not kill the mutant. `may_go_on` is called before every
    try; False stops the search.
    """
    plan = replace(expand(scenario, seed), **_named_after(mutant, seed))
    if _shows(mutant, plan, seed) is None:
        raise ValueError(
            f"expected a run that detects the planted bug {mutant.name}, got none: "
            f"{scenario.name}, seed {seed}"
        )
    alone = replace(plan, expect=_claimed_alone(mutant, plan.expect))
    begin = plan if _shows(mutant, alone, seed) is None else alone
    return smallest(begin, lambda scenario: _shows(mutant, scenario, seed), may_go_on)[0]


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
    """Returns the broken properties and claims if the candidate kills the mutant, otherwise None.

    Returns None as well if lint rejects the candidate, or if it fails without the bug.
    """
    if any(complaints(candidate)):
        return None
    try:
        with planted(mutant):
            fallen = broken(candidate, seed)
        is_shown = mutant.broken in fallen and not broken(candidate, seed)
    except (KeyError, IndexError, ValueError, RuntimeError):
        return None  # steps without meaning in a small cluster, or a run without end
    return fallen if is_shown else None


def _claimed_alone(mutant: Mutant, expect: Expect) -> Expect:
    """Returns `expect` with only the property or the kind of claims that the mutant breaks.

    A claim is named by its index, as in `never[1]`, so all claims of the kind are kept.
    """
    if mutant.broken in PROPERTIES:
        return Expect(always=(mutant.broken,))
    kind, _, _ = mutant.broken.partition("[")
    if hasattr(expect, kind):
        return replace(Expect(always=()), **{kind: getattr(expect, kind)})
    return Expect()  # a run that does not end
