"""rpc.* in scenarios: each affects the requests that it selects, and no other."""

import pytest

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of, read
from kraftsim.scenarios.properties import ALL
from kraftsim.scenarios.running.run import Run
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.requests import held_messages

STALE = {"code": "STALE_BROKER_EPOCH"}
REPLY = {"direction": "reply"}
BITES = [
    ("rpc.error", {"code": "NOT_CONTROLLER"}),
    ("rpc.drop", {}),
    ("rpc.drop", REPLY),
    ("rpc.delay", {"by": "300ms"}),
    ("rpc.delay", {"by": {"exponential": {"mean": "300ms"}}} | REPLY),
    ("rpc.reorder", {}),
    ("rpc.reorder", {"window": 3, "within": "500ms"} | REPLY),
    ("rpc.duplicate", {}),
    ("rpc.hold", {}),
    ("rpc.hold", REPLY),
    ("rpc.observe", {}),
    ("rpc.observe", REPLY),
    ("rpc.close", {}),
    ("rpc.truncate", {}),
    ("rpc.corrupt", {}),
    ("rpc.throttle", {"by": "1s"}),
    ("rpc.transfer", {"every": 5}),
    ("rpc.transfer", {"every": 5, "apply": "after", "to": "standbys"}),
    ("rpc.forget", {}),
    ("rpc.forget", {"apply": "after"}),
]


def started(*steps, **words):
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "It bites.",
        "cluster": {"controllers": 3, "brokers": 2},
        "time": {"warmup": "1s", "run": "30s", "calm": "20s"},
        "do": list(steps),
        "expect": {"always": ["all"]},
    }
    properties = [kind for kind in ALL if kind.always]
    return Run(read_scenario(document | words), 3, properties)


def finished(verb, words, *others, **rest):
    run = started({"at": "2s", "id": "it", verb: words}, *others, **rest)
    return run.finish()


def kinds(result, kind):
    return [row for row in result.rows if row.kind == kind]


@pytest.mark.slow
@pytest.mark.parametrize("api", ["BrokerHeartbeat", "Fetch"])
@pytest.mark.parametrize(("verb", "words"), BITES)
def test_it_bites_breaks_no_property_and_is_over_when_it_is_over(verb, words, api):
    again = {"expect": {"always": ["all"], "calm": [{"broker": "brokers", "state": "unfenced"}]}}

    result = finished(verb, words | {"api": api, "for": "6s"}, **again)

    assert (result.verdict, result.violations) == ("pass", ()), result
    assert result.effects["it"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["rpc.drop", "rpc.error", "rpc.hold", "rpc.close", "rpc.reorder"])
def test_quorum_requests_of_every_api_may_fail_without_a_violation(verb):
    words = {"code": "NOT_CONTROLLER"} if verb == "rpc.error" else {}

    result = finished(verb, words | {"controller": "active", "p": 0.5, "for": "10s"})

    assert result.violations == ()
    assert result.effects["it"] > 0


@pytest.mark.parametrize("verb", ["rpc.drop", "rpc.hold"])
def test_a_broker_whose_heartbeats_are_lost_is_fenced_because_of_it(verb):
    result = finished(verb, {"api": "BrokerHeartbeat", "broker": 2, "for": "15s"})

    (expired,) = kinds(result, "lease_expired")
    (fault,) = kinds(result, "fault_begins")
    assert (expired.broker_id, expired.cause_seq) == (2, fault.seq)


@pytest.mark.slow
def test_the_fault_is_the_cause_even_if_it_names_no_broker():
    result = finished("rpc.drop", {"api": "BrokerHeartbeat", "for": "15s"})

    (fault,) = kinds(result, "fault_begins")
    assert [row.cause_seq for row in kinds(result, "lease_expired")] == [fault.seq, fault.seq]


@pytest.mark.slow
def test_a_lost_reply_keeps_the_lease_and_a_lost_request_does_not():
    lost = finished("rpc.drop", {"api": "BrokerHeartbeat", "broker": 2, "for": "15s"})
    unanswered = finished(
        "rpc.drop", {"direction": "reply", "api": "BrokerHeartbeat", "broker": 2, "for": "15s"}
    )

    assert (len(kinds(lost, "broker_fenced")), len(kinds(unanswered, "broker_fenced"))) == (1, 0)


