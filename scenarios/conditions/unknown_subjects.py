"""Checks that the nodes of a condition exist.

A condition about a nonexistent broker never comes true, so the claim `never` with that condition
would prove nothing.
"""

from random import Random

from ..language.positions import found
from ..language.selectors import EACH, Selector
from ..stage.stage import Stage
from .condition import Condition


def all_subjects_exist(condition: Condition, stage: Stage) -> bool:
    """Returns True if every node that the condition names exists now.

    Selectors that draw are evaluated without drawing from the run's streams.
    """
    selectors = dict(found(Selector, condition))
    outer = (selector for path, selector in selectors.items() if path[:-2] not in selectors)
    return all(_exist(selector, stage) for selector in outer if not selector.is_let(EACH))


def _exist(selector: Selector, stage: Stage) -> bool:
    world = stage.world
    nodes = selector.nodes(world, stage.bound, Random(0))
    known = {*world.nodes, *world.own.processes}
    return bool(nodes) and all(node in known for node in nodes)
