"""Finds the smallest scenario that fails with a mutant's bug and passes without it."""

from dataclasses import replace
from typing import Any

from ..document.plan import expand
from ..document.scenario import Pin, Scenario
from ..mutants.mutant import Mutant, planted
from .search import Failure, Smallest, Tries, smallest
from .shrink import failure_of, reductions_of


def reproducer(mutant: Mutant, scenario: Scenario, seed: int, tries: Tries) -> Smallest:
    """Reduces the run that kills `mutant` to the smallest scenario that still kills it.

    Raises ValueError if the run does not kill the mutant.
    """
    plan = replace(expand(scenario, seed), **_named_after(mutant, seed))

    def shows(candidate: Scenario, before: Failure | None = None) -> Failure | None:
        """Returns the failure with the bug; None if the candidate fails without it, too."""
        with planted(mutant):
            failure = failure_of(candidate, seed, mutant.broken, before)
        if failure is None or failure_of(candidate, seed, None, before) is not None:
            return None
        return failure

    failure = shows(plan)
    if failure is None:
        raise ValueError(
            f"expected a run that detects the planted bug {mutant.name}, got none: "
            f"{scenario.name}, seed {seed}"
        )
    return smallest(plan, failure, shows, reductions_of(plan, seed, mutant.broken), tries)


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