@pytest.mark.parametrize(("apply", "fenced"), [("before", 1), ("after", 0)])
def test_an_error_before_changes_nothing_and_an_error_after_is_only_a_reply(apply, fenced):
    words = STALE | {"api": "BrokerHeartbeat", "broker": 2, "apply": apply, "for": "15s"}

    result = finished("rpc.error", words)

    assert len(kinds(result, "broker_fenced")) == fenced


def test_a_restarted_broker_is_registered_late_if_its_registration_is_delayed():
    restart = {"at": "3s", "proc.restart": {"on": 2}}
    late = finished("rpc.delay", {"api": "BrokerRegistration", "broker": 2, "by": "3s"}, restart)

    registered = [row.t_us for row in kinds(late, "broker_registered") if row.broker_id == 2]
    begun = next(row.t_us for row in kinds(late, "fault_begins") if row.fault_id == "it")
    assert registered[-1] - begun > 4_000_000


def hits_of(**words):
    return finished("rpc.observe", {"api": "BrokerHeartbeat", "broker": 2} | words).effects["it"]


@pytest.mark.slow
def test_after_every_and_count_choose_among_the_requests():
    every = hits_of()

    assert every > 10
    assert hits_of(after=3) == every - 3
    assert hits_of(every=3) == every // 3
    assert hits_of(after=3, every=2, count=4) == 4
    assert hits_of(count=-1) == every
    assert 0 < hits_of(p=0.3) < every / 2
    assert hits_of(p=0.3) == hits_of(p=0.3)


@pytest.mark.slow
def test_a_repeated_request_reaches_the_next_rule_twice():
    heartbeat = {"api": "BrokerHeartbeat", "broker": 2}
    twice = {"at": "1s", "rpc.duplicate": heartbeat | {"count": 3, "after": 2}}

    result = finished("rpc.observe", heartbeat, twice)

    assert result.effects["it"] == hits_of() + 3


def test_a_fault_that_only_observes_is_no_cause():
    drop = {"at": "1s", "id": "drop", "rpc.drop": {"api": "BrokerHeartbeat", "for": "15s"}}

    result = finished("rpc.observe", {"broker": 2}, drop)

    begun = {row.fault_id: row.seq for row in kinds(result, "fault_begins")}
    assert {row.cause_seq for row in kinds(result, "lease_expired")} == {begun["drop"]}


def test_a_broker_that_cannot_register_because_of_a_fault_breaks_no_property():
    restart = {"at": "3s", "proc.restart": {"on": 2}}
    long = {"time": {"warmup": "1s", "run": "55s", "calm": "20s"}}

    result = finished(
        "rpc.drop", {"api": "BrokerRegistration", "broker": 2, "for": "50s"}, restart, **long
    )

    assert result.violations == ()


def test_requests_above_the_limit_of_a_hold_are_lost(monkeypatch):
    monkeypatch.setattr(held_messages, "HELD_MAX", 2)
    hold = {"api": "BrokerHeartbeat", "broker": 2, "for": "20s"}
    run = started({"at": "2s", "id": "it", "rpc.hold": hold})
    arrived_us = []

    def on_arrived(message):
        if isinstance(message.request, BrokerHeartbeatRequest) and not message.is_reply:
            arrived_us.extend([run.world.timeline.now_us] * (message.request.broker_id == 2))

    run.world.network.arrived.append(on_arrived)
    result = run.finish()

    (end,) = kinds(result, "fault_ends")
    assert result.effects["it"] > 2
    assert arrived_us.count(end.t_us) == 2


@pytest.mark.slow
def test_all_words_must_match():
    every = hits_of()

    assert hits_of(listener="controller") == every
    assert hits_of(listener="broker", api=["BrokerHeartbeat", "Fetch"]) == 0
    assert hits_of(controller="standbys") == 0
    assert hits_of(controller="active") == every
    assert hits_of(epoch="current") == every
    assert hits_of(epoch="stale") == hits_of(epoch="future") == hits_of(epoch=1) == 0
    assert hits_of(client_id="admin") == hits_of(versions=[1]) == 0
    assert hits_of(api=[]) > every


