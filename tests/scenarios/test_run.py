"""Runs and verdicts: what is declared must bite, what is claimed must be put to the test."""

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.document.step import LimitError
from kraftsim.scenarios.oracles.property import Broken, Property
from kraftsim.scenarios.running.run import Run, run

pytestmark = pytest.mark.slow


QUIET = {"warmup": "1s", "run": "20s", "calm": "10s"}
CRASH = {"at": "2s", "id": "the-crash", "proc.crash": {"on": 1, "for": "15s"}}
FENCED = {"broker": 1, "state": "fenced"}


def scenario(**changes):
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 2},
        "time": QUIET,
    }
    return read_scenario(words | changes)


def test_a_run_in_which_what_was_claimed_came_true_passes():
    claim = {"if": {"broker": 1, "state": "NOT_RUNNING"}, "then": FENCED, "within": "10500ms"}

    result = run(scenario(do=[CRASH], expect={"leads_to": [claim]}), 1)

    assert ("pass", {"the-crash": 1}) == (result.verdict, result.effects)


def test_a_claim_that_comes_true_too_late_fails_and_says_when():
    claim = {"if": {"broker": 1, "state": "NOT_RUNNING"}, "then": FENCED, "within": "3s"}

    result = run(scenario(do=[CRASH], expect={"leads_to": [claim]}), 1)

    assert "fail" == result.verdict
    assert ["leads_to[0]"] == [violation.name for violation in result.violations]
    assert "expected within 3s" in result.violations[0].what


@pytest.mark.parametrize(
    "expect",
    [{"never": [FENCED]}, {"calm": [FENCED]}],
    ids=["what must never be", "what must be in the end"],
)
def test_a_broken_claim_fails(expect):
    assert "fail" == run(scenario(do=[CRASH], expect=expect), 1).verdict


def test_a_fault_that_changed_nothing_makes_the_run_vacuous():
    cut = {"at": "2s", "net.partition": {"between": [77, 78]}}

    result = run(scenario(do=[cut]), 1)

    assert "vacuous" == result.verdict
    assert ("fault net.partition#1 had no effect",) == result.vacuous


@pytest.mark.parametrize(
    "expect",
    [
        {"leads_to": [{"if": FENCED, "then": FENCED, "within": "1s"}]},
        {"sometimes": [FENCED]},
    ],
    ids=["an implication whose condition never occurred", "what never came about"],
)
def test_a_claim_that_was_never_put_to_the_test_makes_the_run_vacuous(expect):
    assert "vacuous" == run(scenario(expect=expect), 1).verdict


@pytest.mark.parametrize(
    "fault",
    [
        {"clock.drift": {"on": 1, "ppm": 0}},
        {"clock.step": {"on": 1, "by": "400us"}},
        {"clock.coarse": {"on": 1, "tick": "1ms"}},
        {"net.delay": {"low": "0ms", "high": "0ms"}},
        {"disk.slow": {"on": "controllers", "low": "0ms", "high": "0ms"}},
    ],
    ids=lambda fault: next(iter(fault)),
)
def test_a_fault_of_no_size_has_no_effect(fault):
    result = run(scenario(do=[{"at": "2s", "id": "nothing"} | fault]), 1)

    assert ("vacuous", ("fault nothing had no effect",)) == (result.verdict, result.vacuous)


def test_a_step_whose_condition_never_held_makes_the_run_vacuous():
    waiting = {"when": FENCED, "note": {"text": "never"}}

    result = run(scenario(do=[waiting]), 1)

    assert "vacuous" == result.verdict


def test_a_scenario_that_says_what_it_breaks_passes_when_it_breaks_just_that():
    expect = {"never": [FENCED], "fails_with": "never[0]"}

    assert "pass" == run(scenario(do=[CRASH], expect=expect), 1).verdict
    unbroken = run(scenario(expect=expect), 1)
    assert ("fail", "fails_with") == (unbroken.verdict, unbroken.violations[0].name)
    assert "expected a violation of never[0], got none" == unbroken.violations[0].what


def test_a_scenario_that_breaks_what_it_says_is_vacuous_when_another_of_its_faults_did_nothing():
    cut = {"at": "2s", "net.partition": {"between": [77, 78]}}
    expect = {"never": [FENCED], "fails_with": "never[0]"}

    result = run(scenario(do=[CRASH, cut], expect=expect), 1)

    assert ("vacuous", ("fault net.partition#2 had no effect",)) == (
        result.verdict,
        result.vacuous,
    )


