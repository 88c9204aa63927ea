"""A controller, two brokers and their partition, in every history within limits."""

from dataclasses import replace

import pytest

from kraftsim.cli.main import main
from kraftsim.scenarios.explore.limits import Limits
from kraftsim.scenarios.explore.quorum_safety import Violation
from kraftsim.scenarios.explore.search import explore
from kraftsim.scenarios.explored.partition_life import PartitionLife
from kraftsim.scenarios.explored.subjects import LIMITS, Subject, world_of
from kraftsim.scenarios.mutants import MUTANTS, planted
from tests.scenarios import planted_losses

pytestmark = pytest.mark.slow

PARTITION = Subject(voters=1, has_broker=False, has_partition=True)
PROPOSALS = LIMITS[PARTITION]
NEW_PROCESSES = replace(PROPOSALS, writes=0, rebirths=1)


def searched(limits):
    """What was explored, and the partition in every state of the controller."""
    world, beginnings = world_of(PARTITION, limits)
    explored = explore(world, *beginnings)
    lives = [node.life for node in world.steps.nodes.values]
    assert all(isinstance(life, PartitionLife) for life in lives)
    return explored, [life.partition for life in lives]


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(PROPOSALS, id="a proposal or an election"),
        pytest.param(NEW_PROCESSES, id="a new process", marks=pytest.mark.soak),
    ],
)
def test_the_partition_is_safe_in_every_history_within(limits):
    explored, partitions = searched(limits)

    assert explored.is_exhaustive, explored
    assert explored.states > 500
    assert {-1, 1, 2} == {partition.leader for partition in partitions}
    assert {(1, 2), (1,), (2,)} <= {partition.isr for partition in partitions}
    assert {(), (1,), (2,)} <= {partition.elr for partition in partitions}


def violated(limits):
    with pytest.raises(Violation) as caught:
        searched(limits)
    return caught.value.rule, caught.value.__notes__


@pytest.mark.parametrize(
    ("bug", "limits", "rule"),
    [
        ("M12", replace(PROPOSALS, stops=1), "S25"),
        ("M17", NEW_PROCESSES, "S25"),
        ("M97", NEW_PROCESSES, "S33"),
        ("M98", PROPOSALS, "S40"),
        ("M99", PROPOSALS, "S40"),
    ],
)
def test_the_search_finds_a_planted_bug_of_the_partition(bug, limits, rule):
    with planted(MUTANTS[bug]):
        assert rule == violated(limits)[0]


def test_the_search_finds_that_a_killed_broker_stays_in_the_elr(monkeypatch):
    planted_losses.every_shutdown_is_clean(monkeypatch)

    assert "S34" == violated(NEW_PROCESSES)[0]


def test_a_history_says_what_the_brokers_sent():
    with planted(MUTANTS["M98"]):
        _, history = violated(PROPOSALS)

    assert ["controller 101 receives an ISR that broker 1 proposes: (1,), older epoch"] == history


def test_a_session_that_does_not_pass_fences_nobody():
    _, partitions = searched(Limits(writes=0, crashes=0))

    assert {(1, 2)} == {partition.isr for partition in partitions}


def test_the_verb_explores_a_partition(capsys):
    words = ["--partition", "--sessions", "0"]
    assert main(["scenario", "explore", *words]) == 0

    assert "1 voter, 2 brokers and 1 partition: epochs 2, writes 1," in capsys.readouterr().out


@pytest.mark.parametrize("more", [["--broker"], ["--voters", "2"]])
def test_a_partition_has_one_voter_and_its_own_brokers(more, capsys):
    assert main(["scenario", "explore", "--partition", *more]) == 2
    assert "--partition: expected no --broker, and one voter" in capsys.readouterr().err
