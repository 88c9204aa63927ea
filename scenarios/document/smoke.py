"""The short form of a scenario: the scenario with its `smoke:` block laid over it.

The short form has fewer nodes and less time, so that the whole library runs within a minute. Steps
and claims stay the same.
"""

from collections.abc import Mapping

from ..language.layers import laid_over
from ..language.reading import Problem, document_of, expect_keys
from .scenario import Scenario, read_scenario

WORDS = ("time", "cluster", "config")


def in_small(scenario: Scenario) -> Scenario:
    """Returns the short form; raises Problem for an unknown word or an unfit value in `smoke:`."""
    expect_keys(scenario.smoke, WORDS, ("smoke",))
    document = document_of(scenario)
    assert isinstance(document, Mapping)
    try:
        return read_scenario(laid_over(document, scenario.smoke))
    except Problem as problem:
        raise Problem(("smoke", *problem.path), problem.what) from None
