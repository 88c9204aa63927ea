"""A broker among controllers, in every history within limits. The quorum alone: tests/raft."""

import json
import os
import random
from dataclasses import replace

import pytest

from kraftsim.cli.main import main
from kraftsim.scenarios.explore.brokers import running_cluster
from kraftsim.scenarios.explore.limits import Limits
from kraftsim.scenarios.explore.quorum_safety import Violation
from kraftsim.scenarios.explore.search import Known, explore
from kraftsim.scenarios.explored.subjects import LIMITS, Subject, world_of
from kraftsim.scenarios.mutants import MUTANTS, planted

pytestmark = pytest.mark.slow


ALONE = Subject(voters=1, has_broker=True)
LOOKED_AT = int(os.environ.get("KRAFTSIM_SOAK_STATES", "6000"))
STATES_MAX = int(os.environ.get("KRAFTSIM_SOAK_STATES", "20000"))


def searched(subject, limits, states_max=STATES_MAX):
    """What was explored, and what is known of every state."""
    world, beginnings = world_of(subject, limits)
    known = Known(world)
    return explore(world, *beginnings, known=known, states_max=states_max), world


def brokers(world):
    """Every state in which the broker was seen by a controller, and by itself."""
    lives = [value.life for value in world.steps.nodes.values]
    controllers = [life for life in lives if hasattr(life, "node")]
    return controllers, [life.agent for life in lives if hasattr(life, "agent")]


@pytest.mark.rule("1.11", "1.12", "1.25", "1.30", "2.7", "2.36")
@pytest.mark.parametrize(
    ("crashes", "rebirths", "stops"),
    [(0, 1, 1), (1, 0, 0)],
    ids=["it restarts, it is stopped", "the controller crashes"],
)
def test_a_broker_is_safe_with_one_controller_in_every_history_within(crashes, rebirths, stops):
    limits = replace(LIMITS[ALONE], crashes=crashes, rebirths=rebirths, stops=stops)
    explored, world = searched(ALONE, limits)

    assert explored.is_exhaustive, explored
    assert explored.states > 1000
    controllers, agents = brokers(world)
    assert {"STARTING", "RECOVERY", "RUNNING"} <= {agent.state.value for agent in agents}
    assert stops == ("SHUTTING_DOWN" in {agent.state.value for agent in agents})
    assert {True, False} == {
        controller.broker.fenced for controller in controllers if controller.broker
    }
    assert 1 + rebirths == len(
        {controller.broker.incarnation_id for controller in controllers if controller.broker}
    )


@pytest.mark.parametrize(
    "limits",
    [
        Limits(writes=1, crashes=0, timeouts=1, losses=0, sessions=1, rebirths=1),
        Limits(writes=0, crashes=1, timeouts=1, losses=1),
    ],
    ids=["a failover, a topic, a new process", "a failover, a crash, a loss"],
)
def test_a_broker_is_safe_with_two_controllers_as_far_as_was_looked(limits):
    explored, _ = searched(Subject(voters=2, has_broker=True), limits, LOOKED_AT)

    assert not explored.is_exhaustive
    assert explored.states >= LOOKED_AT
    assert explored.depth >= 5


@pytest.mark.parametrize(
    ("name", "rule"),
    [("M01", "S12"), ("M06", "S10"), ("M32", "S18"), ("M34", "S15"), ("M43", "S21")],
)
def test_the_search_finds_a_planted_bug_of_the_broker(name, rule):
    limits = Limits(epoch=3, writes=1, crashes=1, timeouts=0, losses=1, sessions=1, rebirths=1)

    with planted(MUTANTS[name]), pytest.raises(Violation) as caught:
        searched(ALONE, limits)
    assert rule == caught.value.rule
    assert any("controller 101 receives from the broker" in line for line in caught.value.__notes__)


