"""Why a run failed: the claim, two facts that contradict, and the way from the first fault."""

import json

import pytest

from kraftsim.cli.main import main
from kraftsim.explanation import explained
from kraftsim.files.mutant_files import reproducers
from kraftsim.files.scenario_files import read_file
from kraftsim.scenarios.explaining.breach import facts_of
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.mutant import planted
from kraftsim.scenarios.running.until_broken import UntilBroken, violations_until


def why(bug):
    """Why the smallest scenario with a planted bug fails, with the lines without their times."""
    scenario = read_file(reproducers()[bug]).scenario
    with planted(MUTANTS[bug]):
        run = UntilBroken(scenario, scenario.pins[0].seed)
        found, lines = explained(run, violations_until(run, lambda: run.finish().violations)[0])
    return found, [line.partition(" s  ")[2] for line in lines]


def test_a_fence_that_is_late_names_both_times_and_the_fault():
    """M42: no lease expires."""
    found, lines = why("M42")

    assert "no-late-fence" == found.name
    assert found.claim.endswith("(S19)")
    assert found.expected.startswith("at most ")
    assert found.got.startswith("broker 1 is not fenced ")
    assert lines[0].startswith(">> ")
    assert lines[-1].endswith("no-late-fence is broken")


def test_the_event_names_the_records_and_the_disk():
    """M28: a leader commits records that no majority has."""
    _, lines = why("M28")

    assert "commits LeaderChange, KRaftVersion, Voters (offsets 0-2)" in lines[-1]
    assert "appends " in lines[-1]
    assert " to its disk" in lines[-1]


def test_the_event_names_the_request_and_its_nodes():
    """M104: AlterPartition is answered before its records are committed."""
    found, lines = why("M104")

    assert found.event.startswith("the reply to AlterPartition, from controller 300")
    assert "arrives: answer-after-commit is broken" in lines[-1]


def test_a_disk_fault_is_the_first_cause():
    """M30: a follower acknowledges records that are not durable yet."""
    _, lines = why("M30")

    assert lines[0].startswith(">> disk.slow: controllers ")


def test_a_comparison_of_facts_names_the_partition_and_what_differs():
    """M74: an image keeps the leader of a partition that has none."""
    found, lines = why("M74")

    assert "leader none, leader epoch 1 from the log" == found.expected
    assert "the image of controller 3000 has single-0 with leader 1, leader epoch 0" == found.got
    assert "broker 1 is fenced (epoch 13)" in lines
    assert "single-0: no leader (was 1), ISR 1 -> none, ELR none -> 1" in lines


def test_a_request_of_a_property_is_none_of_a_client():
    """M98: AlterPartition with an older partition epoch is accepted."""
    found, _ = why("M98")

    assert "asked by this property and by no client, accepts an older partition epoch" in found.got
    assert "topic orders" in found.got


def test_the_event_of_a_partition_names_it():
    """M97: an election from outside of ISR and ELR."""
    assert "a committed record changes orders-0" == why("M97")[0].event


def test_the_event_of_a_client_names_its_request_and_the_broker():
    """M111: a batch takes one offset less than it has records."""
    assert "broker 1 answers Produce of a client" == why("M111")[0].event


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("M42", "controller 3000, of epoch 1 since T-1.0s"),
        ("M60", "controller 3000, of epoch 1 from T-1.1s to T+0.0s"),
        ("M33", "controller 3000, of epoch 1 since 0 s"),
    ],
)
def test_the_leader_that_judged_has_the_time_since_which_it_leads(bug, said):
    """M60: no leader is elected again. M33 breaks its property before the steps begin."""
    assert said == why(bug)[0].leader


def test_a_claim_whose_time_ran_out_has_no_event_and_names_its_begin_once():
    """M69: a controlled shutdown writes no record."""
    found, lines = why("M69")

    assert "" == found.event
    begin = "broker 1 enters PENDING_CONTROLLED_SHUTDOWN"
    assert [">> proc.stop: broker 1", begin, "leads_to[1] is broken"] == lines


def test_the_event_that_broke_a_claim_is_not_said_twice():
    """M77: a decommission removes the last replica of a partition."""
    _, lines = why("M77")

    assert [
        ">> broker.decommission: broker 2",
        "broker 2 is unregistered (epoch 14): never[0] is broken",
    ] == lines


def test_of_several_states_in_one_event_the_claim_names_its_own():
    """M68: the broker enters SHUTTING_DOWN and NOT_RUNNING in the event that fences it."""
    assert "broker 1 enters NOT_RUNNING" == why("M68")[0].event


def test_a_breach_without_a_linked_fault_names_the_fault_of_its_nodes():
    """M31: a clock was stepped, which no row of the lease names."""
    _, lines = why("M31")

    assert ">> clock.step: controller 3000 (by +7500ms)" == lines[0]
    assert "lease of broker 1 expired" in lines[1]


@pytest.mark.parametrize(
    ("what", "facts"),
    [
        ("broker 1 has 5, expected at most 3", ("at most 3", "broker 1 has 5")),
        ("expected 1, got 2", ("1", "2")),
        ("expected never: {a: b}", ("never: {a: b}", "it came true")),
        ("3001 votes twice", ("", "3001 votes twice")),
        ("orders-0: expected offset 12, got 13", ("offset 12", "orders-0: 13")),
    ],
)
def test_the_text_of_a_violation_has_two_facts(what, facts):
    assert facts == facts_of(what)


def test_explain_of_a_failing_run_explains_its_violation(capsys):
    assert main(["explain", "campaign-canary"]) == 0

    out = capsys.readouterr().out
    assert "broken    never[0]\nclaim     No broker is ever unfenced. " in out
    assert "expected  never: {broker: brokers, state: unfenced}\ngot       it came true\n" in out
    assert out.splitlines()[-1].endswith(" s  never[0] is broken")


def test_the_explanation_of_a_violation_is_data_as_well(capsys):
    assert main(["explain", "campaign-canary", "--json"]) == 0

    violation = json.loads(capsys.readouterr().out)["violation"]
    assert ("never[0]", "it came true") == (violation["name"], violation["got"])
    assert violation["lines"][-1].endswith("never[0] is broken")
