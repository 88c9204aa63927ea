"""A scenario file is checked word by word: a mistake names its place and the nearest valid word."""

import pytest

from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of


def document(**changes):
    return {"schema": "kraftsim/scenario/1", "name": "one", "claim": "Nothing happens."} | changes


def crash(**words):
    return document(do=[{"at": "10s", "proc.crash": {"on": 1}} | words])


WRONG = {
    "an unknown word": (document(tittle="x"), "tittle", "'title' (nearest)"),
    "another schema": (document(schema="kraftsim/scenario/2"), "schema", "kraftsim/scenario/1"),
    "another type": (document(cluster={"brokers": "three"}), "cluster.brokers", "a whole number"),
    "truth for a number": (document(cluster={"brokers": True}), "cluster.brokers", "whole number"),
    "a list for a mapping": (document(cluster=[3]), "cluster", "a mapping"),
    "an unknown profile": (document(profile="kafka-4.2"), "profile", "'kafka-4.4' (nearest)"),
    "an unknown verb": (
        document(do=[{"at": "1s", "proc.crush": {"on": 1}}]),
        "do[0].proc.crush",
        "'proc.crash' (nearest)",
    ),
    "two verbs": (crash(note={"text": "x"}), "do[0]", "one verb"),
    "two triggers": (crash(after="1s"), "do[0]", "one of at, after, every, when"),
    "no trigger": (document(do=[{"note": {"text": "x"}}]), "do[0]", "one of at, after"),
    "a missing word": (document(do=[{"at": "1s", "proc.crash": {}}]), "do[0].proc.crash", "'on'"),
    "a number for a time": (
        document(do=[{"at": 10, "note": {"text": "x"}}]),
        "do[0].at",
        "with a unit",
    ),
    "an unknown time": (document(time={"run": {"of": "sesion"}}), "time.run.of", "'session'"),
    "an unknown node": (
        document(do=[{"at": "1s", "proc.crash": {"on": "activ"}}]),
        "do[0].proc.crash.on",
        "'active' (nearest)",
    ),
    "an unknown state": (
        document(expect={"calm": [{"broker": 1, "state": "fence"}]}),
        "expect.calm[0].state",
        "'fenced' (nearest)",
    ),
    "an unknown record": (
        document(expect={"never": [{"record": "FenceBroke"}]}),
        "expect.never[0].record",
        "'FenceBroker' (nearest)",
    ),
    "an unknown condition": (
        document(expect={"never": [{"brokr": 1}]}),
        "expect.never[0].brokr",
        "'broker' (nearest)",
    ),
    "a flood without end": (
        document(do=[{"at": "1s", "load.flood": {"every": "0s", "for": "1s"}}]),
        "do[0].load.flood.every",
        "expected 1ms or more, got 0s",
    ),
    "hiccups without end": (
        document(do=[{"at": "1s", "proc.hiccup": {"on": 1, "every": "0s", "lasting": "0s"}}]),
        "do[0].proc.hiccup.every",
        "1ms or more",
    ),
    "a link that flaps in no time": (
        document(do=[{"at": "1s", "net.flap": {"on": 1, "period": "0s", "down": "0s"}}]),
        "do[0].net.flap.period",
        "1ms or more",
    ),
    "a clock that goes back": (
        document(do=[{"at": "1s", "clock.drift": {"on": 1, "ppm": -1_000_000}}]),
        "do[0].clock.drift.ppm",
        "expected -999999 to 999999",
    ),
    "one end of a way": (
        document(do=[{"at": "1s", "net.partition": {"between": [1]}}]),
        "do[0].net.partition.between",
        "expected two parts, got 1",
    ),
    "chaos of nothing": (
        document(chaos={"every": "1s", "lasting": "1s", "kinds": {}}),
        "chaos.kinds",
        "expected at least one verb",
    ),
    "no new broker": (
        document(do=[{"at": "1s", "broker.add": {"count": 0}}]),
        "do[0].broker.add.count",
        "expected 1 to 2999",
    ),
    "a record no times": (
        document(expect={"never": [{"record": "NoOp", "count": 0}]}),
        "expect.never[0].count",
        "expected 1 to",
    ),
    "none fenced or more": (
        document(expect={"never": [{"fenced_at_least": 0}]}),
        "expect.never[0].fenced_at_least",
        "expected 1 to",
    ),
    "nothing picked": (document(let={"x": {"pick": 0}}), "let.x.pick", "1 or more"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_names_its_place_and_what_was_expected(wrong):
    broken, place, expected = WRONG[wrong]

    with pytest.raises(Problem) as caught:
        read_scenario(broken)

    assert place == caught.value.place
    assert expected in caught.value.what


def test_an_unknown_setting_is_a_mistake_too():
    with pytest.raises(Problem, match=r"broker\.session\.timeout\.ms"):
        expand(read_scenario(document(config={"broker.session.timeout": 9000})), 1)


WHOLE = document(
    cluster={"controllers": 1, "brokers": 4, "racks": ["a", "b"], "topics": {"t": {}}},
    config={"broker.session.timeout.ms": 6000},
    let={"victim": {"pick": 1, "of": {"rack": "a"}}},
    do=[
        {"at": {"of": "session", "times": 2, "plus": "-1ms"}, "proc.crash": {"on": "$victim"}},
        {"after": {"from": "1s", "to": "5s"}, "say": "now", "net.loss": {"on": 2, "p": 0.5}},
        {"every": "10s", "times": 2, "net.partition": {"between": [[1, 2], "controllers"]}},
        {"when": {"leaderless": "2s"}, "note": {"text": "nobody leads"}},
    ],
    expect={
        "leads_to": [
            {"if": {"not": {"fenced_at_least": 1}}, "then": {"all": []}, "within": {"heavy": "1s"}}
        ]
    },
)


def test_what_was_read_can_be_written_and_read_again():
    scenario = read_scenario(WHOLE)

    assert scenario == read_scenario(document_of(scenario))


def test_a_plan_has_every_time_fixed_and_is_a_scenario_again():
    plan = expand(read_scenario(WHOLE), 7)

    assert plan == read_scenario(document_of(plan))
    assert "11999ms" == document_of(plan)["do"][0]["at"]
    assert plan == expand(plan, 8), "nothing is left to draw"


def test_another_seed_draws_other_times_and_the_same_seed_the_same():
    scenario = read_scenario(WHOLE)

    drawn = {expand(scenario, seed).do[1].amount.us for seed in range(20)}

    assert expand(scenario, 3) == expand(scenario, 3)
    assert len(drawn) > 15
    assert all(1_000_000 <= amount <= 5_000_000 for amount in drawn)
