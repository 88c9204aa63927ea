"""Several values in one file: a scenario of each, with a name and the same seed."""

import pytest

from kraftsim.scenarios.document.network_shape import PRESETS
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import read_cells, read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.running.run import run


def document(**changes):
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 2},
        "time": {"warmup": "1s", "run": "20s", "calm": "5s"},
    }
    return words | changes


PAUSE = [{"at": {"from": "1s", "to": "5s"}, "proc.pause": {"on": 1, "for": "$pause"}}]
SWEPT = document(
    sweep={"pause": ["1s", "8s"], "beat": [500, 2000]},
    config={"broker.heartbeat.interval.ms": "$beat"},
    do=PAUSE,
)


def test_every_combination_of_values_is_a_scenario_with_its_name():
    found = read_cells(SWEPT)

    assert [
        ("pause=1s", "beat=500"),
        ("pause=1s", "beat=2000"),
        ("pause=8s", "beat=500"),
        ("pause=8s", "beat=2000"),
    ] == [cell.cell for cell in found]
    assert [1_000_000, 8_000_000] == sorted({cell.do[0].verb.for_.us for cell in found})
    assert {500, 2000} == {cell.config["broker.heartbeat.interval.ms"] for cell in found}


def test_a_value_can_be_whatever_stands_there():
    swept = document(sweep={"net": ["wan", {"low": "1ms", "high": "2ms"}]}, network="$net")

    assert [20_000, 1_000] == [cell.network.low.us for cell in read_cells(swept)]


def test_one_more_cell_moves_no_other():
    """A seed is the same seed in all of them: what they differ by is what is swept."""
    two, three = (
        read_cells(document(sweep={"pause": values}, do=PAUSE))
        for values in (["1s", "8s"], ["3s", "1s", "8s"])
    )

    assert two[1] == three[2]
    begins = {expand(cell, 5).do[0].amount.us for cell in (*two, *three)}
    assert 1 == len(begins)
    assert run(two[1], 5).digest == run(three[2], 5).digest != run(two[0], 5).digest


def test_the_plan_of_a_cell_is_a_scenario_again_and_says_which_it_was():
    plan = expand(read_cells(SWEPT)[3], 7)

    again = read_scenario(document_of(plan))

    assert plan == again
    assert ("pause=8s", "beat=2000") == again.cell


WRONG = {
    "no list": ({"pause": "1s"}, "sweep.pause", "expected a list of values, got 1s"),
    "no value": ({"pause": []}, "sweep.pause", "expected a list of values, got []"),
    "a value twice": ({"pause": ["1s", "1s"]}, "sweep.pause", "each value once"),
    "a name of a node": (
        {"pause": ["1s"], "victim": [1, 2]},
        "sweep.victim",
        "is the name of a node",
    ),
    "a name that nothing refers to": (
        {"pause": ["1s"], "beat": [1, 2]},
        "sweep.beat",
        "expected a use of $beat in the file, got none",
    ),
    "too many": ({"pause": [f"{n}s" for n in range(1001)]}, "sweep", "at most 1000"),
    "a value of another kind": (
        {"pause": ["1s", 9]},
        "do[0].proc.pause.for",
        "with a unit, such as 12s, got 9 (in the cell {pause: [9]} of the sweep)",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_sweep_of_nothing_is_a_mistake(wrong):
    sweep, place, said = WRONG[wrong]

    with pytest.raises(Problem) as caught:
        read_cells(document(sweep=sweep, let={"victim": 1}, do=PAUSE))

    assert place == caught.value.place
    assert said in caught.value.what


def test_one_scenario_cannot_be_read_from_many():
    with pytest.raises(Problem, match="expected a sweep with one cell, got 4 cells"):
        read_scenario(SWEPT)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_network_has_a_name(preset):
    assert PRESETS[preset] == read_scenario(document(network=preset)).network


def test_what_is_said_beside_a_preset_wins():
    network = read_scenario(document(network={"preset": "wan", "loss": 0.5})).network

    assert (20_000, 80_000, 0.5) == (network.low.us, network.high.us, network.loss)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ("wam", "network.preset: expected 'wan' (nearest), got 'wam'"),
        ({"preset": "wan", "lost": 1}, "network.lost: unknown key"),
        ({"preset": "wan", "high": "1ms"}, "network: expected low to be at most high"),
    ],
)
def test_a_network_that_there_is_not_is_a_mistake(network, said):
    with pytest.raises(Problem) as caught:
        read_scenario(document(network=network))

    assert str(caught.value).startswith(said)