class NoHeartbeat(Property):
    number, name, claim = "S0", "no-heartbeat", "Nobody says anything."

    def arrived(self, message):
        self.exercised += 1
        if type(message.request).__name__ == "BrokerHeartbeatRequest":
            raise Broken(f"expected silence, got {message.request}")


def test_a_broken_property_is_told_once_with_its_number():
    result = Run(scenario(), 1, [NoHeartbeat]).finish()

    assert "fail" == result.verdict
    assert [("S0", "no-heartbeat")] == [
        (violation.number, violation.name) for violation in result.violations
    ]


def test_watching_changes_nothing():
    """H2: the digest is that of a run without properties."""
    watched = Run(scenario(do=[CRASH]), 5, [NoHeartbeat]).finish()

    assert Run(scenario(do=[CRASH]), 5, []).finish().digest == watched.digest


def test_a_fault_draws_from_a_stream_of_its_own():
    """What happens before a fault begins is the same with and without it."""
    lossy = {"at": "5s", "net.loss": {"on": "brokers", "p": 0.2}}

    without, with_it = (run(scenario(do=steps), 9).rows for steps in ([], [lossy]))

    before = [row for row in with_it if row.t_us < 5_000_000]
    assert len(before) > 5
    assert before == [row for row in without if row.t_us < 5_000_000]


def test_a_run_longer_than_its_limit_says_so():
    with pytest.raises(LimitError, match="expected an end within"):
        run(scenario(time=QUIET | {"limit": "10s"}), 1)


# A process that sees the impossible


@pytest.fixture
def stumbling(monkeypatch):
    """Who is told first that a broker wants to shut down finds that it cannot be."""
    handler, has_stumbled = HANDLERS[BrokerHeartbeatRequest], []

    def buggy(state, request, now_ms):
        if request.want_shut_down and not has_stumbled:
            has_stumbled.append(True)
            raise Impossible(f"expected nobody to leave, got {request.broker_id}")
        return handler(state, request, now_ms)

    monkeypatch.setitem(HANDLERS, BrokerHeartbeatRequest, buggy)


STOPS = {"at": "2s", "proc.stop": {"on": 1}}
THREE = {"controllers": 3, "brokers": 2}
NO_QUESTIONS = {"always": ["image-is-replay"]}  # S41 would be told first


def test_a_step_that_sees_the_impossible_ends_its_process_and_the_run_fails(stumbling):
    result = run(scenario(do=[STOPS], cluster=THREE, expect=NO_QUESTIONS), 1)

    assert "fail" == result.verdict
    (broken,) = result.violations
    assert "assertion" == broken.name
    assert broken.what.endswith("failed: expected nobody to leave, got 1")
    ended = next(row for row in result.rows if "failure" in row.detail)
    assert ("controller_state", "NOT_RUNNING") == (ended.kind, ended.detail["state"])
    assert (broken.t_us, broken.seq) == (ended.t_us, ended.seq)


def test_the_world_goes_on_after_it(stumbling):
    result = run(scenario(do=[STOPS], cluster=THREE, expect=NO_QUESTIONS), 1)

    leaders = [row.detail["leader_id"] for row in result.rows if row.kind == "controller_elected"]
    assert len(set(leaders)) > 1
    assert result.virtual_us > 31_000_000, "warm-up, run and calm"


def test_a_question_that_shows_the_impossible_breaks_its_property(stumbling):
    """S41: nobody has asked the controller in the run yet, so that its process goes on."""
    result = run(scenario(do=[CRASH], cluster=THREE), 46)  # it asks for a shutdown soon

    assert "decisions-follow-the-rules" in [broken.name for broken in result.violations]


@pytest.mark.parametrize(("step", "verdict"), [(STOPS, "pass"), (CRASH, "fail")])
def test_a_scenario_can_say_that_it_breaks_a_process(stumbling, step, verdict):
    expect = {"fails_with": "assertion", **NO_QUESTIONS}

    assert verdict == run(scenario(do=[step], cluster=THREE, expect=expect), 1).verdict
