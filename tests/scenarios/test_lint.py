"""What can be said against a scenario before it runs: it would claim nothing, or never happen."""

import pytest

from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import run
from kraftsim.simulation.event_row import EVENTS

NOTE = {"note": {"text": "x"}}
FENCED = {"broker": 1, "state": "fenced"}


def scenario(**changes):
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 3, "brokers": 3, "racks": ["a", "b"], "topics": {"orders": {}}},
    }
    return read_scenario(words | changes)


def never(condition, **changes):
    return scenario(expect={"never": [condition]}, **changes)


def does(*steps, **changes):
    return scenario(do=list(steps), **changes)


def chaos(kinds=None, **changes):
    kinds = kinds or {"proc.crash": {"of": "nodes"}}
    return {"every": "1s", "lasting": "10s", "kinds": kinds} | changes


CRASH_ALL = {"at": "5s", "proc.crash": {"on": {"majority": "controllers"}, "for": "20s"}}
FEW = {"cluster": {"controllers": 3, "brokers": 3, "topics": {"t": {"replication": 2}}}}
UNSOUND = {
    "a broker that there is not": (
        never({"broker": 99, "state": "fenced"}),
        "expect.never[0].broker: unknown node 99: expected an id of 1 to 3, or 3000 to 3002",
    ),
    "a broker that a record is of": (
        never({"record": "FenceBroker", "of": [1, 9]}),
        "unknown node 9",
    ),
    "more brokers than ids below the controllers'": (
        does({"at": "1s", "broker.add": {"count": 2999}}),
        "do: expected at most 2999 brokers, got 3002: ids from 3000 on belong to controllers",
    ),
    "a node that is struck": (does({"at": "1s", "proc.crash": {"on": 3005}}), "unknown node 3005"),
    "a node that is bound": (scenario(let={"x": 7}), "let.x: unknown node 7"),
    "a rack that there is not": (does({"at": "1s", "proc.crash": {"on": {"rack": "c"}}}), "'c'"),
    "a name that is bound later": (
        scenario(let={"x": "$y", "y": {"pick": 1, "of": "$x"}}),
        "let.x: expected a name that is bound above it, got $y",
    ),
    "a name that stands for itself": (scenario(let={"x": "$x"}), "got $x"),
    "a topic that there is not": (
        never({"topic": "order", "state": "leaderless"}),
        "expect.never[0].topic: expected 'orders' (nearest)",
    ),
    "a broker for a controller": (
        never({"controller": 1, "state": "active"}),
        "expected a controller, got a broker",
    ),
    "a controller for a broker": (
        never({"broker": "active", "state": "fenced"}),
        "expected a broker, got a controller",
    ),
    "a clone of a controller": (
        does({"at": "1s", "proc.clone": {"on": 3000}}),
        "do[0].proc.clone.on: expected a broker, got a controller",
    ),
    "requests of a controller that name it as a broker": (
        does({"at": "1s", "rpc.drop": {"broker": 3000}}),
        "do[0].rpc.drop.broker: expected a broker, got a controller",
    ),
    "requests that reach a broker as a controller": (
        does({"at": "1s", "rpc.drop": {"controller": "brokers"}}),
        "do[0].rpc.drop.controller: expected a controller, got a broker",
    ),
    "a broker that moves": (
        does({"at": "1s", "proc.move": {"on": "brokers"}}),
        "do[0].proc.move.on: expected a controller, got a broker",
    ),
    "a controller that sees as brokers do": (
        never({"broker": 1, "state": "fenced", "seen_by": 3000}),
        "expect.never[0].seen_by: expected a broker",
    ),
    "the disk of a broker": (
        does({"at": "1s", "disk.rot": {"on": "brokers"}}),
        "do[0].disk.rot.on: expected a controller, got a broker",
    ),
    "the messages of a controller": (
        does({"at": "1s", "log.corrupt": {"on": "active"}}),
        "do[0].log.corrupt.on: expected a broker, got a controller",
    ),
    "more replicas than brokers": (
        scenario(cluster={"brokers": 3, "topics": {"orders": {"replication": 4}}}),
        "cluster.topics.orders.replication: expected at most 3, as many as there are brokers",
    ),
    "more than there are": (
        scenario(let={"x": {"pick": 50, "of": "brokers"}}),
        "let.x: pick: expected at most 3, got 50",
    ),
    "the fifth of three": (scenario(let={"x": {"nth": 5, "of": "controllers"}}), "at most 3"),
    "an unknown mutant": (scenario(mutants=["M999"]), "mutants[0]: expected"),
    "an unknown event": (
        scenario(lesson=[{"on": "broker_fence", "say": "x"}]),
        "lesson[0].on: expected 'broker_fenced' (nearest)",
    ),
    "a second caption about a kind of events": (
        scenario(lesson=[{"on": "broker_fenced", "say": say} for say in "xy"]),
        "lesson[1].on: expected an event without a caption above, got 'broker_fenced' again",
    ),
    "a caption with an unknown setting": (
        scenario(lesson=[{"on": "broker_fenced", "say": "It had {sesion}."}]),
        "lesson[0]: expected a setting in braces ('session' (nearest)), got 'sesion'",
    ),
    "a step after the end": (
        does({"at": "61s"} | NOTE),
        "do[0]: this step is due after the end of the run",
    ),
    "a chain past the end": (
        does({"at": "40s"} | NOTE, {"after": "30s"} | NOTE),
        "do[1]: this step is due after the end of the run",
    ),
    "a step that goes on past the end": (
        does({"every": "10s", "times": 9} | NOTE),
        "do[0]: the last repetition is at 90s: expected before the end of the run, 1m",
    ),
    "a step without a pause": (
        does({"every": "0s"} | NOTE),
        "do[0].every: expected a time above 0s",
    ),
    "a step at every moment": (
        does({"every": "1us"} | NOTE),
        "do[0].every: expected at most 10000 repetitions, got 60000000",
    ),
    "a pause that the configuration makes none": (
        does({"every": {"of": "session", "times": 0}} | NOTE),
        "do[0].every: expected a time above 0s",
    ),
    "a flood without a pause": (
        does({"at": "1s", "load.flood": {"every": {"of": "session", "times": 0}}}),
        "do[0].load.flood.every: expected a time above 0s",
    ),
    "chaos without a pause": (
        scenario(chaos=chaos(every={"of": "session", "times": 0})),
        "chaos.every: expected a time above 0s",
    ),
    "a condition longer than the run": (
        does({"when": {"leaderless": "2m"}} | NOTE),
        "do[0].when: can never hold: 2m are longer than the time of the scenario",
    ),
    "both fenced and unfenced": (
        does({"when": {"all": [FENCED, FENCED | {"state": "unfenced"}]}} | NOTE),
        "do[0].when: can never hold: no node is fenced and unfenced",
    ),
    "any of nothing": (never({"any": []}), "expect.never[0]: can never hold"),
    "more fenced than there are": (never({"fenced_at_least": 4}), "there are 3 brokers"),
    "a claim that is never decided": (
        scenario(expect={"leads_to": [{"if": FENCED, "then": FENCED, "within": "2h"}]}),
        "expect.leads_to[0].within: 2h never pass",
    ),
    "a quorum that is struck": (
        never({"leaderless": "10s"}, do=[CRASH_ALL]),
        "a majority of controllers may be away for 20s",
    ),
    "chaos beside a struck controller": (
        never(
            {"leaderless": "10s"},
            do=[{"at": "5s", "proc.pause": {"on": "active", "for": "20s"}}],
            chaos=chaos(),
        ),
        "a majority of controllers may be away for 20s",
    ),
    "chaos that may take every replica": (
        never({"topic": "t", "state": "leaderless"}, chaos=chaos(max_brokers=2), **FEW),
        "'t' has 2 replicas, and chaos may strike 2 brokers",
    ),
    "chaos that never strikes": (
        scenario(chaos=chaos({"proc.crash": {"of": "brokers"}}, max_brokers=0)),
        "chaos.kinds.proc.crash: this verb is never chosen",
    ),
    "a budget of more brokers than there are": (scenario(chaos=chaos(max_brokers=4)), "at most 3"),
    "a range that ends before it begins, in this configuration": (
        does(
            {
                "at": {"from": {"of": "session"}, "to": "8s"},
                "note": {"text": "x"},
            }
        ),
        "do[0].at: expected from to be at most to, got 9s and 8s",
    ),
}


