"""When steps are done, by what they are known, and that a claim is about somebody."""

import pytest

from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.run import Run, run

NOTE = {"note": {"text": "x"}}
PAUSE = {"proc.pause": {"on": 1, "for": "1s"}}


def scenario(*steps, **expect):
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "Nothing happens.",
            "cluster": {"controllers": 1, "brokers": 2},
            "time": {"warmup": "1s", "run": "20s", "calm": "5s"},
            "do": list(steps),
            "expect": expect,
        }
    )


def begun(result):
    """What was done, and in which second of the run, the first of which is the third of all."""
    rows = [row for row in result.rows if row.kind == "fault_begins"]
    zero_us = rows[0].t_us
    return {row.fault_id: (row.t_us - zero_us) / 1e6 for row in rows}


def test_after_counts_from_when_the_step_before_was_done_also_one_that_waited():
    waits = {"when": {"broker": 1, "state": "PAUSED"}, "id": "waits"} | NOTE
    steps = ({"at": "3s", "id": "zero"} | PAUSE, waits, {"after": "2s", "id": "then"} | NOTE)

    assert {"zero": 0.0, "waits": 0.0, "then": 2.0} == begun(run(scenario(*steps), 1))


def test_a_step_knows_the_row_for_which_it_waited_and_one_for_a_time_knows_none():
    waits = {"when": {"broker": 1, "state": "PAUSED"}, "id": "waits"} | NOTE
    steps = ({"at": "3s", "id": "zero"} | PAUSE, waits, {"after": "2s", "id": "then"} | NOTE)
    played = Run(scenario(*steps), 1, ())
    rows = played.finish().rows

    waited_for = {fault.fault_id: fault.after_seq for fault in played.stage.faults}
    assert waited_for["zero"] is None
    assert "fault_begins" == rows[waited_for["then"]].kind
    assert ("agent_state", 1) == (
        rows[waited_for["waits"]].kind,
        rows[waited_for["waits"]].broker_id,
    )


def test_each_time_of_a_step_that_is_repeated_has_an_id_of_its_own():
    result = run(scenario({"every": "4s", "times": 3, "id": "again"} | PAUSE), 1)

    assert {"again": 1, "again#2": 1, "again#3": 1} == result.effects


def test_a_step_that_is_repeated_does_not_hide_one_that_never_came():
    waits = {"when": {"broker": 1, "state": "fenced"}} | NOTE

    result = run(scenario({"every": "1s"} | NOTE, waits), 1)

    assert ("do[1] was never executed: its trigger never occurred",) == result.vacuous


def test_nothing_is_done_any_more_once_the_calm_has_begun():
    waits = {"when": {"held": {"broker": 1, "state": "unfenced"}, "for": "22s"}} | NOTE

    assert "vacuous" == run(scenario(waits), 1).verdict


@pytest.mark.parametrize(
    "condition",
    [
        {"broker": 99, "state": "fenced"},
        {"broker": {"other_than": [1, 2], "of": "brokers"}, "state": "fenced"},
        {"record": "FenceBroker", "of": [1, 99]},
    ],
)
def test_a_claim_about_nobody_claims_nothing(condition):
    result = run(scenario(never=[condition]), 1)

    assert ("vacuous", ("never[0] was never tested",)) == (result.verdict, result.vacuous)


def test_an_implication_that_still_had_time_when_the_run_ended_is_not_decided():
    stops = {"at": "19s", "proc.crash": {"on": 1}}
    claim = {
        "if": {"broker": 1, "state": "NOT_RUNNING"},
        "then": {"broker": 1, "state": "fenced"},
        "within": "15s",
    }

    result = run(scenario(stops, leads_to=[claim]), 1)

    assert ("leads_to[0] was never tested",) == result.vacuous


@pytest.mark.parametrize(
    ("words", "effects"),
    [
        ({"replication": 2}, 1),
        ({"replication": 5}, 0),
        ({"replication": 5, "refused": "INVALID_REPLICATION_FACTOR"}, 1),
        ({"replication": 2, "refused": "INVALID_REPLICATION_FACTOR"}, 0),
        ({"replication": 5, "refused": "TOPIC_ALREADY_EXISTS"}, 0),
    ],
)
def test_a_topic_that_is_refused_is_no_effect_unless_that_was_meant(words, effects):
    result = run(scenario({"at": "1s", "id": "it", "topic.create": {"name": "t"} | words}), 1)

    assert effects == result.effects["it"]


def test_so_many_as_there_are_not_cannot_be_picked():
    paused = Run(scenario({"at": "1s", "proc.crash": {"on": {"pick": 50, "of": "brokers"}}}), 1, [])

    with pytest.raises(ValueError, match="pick: expected at most 2, got 50"):
        paused.finish()


def test_a_claim_is_told_as_its_file_spells_it():
    result = run(scenario(never=[{"not": {"broker": [1, 2], "state": "fenced"}}]), 1)

    said = result.violations[0].what
    assert "expected never: {not: {broker: [1, 2], state: fenced}}" == said
