"""Every history of two and of three voters within limits, as far as a few seconds reach; `make
soak` goes further."""

import os
import random

import pytest

from kraftsim.controller.core.rpc import EpochEndOffset
from kraftsim.controller.raft import elections, fetch_answer, following, leading
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.scenarios.explore.limits import Limits
from kraftsim.scenarios.explore.quorum_safety import Violation
from kraftsim.scenarios.explore.search import Known, explore
from kraftsim.scenarios.explore.steering import delivered, led, quorum_at
from kraftsim.scenarios.explore.voters import quorum_of

pytestmark = pytest.mark.slow


RULES = ("9.36", "9.37", "9.38", "9.39", "9.40", "9.41", "9.42", "9.43")
STATES_MAX = int(os.environ.get("KRAFTSIM_SOAK_STATES", "10000"))
soak = pytest.mark.skipif("KRAFTSIM_SOAK_STATES" not in os.environ, reason="make soak runs it")


def told_apart(limits):
    return str(limits) if isinstance(limits, Limits) else ""


@pytest.mark.rule(*RULES)
@pytest.mark.parametrize(
    ("voters", "limits"),
    [
        (2, Limits(epoch=1)),
        (2, Limits(crashes=0)),
        pytest.param(2, Limits(), marks=soak),
        pytest.param(3, Limits(timeouts=1, losses=0, asks_around=False), marks=soak),
        pytest.param(3, Limits(timeouts=1, asks_around=False), marks=soak),
        pytest.param(
            3, Limits(timeouts=2, losses=0, writes=0, crashes=0, asks_around=False), marks=soak
        ),
    ],
    ids=told_apart,
)
def test_voters_are_safe_in_every_history_within(voters, limits):
    explored = explore(quorum_of(voters, limits))

    print(explored)
    assert explored.is_exhaustive, explored
    assert explored.states > 10_000


@pytest.mark.rule(*RULES)
@pytest.mark.parametrize(
    ("begins", "limits", "depth"),
    [
        ("unled", Limits(asks_around=False), 7),
        ("led", Limits(timeouts=1, losses=0, asks_around=False), 7),
    ],
    ids=told_apart,
)
def test_three_voters_are_safe_as_far_as_was_looked(begins, limits, depth):
    world = quorum_of(3, limits)
    beginning = world.beginning()
    if begins == "led":
        beginning = delivered(world, led(world, beginning, 0, 1), {0, 1, 2})
    explored = explore(world, beginning, states_max=STATES_MAX)

    print(explored)
    assert (f"states {STATES_MAX}", False) == (explored.bound, explored.is_exhaustive)
    assert explored.depth >= depth


def test_a_search_that_is_cut_short_says_so():
    explored = explore(quorum_of(2, Limits()), depth_max=3)

    assert (3, "depth 3", False) == (explored.depth, explored.bound, explored.is_exhaustive)


# The search can fail


def caught(world, *beginnings):
    with pytest.raises(Violation) as caught:
        explore(world, *beginnings, states_max=20_000)
    assert any("loses patience" in line for line in caught.value.__notes__)
    return caught.value.rule


@pytest.mark.parametrize("voters", [2, 3])
def test_the_search_finds_a_voter_that_votes_twice(voters, monkeypatch):
    monkeypatch.setattr(elections, "_grants", lambda quorum, request, candidate: True)

    assert caught(quorum_of(voters, Limits(epoch=1))) in ("9.36", "9.37")


def test_the_search_finds_a_leader_that_commits_what_no_majority_has(monkeypatch):
    def advance(quorum):
        quorum.high_watermark = quorum.persisted_offset
        return True

    monkeypatch.setattr(leading, "advance", advance)

    assert "9.40" == caught(quorum_of(2, Limits(epoch=1)))


def test_the_search_finds_a_follower_that_gives_back_what_is_committed(monkeypatch):
    def diverging(log, wanted):
        return EpochEndOffset(epoch=0, end_offset=0) if wanted.high_watermark > 0 else None

    def give_back(quorum, diverging, turn):
        quorum.log.truncate(diverging.end_offset)
        quorum.persisted_offset = quorum.log.end_offset
        return True

    monkeypatch.setattr(fetch_answer, "_is_usual", lambda leadership, log, request: False)
    monkeypatch.setattr(fetch_answer, "_diverging", diverging)
    monkeypatch.setattr(following, "_give_back", give_back)

    assert "9.42" == caught(quorum_of(2, Limits(epoch=1)))


