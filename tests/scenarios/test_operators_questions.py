"""What an operator asks of a cluster is answered right in the midst of chaos.

Each answer is Kafka's own: of DescribeTopicPartitions and DescribeConfigs, as one broker knows the
metadata, and of ListPartitionReassignments. docs/service.md has the questions, and what no answer
can know.
"""

import pytest

from kraftsim.api.views.outage_view import outage_view
from kraftsim.scenarios.running.run import Run
from tests.scenarios import planted_messages
from tests.scenarios.operators_answers import Answers, Place
from tests.scenarios.operators_questions import Examination, Question, Verdicts
from tests.scenarios.read_library import Library
from tests.worlds import create_topic, node, partition, pass_time, world_of

SEEDS_OF_A_GATE = (13, 17, 18, 21)
SEEDS_OF_A_SOAK = range(1, 201)
SESSION_S = 16  # of a lease, and of an election


def examined(*seeds: int) -> Verdicts:
    verdicts = Verdicts()
    for seed in seeds:
        run = Run(Library()["swarm-of-messages"], seed, properties=())
        Examination(run, verdicts).ask_every(seconds=25, times=2)
    return verdicts


@pytest.mark.slow
def test_no_answer_is_wrong_that_could_be_right() -> None:
    verdicts = examined(*SEEDS_OF_A_GATE)

    assert verdicts.wrong == []
    for question in (Question.RESTART, Question.REPLICATED):
        assert verdicts.given[question, True]
        assert verdicts.harmful[question, False], "a no that says something"
    assert verdicts.given[Question.REASSIGNED, True]
    assert verdicts.given[Question.REMOVE, True]


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS_OF_A_SOAK)
def test_no_answer_is_wrong_under_any_chaos(seed: int) -> None:
    assert examined(seed).wrong == []


@pytest.mark.slow
def test_answers_are_wrong_if_followers_lack_what_is_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted_messages.copies_nothing(monkeypatch)

    (replicated, restart) = sorted(examined(25).wrong)

    assert Question.REPLICATED.value in replicated
    assert Question.RESTART.value in restart


def test_kraftsim_answers_as_the_brokers_do() -> None:
    world = world_of(3)
    create_topic(world, "pairs", (1, 2), (2, 3))
    create_topic(world, "alone", (2,))
    pass_time(world, 1)
    answers, view = Answers(world, 3), world.controller.node.config_view

    for broker_id, may_stop in ((1, True), (2, False), (3, True)):
        outage = outage_view(view, broker_id)
        assert answers.may_stop(broker_id) == may_stop
        assert (outage["leaderlessWithout"] == outage["underMinIsrWithout"] == []) == may_stop
        assert outage["replicas"] == len(answers.hosted(broker_id))


# What no answer can know


def test_a_member_of_the_isr_that_has_just_died_still_counts() -> None:
    world = world_of(3)
    create_topic(world, "pairs", (1, 2))
    pass_time(world, 1)
    world.agents[2].kill()

    assert Answers(world, 3).may_stop(1)

    world.agents[1].kill()
    pass_time(world, SESSION_S)
    assert partition(world, "pairs").leader == -1


def test_a_broker_that_is_cut_off_answers_from_old_metadata() -> None:
    world = world_of(3)
    create_topic(world, "pairs", (1, 2))
    pass_time(world, 1)
    world.network.deafen(node(3))
    world.agents[2].kill()
    pass_time(world, SESSION_S)

    assert not Answers(world, 1).may_stop(1)
    assert Answers(world, 3).may_stop(1)


def test_a_follower_that_is_cut_off_is_in_the_isr_while_nobody_writes() -> None:
    world = world_of(3)
    create_topic(world, "pairs", (1, 2))
    pass_time(world, 1)
    world.network.cut |= {(node(1), node(2)), (node(2), node(1))}
    pass_time(world, 120)

    assert Answers(world, 3).is_replicated(Place("pairs", 0))
    assert Answers(world, 3).may_stop(1)
