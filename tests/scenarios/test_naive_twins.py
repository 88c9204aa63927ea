"""What is told of changes only says what everything, read from scratch, says: at every step."""

import pytest

from kraftsim.scenarios.properties import ALL
from tests.scenarios.naive import COVERED, Naive
from tests.scenarios.watched import troubled, watched_world

SHARED = [one for one in ALL if one.number in COVERED]


def agree_at_every_step(seed, steps):
    """The numbers that fell, by both."""
    world, watching = watched_world(classes=SHARED, seed=seed)
    naive = Naive(world)

    def compare(node, turn):
        assert set(watching.violations) == naive.broken, world.timeline.now_us

    world.step_listeners.append(compare)
    troubled(world, seed, steps)
    return naive.broken


@pytest.mark.parametrize("seed", range(6))
def test_over_troubled_lives_both_find_nothing(seed):
    assert agree_at_every_step(seed, steps=12) == set()
