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


@pytest.mark.parametrize(
    ("what", "facts"),
    [
        ("broker 1 has 5, expected at most 3", ("at most 3", "broker 1 has 5")),
        ("expected 1, got 2", ("1", "2")),
        ("expected never: {a: b}", ("never: {a: b}", "it came true")),
        ("3001 votes twice", ("", "3001 votes twice")),
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
