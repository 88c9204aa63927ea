"""`kraftsim scenario explore` with a scenario: what it prints and refuses."""

import json

import pytest

from kraftsim.cli.main import main

CRASH = ["scenario", "explore", "active-controller-crash"]


@pytest.mark.slow
def test_it_prints_how_many_branches_it_explored_and_from_where(capsys):
    assert main([*CRASH, "--seed", "17", "--at", "12s", "--depth", "1"]) == 0
    assert "EXHAUSTIVE  active-controller-crash  seed 17  3 branches from T+12s" in (
        capsys.readouterr().out
    )


def test_a_violation_has_the_fates_that_lead_to_it(capsys):
    words = [*CRASH, "--mutant", "M26", "--at", "0s", "--depth", "1", "--json"]

    assert main(words) == 1

    document = json.loads(capsys.readouterr().out)
    assert ("violated", "vote-once") == (document["verdict"], document["broken"]["name"])


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([*CRASH, "--depth", "11"], "--depth: expected 1 to 10, got 11"),
        ([*CRASH, "--at", "1h"], "--at: expected at most"),
        ([*CRASH, "--voters", "3"], "--voters: expected no scenario"),
        ([*CRASH, "--states-max", "3"], "--states-max: expected no scenario"),
        ([*CRASH, "--broker"], "--broker: expected no scenario"),
        (["scenario", "explore", "--at", "1s"], "--at: expected a scenario too"),
        (["scenario", "explore", "active-controler-crash"], "active-controller-crash"),
    ],
)
def test_options_that_do_not_fit_are_refused(words, refusal, capsys):
    assert main(words) == 2
    assert refusal in capsys.readouterr().err


NONE = ("writes", "crashes", "elections", "losses", "sessions", "rebirths", "stops")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nodes", "limit"),
    [
        ("--voters 2 --epochs 2", "elections"),
        ("--voters 2 --epochs 2 --elections 1", "crashes"),
        ("--voters 2 --epochs 2 --elections 1", "losses"),
        *(("--voters 1 --broker --epochs 1", name) for name in ("sessions", "rebirths", "stops")),
    ],
)
def test_each_limit_allows_more_states(nodes, limit, capsys):
    def states(*words):
        zeros = [f"--{name}=0" for name in NONE]
        main(["scenario", "explore", *zeros, *nodes.split(), *words, "--states-max", "300"])
        return json.loads(capsys.readouterr().out)["states"]

    assert states("--json") < states(f"--{limit}", "1", "--json")
