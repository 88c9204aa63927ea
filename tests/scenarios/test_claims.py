"""What a file can claim of its run beside states: all the time, as numbers, and once it is calm."""

import pytest

from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import run

pytestmark = pytest.mark.slow


CRASH = {"at": "2s", "id": "the-crash", "proc.crash": {"on": 1, "for": "15s"}}
PAUSES = {"every": "4s", "times": 3, "id": "pauses", "proc.pause": {"on": 2, "for": "1s"}}
FENCED = {"broker": 1, "state": "fenced"}
UNFENCED = {"broker": 1, "state": "unfenced"}
GONE = {"broker": 1, "state": "NOT_RUNNING"}


def scenario(*steps, controllers=1, time=None, **expect):
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "Nothing happens.",
            "cluster": {"controllers": controllers, "brokers": 2, "topics": {"t": {}}},
            "time": {"warmup": "1s", "run": "20s", "calm": "10s"} | (time or {}),
            "do": list(steps),
            "expect": expect,
        }
    )


def judged(*steps, **expect):
    result = run(scenario(*steps, **expect), 1)
    return result.verdict, [violation.name for violation in result.violations], list(result.vacuous)


PASS = ("pass", [], [])
UNTRIED = ("vacuous", [], ["during[0] was never tested"])


@pytest.mark.parametrize(
    ("claim", "ends"),
    [
        ({"fault": "the-crash", "holds": GONE}, PASS),
        ({"fault": "proc.crash", "holds": GONE}, PASS),
        ({"fault": "the-crash", "holds": UNFENCED}, ("fail", ["during[0]"], [])),
        ({"fault": "the-crash", "holds": FENCED, "after": "11s"}, PASS),
        ({"fault": "the-crash", "holds": FENCED, "after": "5s"}, ("fail", ["during[0]"], [])),
        ({"fault": "the-crash", "holds": FENCED, "after": "16s"}, UNTRIED),
        ({"fault": "net.loss", "holds": UNFENCED}, UNTRIED),
        ({"window": {"from": "3s", "to": "9s"}, "holds": GONE}, PASS),
        ({"window": {"from": "1s", "to": "9s"}, "holds": GONE}, ("fail", ["during[0]"], [])),
        ({"window": {"from": "3s", "to": "9s"}, "each": [1, 2], "holds": GONE}, PASS),
    ],
)
def test_during_holds_as_long_as_it_goes_on(claim, ends):
    if "each" in claim:
        claim = claim | {"holds": {"broker": "$each", "state": "NOT_RUNNING"}}
        ends = ("fail", ["during[0]"], [])

    assert ends == judged(CRASH, during=[claim])


NEVER_UNTRIED = ("vacuous", [], ["never[0] was never tested"])
SECOND_GONE = {"broker": 2, "state": "NOT_RUNNING"}
SECOND_THERE = {"broker": 2, "state": "unfenced"}


@pytest.mark.parametrize(
    ("condition", "ends"),
    [
        (SECOND_GONE, PASS),
        ({"all": [GONE, {"broker": 1, "state": "RUNNING"}]}, PASS),
        ({"all": [GONE, SECOND_GONE]}, NEVER_UNTRIED),
        ({"held": GONE, "for": "16s"}, PASS),
        ({"held": SECOND_GONE, "for": "1s"}, NEVER_UNTRIED),
        ({"held": {"all": [GONE, SECOND_THERE]}, "for": "25s"}, PASS),
        ({"held": {"all": [GONE, SECOND_GONE]}, "for": "1s"}, NEVER_UNTRIED),
        ({"not": SECOND_THERE}, PASS),
        ({"not": {"not": SECOND_GONE}}, PASS),
        ({"any": [SECOND_GONE, {"held": SECOND_GONE, "for": "1s"}]}, PASS),
        ({"all": [GONE, SECOND_THERE]}, ("fail", ["never[0]"], [])),
    ],
)
def test_never_is_tested_only_by_a_run_that_comes_near(condition, ends):
    assert ends == judged(CRASH, never=[condition])


def test_never_is_tested_only_if_a_step_had_an_effect():
    late = {"at": "2s", "optional": True, "net.loss": {"from": 1, "to": 2, "p": 1.0}}

    assert NEVER_UNTRIED == judged(late, never=[SECOND_GONE])
    assert PASS == judged(never=[SECOND_GONE])


def test_during_a_fault_that_comes_back_is_during_each_of_its_times():
    paused = {"broker": 2, "state": "PAUSED"}

    assert PASS == judged(PAUSES, during=[{"fault": "pauses", "holds": paused}])
    never = {"fault": "pauses", "holds": {"not": paused}}
    assert ("fail", ["during[0]"], []) == judged(PAUSES, during=[never])


def measured(*steps, **measure):
    (violation,) = run(scenario(*steps, measure={"it": measure}), 1).measured
    return violation


