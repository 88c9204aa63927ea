"""Every interleaving of two and of three voters, as far as a few seconds reach."""

import pytest

from kraftsim.controller.raft import elections
from tests.raft.explore import Limits, World, explore
from tests.raft.safety import Violation

RULES = ("9.36", "9.37", "9.38", "9.39", "9.40", "9.41", "9.42", "9.43")


def led(world):
    """From here on: 1 leads, and all have what it has."""
    world.lose_patience(1)
    for _ in range(200):
        if world.in_flight:
            world.arrive(world.in_flight[0])
    assert world.quorums[1].is_leader
    assert {3} == {one.high_watermark for one in world.quorums.values()}
    return world


@pytest.mark.rule(*RULES)
def test_two_voters_are_safe_in_an_epoch_as_far_as_was_looked():
    """Requests that their sender has given up still arrive: too many ways for a few seconds."""
    limits = Limits(epoch=1, writes=1, crashes=0)
    explored = explore(World((1, 2)), limits=limits, states_max=5000)

    assert ("states 5000", False) == (explored.bound, explored.is_exhaustive)
    assert explored.depth >= 12


@pytest.mark.rule(*RULES)
@pytest.mark.parametrize(
    ("voters", "begins", "depth"),
    [((1, 2), "unled", 8), ((1, 2), "led", 6), ((1, 2, 3), "unled", 4), ((1, 2, 3), "led", 3)],
)
def test_voters_that_crash_are_safe_as_far_as_was_looked(voters, begins, depth):
    world = World(voters, is_quiet=len(voters) > 2)
    if begins == "led":
        led(world)
    explored = explore(world, limits=Limits(epoch=2, writes=1, crashes=1), states_max=2500)

    assert (2500, "states 2500", False) == (
        explored.states,
        explored.bound,
        explored.is_exhaustive,
    )
    assert explored.depth >= depth


def test_a_search_that_is_cut_short_says_so():
    explored = explore(World((1, 2)), depth_max=3)

    assert (3, "depth 3", False) == (explored.depth, explored.bound, explored.is_exhaustive)


def test_what_becomes_of_a_fork_does_not_change_where_it_began():
    world = led(World((1, 2, 3)))
    before = world.fingerprint()
    marks = set()
    for move in world.moves(Limits(epoch=9)):
        fork = world.fork()
        move(fork)
        fork.forget_the_unheard()
        marks.add(fork.fingerprint())

    assert before == world.fingerprint()
    assert len(marks) > 5


def test_the_search_finds_a_voter_that_votes_twice(monkeypatch):
    monkeypatch.setattr(elections, "_grants", lambda quorum, request, candidate: True)

    with pytest.raises(Violation) as caught:
        explore(World((1, 2, 3), is_quiet=True), limits=Limits(epoch=1, writes=0, crashes=0))
    assert caught.value.rule in ("9.36", "9.37")