def test_faults_that_select_by_different_words_act_on_the_same_request():
    heartbeat = {"api": "BrokerHeartbeat"}
    by_controller = {
        "at": "2s",
        "id": "controller",
        "rpc.observe": {"controller": "active", **heartbeat},
    }
    by_any = {"at": "2s", "id": "any", "rpc.observe": heartbeat}

    result = finished("rpc.observe", {"broker": [1, 2], **heartbeat}, by_controller, by_any)

    assert result.effects["it"] > 10
    assert len(set(result.effects.values())) == 1


def test_a_heartbeat_with_an_earlier_epoch_is_stale():
    late = {"api": "BrokerHeartbeat", "broker": 2, "by": "15s", "for": "4s"}
    restart = {"at": "3500ms", "proc.restart": {"on": 2}}

    result = finished(
        "rpc.observe",
        {"api": "BrokerHeartbeat", "epoch": "stale"},
        {"at": "1s", "rpc.delay": late},
        restart,
    )

    assert result.effects["it"] > 0


@pytest.mark.slow
def test_rules_act_in_order_and_a_spent_rule_lets_the_next_one_act():
    heartbeat = {"api": "BrokerHeartbeat", "broker": 1}
    first = {"at": "1s", "id": "first", "rpc.drop": heartbeat | {"count": 2}}
    seen = {"at": "3s", "id": "seen", "rpc.observe": heartbeat}

    lost = heartbeat | {"count": 3, "direction": "reply"}
    result = finished("rpc.drop", lost, first, seen)

    assert (result.effects["first"], result.effects["it"]) == (2, 3)
    assert result.effects["seen"] < hits_of(broker=1)  # the drop took some


def test_nothing_is_armed_when_every_fault_is_over():
    run = started({"at": "2s", "rpc.drop": {"count": 1}}, {"at": "3s", "rpc.hold": {"for": "1s"}})

    run.finish()

    assert run.world.request_rules.armed == {}


@pytest.mark.slow
def test_an_observed_run_has_the_digest_of_the_run_alone():
    observed = finished("rpc.observe", {})
    alone = finished("note", {"text": "nothing"})

    assert observed.effects["it"] > 400
    assert len(observed.rows) == len(alone.rows)
    assert observed.events == alone.events


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("rpc.drop", {"api": "BrokerHeartbeats"}, r"'BrokerHeartbeat' \(nearest\)"),
        ("rpc.drop", {"api": ["Fetch", "Vot"]}, r"'Vote' \(nearest\), got 'Vot'"),
        ("rpc.error", {"code": "STALE_EPOCH"}, r"'STALE_BROKER_EPOCH' \(nearest\)"),
        ("rpc.error", {"code": 12345}, "expected an error code"),
        ("rpc.error", {}, "expected the key 'code'"),
        ("rpc.drop", {"count": 0}, "expected a count of 1 or more, or -1"),
        ("rpc.drop", {"p": 2}, "expected 0 to 1, got 2"),
        ("rpc.drop", {"listener": "brokr"}, r"'broker' \(nearest\)"),
        ("rpc.drop", {"epoch": "old"}, "expected a number or"),
        ("rpc.drop", {"epoch": True}, "expected a number or"),
        ("rpc.delay", {"by": "-1s"}, "expected 0s or more"),
        ("rpc.error", STALE | {"apply": "befor"}, r"'before' \(nearest\)"),
    ],
)
def test_a_mistake_names_what_was_expected(verb, words, message):
    with pytest.raises(Problem, match=message):
        read(VERBS[verb], words)


@pytest.mark.parametrize("code", ["STALE_BROKER_EPOCH", 77])
def test_a_code_may_be_a_name_or_a_number_and_is_written_as_a_name(code):
    words = {"api": "Fetch", "epoch": 7, "broker": 2, "code": code, "count": 1}

    verb = read(VERBS["rpc.error"], words)

    assert document_of(verb) == words | {"code": "STALE_BROKER_EPOCH"}
    assert read(VERBS["rpc.error"], document_of(verb)) == verb


def test_a_type_of_request_without_a_rule_is_not_armed():
    run = started({"at": "2s", "rpc.observe": {"api": "Fetch"}})
    run.begin()
    run.timetable.begin()
    run.world.advance(3_000_000)

    assert BrokerHeartbeatRequest not in run.world.request_rules.armed
    assert len(run.world.request_rules.armed) == 1
