"""What is told of changes only says what everything, read from scratch, says: at every step."""

from contextlib import suppress

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.scenarios.properties import ALL
from tests.scenarios.lives import PLANTED, STARTING
from tests.scenarios.naive import COVERED, Naive
from tests.scenarios.watched import troubled, watched_world
from tests.worlds import pass_time

pytestmark = pytest.mark.slow


SHARED = [property_ for property_ in ALL if property_.number in COVERED]


def watched_by_both(seed=1):
    """A started world, the naive twin, and the times at which they did not say the same."""
    world, watching = watched_world(classes=SHARED, seed=seed, starts=False)
    naive = Naive(world)

    differences = []

    def compare(node, turn):
        if set(watching.violations) != naive.broken:
            found = (set(watching.violations), set(naive.broken))
            differences.append((world.timeline.now_us, *found))

    world.step_listeners.append(compare)
    world.start()
    return world, naive, differences


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3))]
)
def test_over_troubled_lives_both_find_nothing(seed):
    world, naive, differences = watched_by_both(seed)
    troubled(world, seed, steps=12, calm_s=10)

    assert naive.broken == set()
    assert differences == []


@pytest.mark.parametrize("number", sorted(COVERED & PLANTED.keys()))
def test_both_find_a_planted_bug_at_the_same_step(number, monkeypatch):
    bug, life = PLANTED[number]
    if number in STARTING:
        bug(monkeypatch)
    world, naive, differences = watched_by_both()
    if number not in STARTING:
        pass_time(world, 8)
        bug and bug(monkeypatch)
    with suppress(AssertionError, Impossible):  # the core has noticed as well, and later
        life(world)
        pass_time(world, 1)

    assert number in naive.broken
    assert [] == [found for found in differences if not followed(number, *found)]


def followed(number, _, watched, naive):
    """Both have found the bug: what it breaks besides, a twin that starts from scratch sees at any
    step, and a property when something moves."""
    return number in watched and number in naive