def test_the_search_finds_a_voter_that_grants_to_a_shorter_log(monkeypatch):
    """The third has nothing of what the first two have committed."""
    grants = elections._grants

    def blind(quorum, request, candidate):
        log, quorum.log = quorum.log, MetadataLog()
        granted = grants(quorum, request, candidate)
        quorum.log = log
        return granted

    monkeypatch.setattr(elections, "_grants", blind)
    world = quorum_of(3, Limits(timeouts=2, losses=0, asks_around=False))
    beginning = delivered(world, led(world, world.beginning(), 0, 1), {0, 1})
    assert [3, 3, 0] == [
        quorum_at(world, beginning, node_id).high_watermark for node_id in range(3)
    ]

    assert "9.40" == caught(world, beginning)


@pytest.mark.rule("10.29")
@pytest.mark.parametrize("is_careless", [False, True])
def test_the_search_finds_a_leader_that_commits_by_counting_what_an_older_epoch_wrote(
    is_careless, monkeypatch
):
    """Figure 8 of the Raft paper: 1 wrote in epoch 1, 3 in epoch 2, and 1 leads again in 3. It
    takes answers of one batch: else no follower has what is old without what is new."""
    advance = leading.advance

    def careless(quorum):
        start, quorum.role.epoch_start = quorum.role.epoch_start, -1
        has_moved = advance(quorum)
        quorum.role.epoch_start = start
        return has_moved

    monkeypatch.setattr(fetch_answer, "BATCHES_MAX", 1)
    if is_careless:
        monkeypatch.setattr(leading, "advance", careless)
    world = quorum_of(
        3, Limits(epoch=4, writes=0, crashes=0, timeouts=1, losses=0, asks_around=False)
    )
    state = world.beginning()
    for leader in (0, 2, 0):
        state = led(world, state, leader, 1)
    assert [4, 0, 3] == [quorum_at(world, state, node_id).log.end_offset for node_id in range(3)]

    if is_careless:
        assert "9.40" == caught(world, state)
    else:
        explore(world, state, states_max=10_000)


# What the search takes for granted


def test_replicas_that_are_taken_for_one_do_the_same():
    """Beside the numbers of a history, its replicas live through it themselves."""
    drawn = random.Random(0)
    world = quorum_of(3, Limits(epoch=3))
    for _ in range(100):
        live_through(world, drawn)
    assert len(world.steps.nodes) > 500


def live_through(world, drawn):
    steps, state = world.steps, world.beginning()
    replicas = [steps.make(node_id).apply("restarts").node for node_id in range(3)]
    for _ in range(100):
        index, action = drawn.choice(seldom_restarts(world, state, drawn))
        event, *arguments = action
        arguments, next_peer = steps.decoded(event, *arguments), drawn.randrange(2)
        step = replicas[index].apply(event, *arguments, next_peer=next_peer)
        if step.node.epoch > world.limits.epoch:
            continue
        outcome = steps.outcome(index, step)
        assert outcome in steps.known[state.nodes[index], action]

        replicas[index] = step.node
        for line in outcome.ended:
            peer = steps.index(steps.ends[line][1])
            replicas[peer] = replicas[peer].apply("forgets_request_of", steps.ids[index]).node
        state = world.moved(state, index, outcome, state.spent, is_reborn=event == "restarts")
        assert [replica.key for replica in replicas] == [
            steps.nodes.keys[node] for node in state.nodes
        ]


def seldom_restarts(world, state, drawn):
    with_restarts = drawn.random() < 0.1
    steps = world.actions(state)
    return [step for step in steps if with_restarts or step[1] != ("restarts",)]


def test_a_step_leaves_the_replica_from_which_it_began_as_it_was():
    world = quorum_of(3, Limits())
    state = delivered(world, led(world, world.beginning(), 0, 1), {0, 1, 2})
    replicas = [world.steps.nodes[node] for node in state.nodes]
    before = [replica.key for replica in replicas]
    after = {there for step in world.actions(state) for there in world.after(state, *step)}

    assert before == [replica.key for replica in replicas]
    assert len(after) > 10


def test_nothing_is_passed_over_for_the_sake_of_names_or_of_what_may_arrive():
    """A search that minds both finds the same, names aside."""
    world = quorum_of(2, Limits(epoch=1, writes=0, asks_around=False))
    every, waiting = set(), [world.beginning()]
    while waiting:
        state = waiting.pop()
        if state not in every:
            every.add(state)
            steps = world.actions(state)
            waiting += [there for step in steps for there in world.after(state, *step)]
    known = Known(world)
    explored = explore(world, known=known)

    assert {world.symmetry.canonical(state)[0] for state in every} == known.by_parts.keys()
    assert explored.states < len(every) * 0.6
