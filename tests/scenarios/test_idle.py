"""Idle is not green: what was never put to the test is listed, and fails a search."""

import pytest

from kraftsim.pipeline.campaign.idle import SEARCH_RUNS, Exercise
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import run
from tests.scenarios.test_lint import chaos
from tests.scenarios.test_lint import scenario as linted
from tests.scenarios.test_run import scenario

FENCED = {"broker": 1, "state": "fenced"}
ALWAYS = {"any": [FENCED, {"not": FENCED}]}
NEVER = {"all": [FENCED, {"not": FENCED}]}


def test_a_verdict_lists_the_properties_that_were_never_put_to_the_test():
    result = run(scenario(), 1)

    assert "pass" == result.verdict
    assert "acknowledged-survives" in result.idle
    assert "no-livelock" not in result.idle


@pytest.mark.parametrize(
    "verb",
    [
        {"proc.pause": {"on": 1, "for": "1ms"}},
        {"clock.drift": {"on": 1, "ppm": 1, "for": "5s"}},
    ],
    ids=["a pause of a millisecond", "a drift of one millionth"],
)
def test_a_fault_too_small_to_matter_counts_as_none(verb):
    result = run(scenario(do=[{"at": "2s", **verb}]), 1)

    assert "vacuous" == result.verdict


@pytest.mark.parametrize(
    "verb",
    [
        {"proc.pause": {"on": 1, "for": "10ms"}},
        {"clock.drift": {"on": 1, "ppm": -50, "for": "5s"}},
    ],
    ids=["a pause of ten milliseconds", "a drift of fifty millionths"],
)
def test_a_fault_that_can_be_felt_counts(verb):
    assert "pass" == run(scenario(do=[{"at": "2s", **verb}]), 1).verdict


@pytest.mark.parametrize(
    ("expect", "place"),
    [
        ({"calm": [ALWAYS]}, ("calm", 0)),
        ({"sometimes": [ALWAYS]}, ("sometimes", 0)),
        ({"never": [NEVER]}, ("never", 0)),
        ({"never": [{"not": ALWAYS}]}, ("never", 0)),
        (
            {"during": [{"window": {"from": "0s", "to": "5s"}, "holds": ALWAYS}]},
            ("during", 0, "holds"),
        ),
        ({"leads_to": [{"if": FENCED, "then": FENCED, "within": "1s"}]}, ("leads_to", 0, "then")),
        ({"leads_to": [{"if": FENCED, "then": ALWAYS, "within": "1s"}]}, ("leads_to", 0, "then")),
    ],
)
def test_a_claim_that_no_run_can_break_is_a_mistake(expect, place):
    assert ("expect", *place) in [problem.path for problem in complaints(linted(expect=expect))]


def test_a_claim_that_a_run_can_break_is_no_mistake():
    expect = {"never": [FENCED], "calm": [{"not": FENCED}]}

    assert [] == list(complaints(linted(expect=expect)))


def exercise(of, exercised, runs):
    done = Exercise()
    for _ in range(runs):
        done.add(of, exercised)
    return done


def test_swarms_that_never_test_a_property_miss_it():
    done = exercise(linted(chaos=chaos()), {"no-theft": 0, "epoch-law": 1}, SEARCH_RUNS)

    assert (("no-theft",), ("no-theft",)) == (done.idle, done.missed)


def test_a_few_runs_of_a_swarm_miss_nothing():
    done = exercise(linted(chaos=chaos()), {"no-theft": 0}, SEARCH_RUNS - 1)

    assert (("no-theft",), ()) == (done.idle, done.missed)


def test_a_swarm_may_say_what_it_never_tests():
    swarm = linted(chaos=chaos(), expect={"idle": ["no-theft"]})

    assert () == exercise(swarm, {"no-theft": 0}, SEARCH_RUNS).missed


def test_a_scenario_without_chaos_tests_what_it_names():
    assert () == exercise(linted(), {"no-theft": 0}, SEARCH_RUNS).missed


def test_one_run_that_tests_a_property_is_enough():
    done = exercise(linted(chaos=chaos()), {"no-theft": 0}, SEARCH_RUNS)
    done.update({"no-theft": 1}, {"no-theft": 1})

    assert ((), ()) == (done.idle, done.missed)