def test_how_long_a_state_held_is_measured():
    paused = {"broker": 2, "state": "PAUSED"}

    whole = measured(PAUSES, **{"while": paused})
    longest = measured(PAUSES, **{"while": paused}, take="longest")

    assert (3_000_000, "total", 3) == (whole.value, whole.take, whole.samples)
    assert (1_000_000, "longest") == (longest.value, longest.take)


def test_how_long_it_took_from_one_to_another_is_measured():
    delay = measured(CRASH, **{"from": GONE, "to": FENCED})

    assert 9_000_000 - 2_000_000 <= delay.value <= 9_000_000 * 9 // 8
    assert 1 == delay.samples


def test_percentiles_are_values_that_there_were():
    pauses = [{"at": f"{2 * n}s", "proc.pause": {"on": 2, "for": f"{n}00ms"}} for n in range(1, 10)]
    paused = {"while": {"broker": 2, "state": "PAUSED"}}

    takes = {
        take: measured(*pauses, **paused, take=take).value // 100_000
        for take in ("shortest", "median", "mean", "p90", "p99", "longest", "total")
    }

    assert {
        "shortest": 1, "median": 5, "mean": 5, "p90": 9, "p99": 9, "longest": 9, "total": 45
    } == takes  # fmt: skip


def test_records_are_counted_one_by_one_and_states_by_how_often_they_come_about():
    restarts = {"every": "5s", "times": 3, "proc.restart": {"on": 1}}

    assert 1 == measured(CRASH, count={"record": "FenceBroker", "of": 1}).value
    assert 0 == measured(CRASH, count={"record": "FenceBroker", "of": 2}).value
    assert 3 == measured(PAUSES, count={"broker": 2, "state": "PAUSED"}).value
    refused = {"refused": "DUPLICATE_BROKER_REGISTRATION", "of": 1}
    assert measured(restarts, count=refused).value > 1


def test_what_each_of_several_does_is_taken_together():
    crashes = [{"at": "2s", "proc.crash": {"on": number, "for": "15s"}} for number in (1, 2)]
    delay = {
        "each": "brokers",
        "from": {"broker": "$each", "state": "NOT_RUNNING"},
        "to": {"broker": "$each", "state": "fenced"},
    }

    assert 2 == measured(*crashes, **delay).samples


DELAY = {"from": GONE, "to": FENCED}


@pytest.mark.parametrize(
    ("measure", "ends"),
    [
        (DELAY | {"at_most": {"of": "session", "times": 1.125}}, PASS),
        (DELAY | {"at_most": "3s"}, ("fail", ["measure.it"], [])),
        (DELAY | {"at_least": "11s"}, ("fail", ["measure.it"], [])),
        ({"count": {"record": "FenceBroker"}, "at_least": 1, "at_most": 1}, PASS),
        ({"count": {"record": "FenceBroker"}, "at_most": 0}, ("fail", ["measure.it"], [])),
        (
            {"from": FENCED, "to": {"broker": 1, "state": "unregistered"}, "at_most": "1s"},
            ("fail", ["measure.it"], []),
        ),
    ],
)
def test_a_number_out_of_its_bounds_breaks_the_claim(measure, ends):
    assert ends == judged(CRASH, measure={"it": measure})


@pytest.mark.parametrize(
    "measure",
    [
        {"while": {"broker": 2, "state": "fenced"}},
        {"from": FENCED, "to": {"broker": 1, "state": "unregistered"}},
        {"count": {"record": "FenceBroker", "of": 99}},
    ],
)
def test_a_number_of_nothing_makes_the_run_vacuous(measure):
    untried = ["measure.it was never tested"]

    assert ("vacuous", [], untried) == judged(CRASH, measure={"it": measure})


@pytest.mark.parametrize(
    "thing", ["images", "high_watermarks", "log_ends", "epochs", "leaders", "voters"]
)
def test_whoever_was_cut_off_converges_in_the_calm(thing):
    cut = {"at": "2s", "net.partition": {"on": 3000}}

    assert PASS == judged(cut, controllers=3, converge=[{"equal": thing, "within": "5s"}])


def test_of_those_that_the_calm_leaves_alone_nothing_is_asked():
    """Without the one that is cut off there are two, and they agree at once."""
    cut = {"at": "2s", "net.partition": {"on": 3000}}
    at_once = [{"equal": "high_watermarks", "within": "1s"}]
    verdicts = set()
    for seed in range(1, 9):
        result = run(scenario(cut, controllers=3, converge=at_once), seed)
        left = [row.detail["left"] for row in result.rows if row.kind == "calm_begins"]
        verdicts.add((left == [[3000]], result.verdict))

    assert (True, "pass") in verdicts
    assert (True, "fail") not in verdicts


