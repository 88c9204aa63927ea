"""A failing run becomes a smaller scenario that fails the same way."""

import pytest

from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import document_of
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import run
from kraftsim.scenarios.running.shrink import shrink, signature

pytestmark = pytest.mark.slow


NOISE = [
    {"at": f"{at}s", "net.delay": {"on": "brokers", "low": "1ms", "high": "5ms", "for": "1s"}}
    for at in (1, 3, 5, 7, 30)
]
LONG = {"from": "15s", "to": "20s"}


@pytest.fixture(scope="module")
def failing():
    """Whoever is crashed is fenced, and this scenario says nobody ever is."""
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "failing",
            "claim": "Nobody is ever fenced.",
            "cluster": {"controllers": 3, "brokers": 6, "topics": {"t": {"partitions": 6}}},
            "time": {"warmup": "2s", "run": "40s", "calm": "10s"},
            "do": [
                *NOISE,
                {"at": "10s", "proc.crash": {"on": 1, "for": {"from": "15s", "to": "20s"}}},
            ],
            "expect": {"never": [{"fenced_at_least": 1}]},
        }
    )


@pytest.fixture(scope="module")
def shrunk(failing):
    return shrink(failing, 3)


def test_what_is_left_is_what_it_takes(failing, shrunk):
    before, small = run(failing, 3), shrunk.scenario

    assert ["proc.crash"] == [step.word for step in small.do]
    assert (1, 1) == (small.cluster.controllers, small.cluster.brokers)
    assert not small.cluster.topics
    assert shrunk.result.events < before.events / 10


def test_it_fails_the_same_way_when_it_is_read_from_a_file(failing, shrunk):
    again = run(read_scenario(document_of(shrunk.scenario)), 3)

    assert signature(run(failing, 3)) == signature(again) == "never[0]"
    assert again.digest == shrunk.result.digest


def test_it_ends_when_it_is_told_to(failing):
    tries = iter([True, True, True, False, False])

    assert shrink(failing, 3, may_go_on=lambda: next(tries, False)).tried < 6


def test_a_run_that_does_not_fail_cannot_be_made_smaller(failing):
    quiet = read_scenario(document_of(failing) | {"do": []})

    with pytest.raises(ValueError, match="expected a seed whose run fails, got pass with seed 3"):
        shrink(quiet, 3)


def test_fewer_brokers_hold_fewer_replicas(failing):
    """More than there are brokers would be refused when the file is run."""
    words = document_of(failing) | {
        "cluster": {"controllers": 1, "brokers": 4, "topics": {"t": {"replication": 4}}},
        "do": [{"at": "3s", "proc.crash": {"on": "brokers"}}],
        "expect": {"never": [{"topic": "t", "state": "leaderless"}]},
    }
    small = shrink(read_scenario(words), 3).scenario

    assert [] == list(complaints(small))
    assert (1, 1) == (small.cluster.brokers, small.cluster.topics["t"].replication)


def test_whom_let_has_found_is_named_by_id(failing):
    """A draw may find somebody else one day."""
    words = document_of(failing) | {
        "let": {"victim": {"pick": 1, "of": "brokers"}},
        "do": [{"at": "3s", "proc.crash": {"on": "$victim", "for": "15s"}}],
        "cluster": {"controllers": 1, "brokers": 3},
    }
    shrunk = shrink(read_scenario(words), 3)

    (victim,) = document_of(shrunk.scenario)["let"]["victim"]
    assert victim in (1, 2, 3)
    assert shrunk.result.digest == run(shrunk.scenario, 3).digest
