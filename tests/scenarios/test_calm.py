"""The calm heals a core, and leaves the rest as the faults have left it."""

import pytest

from kraftsim.controller.core.node_id import numbers_of
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.properties import ALL
from kraftsim.scenarios.running.run import Run
from tests.worlds import nodes

pytestmark = pytest.mark.slow


IN_THE_END = [
    property_ for property_ in ALL if property_.number.startswith("L") and property_.always
]
STANDBYS_CRASH = {"at": "2s", "proc.crash": {"on": "standbys"}}
FIRST_IS_CUT_OFF = {"at": "2s", "net.partition": {"on": 1}}


def ran(*steps, seed=1, controllers=3, **words):
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Some are healed.",
        "cluster": {"controllers": controllers, "brokers": 3},
        "time": {"warmup": "1s", "run": "20s", "calm": "25s"},
        "do": list(steps),
    }
    run = Run(read_scenario(document | words), seed, IN_THE_END)
    return run, run.finish()


def states(run):
    return sorted(process.state for process in run.world.controllers.values())


def test_a_majority_is_healed_and_the_rest_stays_dead():
    dead = [3001, 3002, 3003]
    run, result = ran(*({"at": "2s", "proc.crash": {"on": node}} for node in dead), controllers=5)

    healed = run.world.core & {*nodes(dead)}
    assert ["NOT_RUNNING"] * (3 - len(healed)) + ["RUNNING"] * (2 + len(healed)) == states(run)
    assert len(healed) < 3
    assert run.world.active is not None
    assert "pass" == result.verdict, result.violations


def test_the_core_is_drawn_from_the_seed():
    cores = {seed: ran(seed=seed)[0].world.core for seed in range(1, 9)}

    assert len(set(cores.values())) > 1
    assert cores[5] == ran(seed=5)[0].world.core
    assert cores[5] == ran(STANDBYS_CRASH, seed=5)[0].world.core, "it has a stream of its own"


def test_a_scenario_can_ask_for_everybody():
    run, _ = ran(STANDBYS_CRASH, FIRST_IS_CUT_OFF, calm={"heals": "all"})

    assert ["RUNNING"] * 3 == states(run)
    assert run.world.are_unfenced([1, 2, 3])


def test_a_broker_that_is_not_asked_for_stays_cut_off_and_nothing_is_asked_of_it():
    run, result = ran(FIRST_IS_CUT_OFF, calm={"brokers": [2, 3]})

    assert "RUNNING" == run.world.agents[1].state
    assert run.world.committed.brokers[1].fenced
    assert "pass" == result.verdict, result.violations


def test_what_befalls_the_core_and_others_is_over_for_both():
    cut = {"at": "2s", "net.partition": {"on": [1, 2]}}

    run, _ = ran(cut, calm={"brokers": [2, 3]})

    assert run.world.are_unfenced([1, 2, 3])


def test_a_way_stays_closed_when_one_end_of_it_is_left_out():
    cut = {"at": "2s", "net.partition": {"between": [1, "controllers"]}}

    run, _ = ran(cut, calm={"brokers": [2, 3]})

    assert run.world.committed.brokers[1].fenced


def test_the_journal_says_who_is_healed_and_who_is_left():
    run, result = ran(calm={"brokers": [2]})

    (row,) = [row for row in result.rows if row.kind == "calm_begins"]
    assert list(numbers_of(sorted(run.world.core))) == row.detail["core"]
    assert {1, 3} <= set(row.detail["left"])


def test_who_has_lost_its_directory_is_not_drawn():
    """KIP-853: it is no voter any more, and two of three must be the two that are left."""
    for seed in range(1, 7):
        run, _ = ran({"at": "2s", "proc.amnesia": {"on": 3001, "for": "2s"}}, seed=seed)
        assert {*nodes((3000, 3002))} <= run.world.core


def test_when_too_few_remember_everybody_is_healed():
    run, _ = ran({"at": "2s", "proc.amnesia": {"on": [3000, 3001], "for": "2s"}})

    assert {*nodes((3000, 3001, 3002, 1, 2, 3))} == run.world.core


def test_another_word_is_refused_with_the_nearest_one():
    with pytest.raises(Problem, match=r"calm\.heals: expected"):
        ran(calm={"heals": "everybody"})