@pytest.mark.parametrize(("name", "rule"), [("M26", "9.37"), ("M28", "9.40"), ("M29", "9.38")])
def test_the_search_finds_a_planted_bug_of_the_quorum(name, rule):
    with planted(MUTANTS[name]), pytest.raises(Violation) as caught:
        searched(Subject(voters=2, has_broker=False), Limits(epoch=1))
    assert rule == caught.value.rule


# What the search takes for granted


def test_nodes_that_are_taken_for_one_do_the_same():
    """Beside the numbers of a history, its nodes live through it themselves."""
    drawn = random.Random(0)
    limits = Limits(epoch=4, writes=9, crashes=9, sessions=9, rebirths=9, stops=9)
    world, _ = world_of(Subject(voters=2, has_broker=True), limits)
    for _ in range(20):
        live_through(world, drawn)
    assert len(world.steps.nodes) > 200


def live_through(world, drawn):
    steps, state = world.steps, running_cluster(world)
    nodes = [steps.nodes[node] for node in state.nodes]
    for _ in range(60):
        index, action = drawn.choice([*world.actions(state)])
        event, *arguments = action
        arguments, next_peer = steps.decoded(event, *arguments), drawn.randrange(1 + (index == 2))
        step = nodes[index].apply(event, *arguments, next_peer=next_peer)
        if step.node.epoch > world.limits.epoch:
            continue
        outcome = steps.outcome(index, step)
        assert outcome in steps.known[state.nodes[index], action]

        nodes[index] = step.node
        for requester in map(steps.requester_on, outcome.ended):
            for other in range(steps.voters):
                if requester in nodes[other].parked | nodes[other].deferred:
                    nodes[other] = nodes[other].apply("forgets_request_of", requester).node
        state = world.moved(state, index, outcome, state.spent, is_reborn=event == "restarts")
        assert [node.key for node in nodes] == [steps.nodes.keys[node] for node in state.nodes]


# The verb


def test_everything_within_limits_is_good_and_says_how_much_it_was(capsys):
    assert main(["scenario", "explore", "--voters", "2", "--epochs", "1", "--writes", "0"]) == 0

    out = capsys.readouterr().out
    assert out.startswith("2 voters: epochs 1, writes 0, crashes 1, elections any")
    assert "EXHAUSTIVE  " in out
    assert "NOT" not in out


def test_a_search_that_meets_its_bound_is_no_pass(capsys):
    assert main(["scenario", "explore", "--voters", "3", "--states-max", "500"]) == 3

    assert "NOT EXHAUSTIVE  500 states" in capsys.readouterr().out


def test_a_broken_rule_is_told_with_the_shortest_history(capsys):
    options = ["--voters", "1", "--broker", "--mutant", "M43"]
    assert main(["scenario", "explore", *options]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("VIOLATED  S21: ")
    assert "receives from the broker (metadata): FetchRequest" in lines[3]
    assert "receives from the broker (lease): BrokerHeartbeatRequest" in lines[-1]
    assert "brokerId=1" in lines[-1]
    assert "wantFence=1" in lines[-1]


def test_it_says_the_same_as_json(capsys):
    assert main(["scenario", "explore", "--states-max", "500", "--json"]) == 3

    told = json.loads(capsys.readouterr().out)
    assert ("not exhaustive", "states 500") == (told["verdict"], told["bound"])
    assert told["states"] >= 500
    assert [] == told["history"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--voters", "1"], "expected --broker too"),
        (["--crashes", "-1"], "--crashes: expected 0 or more, got -1"),
        (["--states-max", "0"], "--states-max: expected 1 or more, got 0"),
        (["--states-max", "-5"], "--states-max: expected 1 or more, got -5"),
        (["--mutant", "M4B"], "expected 'M"),
    ],
    ids=["one voter", "less than none", "no state", "less than no state", "an unknown bug"],
)
def test_what_makes_no_sense_is_refused(options, said, capsys):
    assert main(["scenario", "explore", *options]) == 2

    assert said in capsys.readouterr().err