def test_images_of_brokers_converge_too():
    within = {"equal": "images", "of": "all", "within": "5s"}

    assert PASS == judged(CRASH, controllers=3, converge=[within])


def test_what_does_not_converge_in_time_says_who_has_what():
    cut = {"at": "2s", "net.partition": {"on": 3000}}
    at_once = [{"equal": "high_watermarks", "within": "0s"}]

    result = run(scenario(cut, controllers=3, converge=at_once), 1)

    assert ["converge[0]"] == [violation.name for violation in result.violations]
    assert "expected equal high_watermarks within 0s after the start of calm, got {" in (
        result.violations[0].what
    )


def test_one_alone_has_nothing_to_converge_with():
    untried = ["converge[0] was never tested"]

    assert ("vacuous", [], untried) == judged(CRASH, converge=[{"equal": "images", "within": "5s"}])


def test_an_implication_about_each_is_broken_by_any():
    claim = {
        "each": "brokers",
        "if": {"broker": "$each", "state": "NOT_RUNNING"},
        "then": {"broker": "$each", "state": "fenced"},
        "within": "10125ms",
    }
    stays = {"at": "3s", "net.hold": {"message": "BrokerHeartbeat", "from": 2, "for": "1s"}}

    assert PASS == judged(CRASH, stays, leads_to=[claim])
    assert ("fail", ["leads_to[0]"], []) == judged(CRASH, leads_to=[claim | {"within": "3s"}])


WRONG = {
    "neither fault nor window": {"during": [{"holds": FENCED}]},
    "both": {"during": [{"holds": FENCED, "fault": "x", "window": {"from": "1s", "to": "2s"}}]},
    "a window that ends first": {
        "during": [{"holds": FENCED, "window": {"from": "2s", "to": "1s"}}]
    },
    "nothing measured": {"measure": {"it": {"take": "mean"}}},
    "bounds that exclude": {"measure": {"it": {"count": FENCED, "at_least": 2, "at_most": 1}}},
    "times that exclude": {"measure": {"it": DELAY | {"at_least": "2s", "at_most": "1s"}}},
    "an unknown take": {"measure": {"it": DELAY | {"take": "p95"}}},
    "an unknown thing": {"converge": [{"equal": "imges", "within": "1s"}]},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_claim_that_says_nothing_is_a_mistake(wrong):
    with pytest.raises(Problem):
        scenario(**WRONG[wrong])


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({"during": [{"holds": FENCED, "fault": "the-crush"}]}, "expected 'the-crash' (nearest)"),
        ({"converge": [{"equal": "images", "within": "11s"}]}, "expected at most the 10s of calm"),
        ({"converge": [{"equal": "epochs", "of": "brokers", "within": "1s"}]}, "have no epochs"),
        ({"never": [{"broker": "$each", "state": "fenced"}]}, "$each is not bound"),
        ({"measure": {"a": {"count": FENCED}}, "fails_with": "measure.b"}, "'measure.a' (nearest)"),
    ],
)
def test_lint_knows_these_claims(expect, said):
    assert said in " ".join(map(str, complaints(scenario(CRASH, **expect))))


def test_claims_are_written_as_they_were_read():
    whole = scenario(
        CRASH,
        during=[{"fault": "the-crash", "holds": GONE, "after": "1s", "each": "brokers"}],
        measure={"a": DELAY | {"take": "p99", "at_most": "10s"}, "b": {"while": FENCED}},
        converge=[{"equal": "images", "of": "all", "within": "5s"}],
    )

    assert whole == read_scenario(document_of(whole))


def test_watching_claims_changes_nothing():
    claims = {
        "during": [{"fault": "the-crash", "holds": GONE, "after": "3s"}],
        "measure": {"it": DELAY, "times": {"count": FENCED}},
        "converge": [{"equal": "images", "of": "all", "within": "5s"}],
    }

    assert run(scenario(CRASH), 1).digest == run(scenario(CRASH, **claims), 1).digest


CUT = {"at": "2s", "id": "the-cut", "net.partition": {"on": 1, "for": "15s"}}


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ({"never": [{"record": "FenceBroker", "of": 1}]}, "broker_fenced"),
        ({"never": [FENCED]}, "broker_fenced"),
        ({"during": [{"fault": "the-cut", "holds": UNFENCED}]}, "broker_fenced"),
        ({"leads_to": [{"if": FENCED, "then": GONE, "within": "1s"}]}, "broker_fenced"),
    ],
)
def test_a_broken_claim_names_the_event_that_broke_it(claim, kind):
    result = run(scenario(CUT, **claim), 1)

    (broken,) = result.violations
    assert kind == result.rows[broken.seq].kind


def test_a_claim_that_no_event_breaks_names_none():
    result = run(scenario(CUT, calm=[FENCED]), 1)

    assert [-1] == [broken.seq for broken in result.violations]
