"""Tells whether the nodes of a condition exist.

A condition about a broker that does not exist never comes true, so the claim that it never does
proves nothing.
"""

from random import Random

from ..language.positions import found
from ..language.selectors import EACH, Selector
from ..stage.stage import Stage
from .condition import Condition


def is_about_somebody(condition: Condition, stage: Stage) -> bool:
    """Returns True if every node that the condition names exists by now.

    Selectors that draw are evaluated without drawing from the run's streams.
    """
    places = dict(found(Selector, condition))
    outer = (selector for place, selector in places.items() if place[:-2] not in places)
    return all(_exist(selector, stage) for selector in outer if not selector.is_let(EACH))


def _exist(selector: Selector, stage: Stage) -> bool:
    world = stage.world
    nodes = selector.nodes(world, stage.bound, Random(0))
    return bool(nodes) and all(node in world.nodes for node in nodes)
