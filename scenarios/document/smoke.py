"""A scenario in small: what its `smoke:` block says is laid over it, and the whole is read again.

It is the same scenario with fewer nodes and less time, so that the whole library can be run within
a minute; what it claims and what is done stay.
"""

from collections.abc import Mapping

from ..language.layers import laid_over
from ..language.reading import Problem, document_of, expect_keys
from .scenario import Scenario, read_scenario

WORDS = ("time", "cluster", "config")


def in_small(scenario: Scenario) -> Scenario:
    """Problem if the block has other words, or the scenario is wrong with it."""
    expect_keys(scenario.smoke, WORDS, ("smoke",))
    document = document_of(scenario)
    assert isinstance(document, Mapping)
    try:
        return read_scenario(laid_over(document, scenario.smoke))
    except Problem as problem:
        raise Problem(("smoke", *problem.path), problem.what) from None