@pytest.mark.parametrize("wrong", UNSOUND)
def test_what_would_show_nothing_is_complained_of(wrong):
    unsound, said = UNSOUND[wrong]

    found = list(complaints(unsound))

    assert [] != [problem for problem in found if said in str(problem)], found


SOUND = {
    "a broker that comes later": never(
        {"broker": 4, "state": "fenced"}, do=[{"at": "1s", "broker.add": {}}]
    ),
    "a topic that is made later": never(
        {"topic": "later", "state": "leaderless"},
        do=[{"at": "1s", "topic.create": {"name": "later"}}],
    ),
    "an admin who is to be refused": does(
        {"at": "1s", "broker.unregister": {"on": 99, "refused": "BROKER_ID_NOT_REGISTERED"}}
    ),
    "a minority that is struck": never(
        {"leaderless": "10s"}, do=[{"at": "5s", "proc.crash": {"on": {"minority": "controllers"}}}]
    ),
    "one controller that is struck twice": never(
        {"leaderless": "10s"},
        do=[{"at": at, "proc.pause": {"on": 3000, "for": "20s"}} for at in ("5s", "15s")],
    ),
    "as many replicas as there are brokers, unless given": scenario(
        cluster={"brokers": 2, "topics": {"orders": {}}}, expect={"never": [{"leaderless": "10s"}]}
    ),
    "what is expected to break": scenario(
        do=[CRASH_ALL], expect={"never": [{"leaderless": "10s"}], "fails_with": "never[0]"}
    ),
}


@pytest.mark.parametrize("right", SOUND)
def test_what_can_be_so_is_not_complained_of(right):
    assert [] == list(complaints(SOUND[right]))


INVERTED = {
    "network": {"network": {"low": "5ms", "high": "1ms"}},
    "net.delay": {"do": [{"at": "1s", "net.delay": {"low": "2s", "high": "1s"}}]},
    "disk.slow": {"do": [{"at": "1s", "disk.slow": {"on": 3000, "low": "2s", "high": "1s"}}]},
    "proc.slow": {"do": [{"at": "1s", "proc.slow": {"on": 3000, "low": "2s", "high": "1s"}}]},
    "net.flap": {"do": [{"at": "1s", "net.flap": {"on": 1, "period": "1s", "down": "2s"}}]},
    "an amount": {"do": [{"at": {"from": "9s", "to": "1s"}, "note": {"text": "x"}}]},
}


@pytest.mark.parametrize("where", INVERTED)
def test_a_range_that_ends_before_it_begins_is_a_mistake(where):
    with pytest.raises(Problem, match="to be at most"):
        scenario(**INVERTED[where])


def test_a_range_is_judged_again_once_its_ends_are_drawn():
    delay = {"low": {"of": "session"}, "high": "1s"}

    with pytest.raises(Problem, match=r"do\[0\]\.net\.delay: expected low to be at most high"):
        expand(does({"at": "1s", "net.delay": delay}), 1)


def test_two_steps_of_one_id_are_a_mistake():
    with pytest.raises(
        Problem, match=r"do\[1\]\.id: expected an id that no other step has, got 'x'"
    ):
        does({"at": "1s", "id": "x"} | NOTE, {"at": "2s", "id": "x"} | NOTE)


@pytest.mark.slow
def test_captions_can_be_about_every_event_that_there_is():
    files = ("unregister-twice", "duplicate-broker-id", "active-controller-crash")
    told = set()
    for name in files:
        told |= {row.kind for row in run(in_small(read_file(library()[name]).scenario), 17).rows}

    assert told <= set(EVENTS)
    assert {"clone_state", "controller_state", "admin_refused", "broker_unregistered"} <= told
