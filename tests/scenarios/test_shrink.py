"""A failing run becomes the smallest scenario that fails in the same way."""

import pytest

from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import document_of
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.mutant import planted
from kraftsim.scenarios.running.run import run
from kraftsim.scenarios.shrinking.search import Tries
from kraftsim.scenarios.shrinking.shrink import failure_of, shrink

pytestmark = pytest.mark.slow

ENOUGH = 1_000
A_WHILE = {"from": "15s", "to": "20s"}
NOISE = [
    {"at": f"{at}s", "net.delay": {"on": "brokers", "low": "1ms", "high": "5ms", "for": "1s"}}
    for at in (1, 3, 5, 7, 30)
]


@pytest.fixture(scope="module")
def failing():
    """A scenario whose claim is false: the crashed broker is fenced."""
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "failing",
            "claim": "Nobody is ever fenced.",
            "cluster": {"controllers": 3, "brokers": 6, "topics": {"t": {"partitions": 6}}},
            "config": {"broker.session.timeout.ms": 6000, "min.insync.replicas": 2},
            "network": "wan",
            "time": {"warmup": "2s", "run": "40s", "calm": "10s"},
            "do": [
                *NOISE,
                {"at": "10s", "id": "it", "proc.crash": {"on": [5, 6], "for": A_WHILE}},
            ],
            "expect": {"never": [{"fenced_at_least": 1}, {"fenced_at_least": 2}]},
        }
    )


@pytest.fixture(scope="module")
def small(failing):
    return shrink(failing, 3, Tries(ENOUGH))


def test_steps_nodes_topics_settings_network_and_times_are_as_few_as_possible(small):
    assert {
        "cluster": {"controllers": 1, "brokers": 1},
        "network": {"low": "0s", "high": "0s"},
        "expect": {"always": [], "never": [{"fenced_at_least": 1}]},
    }.items() <= document_of(small.plan).items()
    assert [{"at": "1ms", "proc.crash": {"on": 1}}] == document_of(small.plan)["do"]
    assert small.plan.time.run.us <= 12_000_000


def test_a_search_that_has_tried_everything_says_minimal(small):
    assert f"minimal ({small.tried} tries)" == small.extent


def test_a_search_whose_tries_are_used_up_says_so_and_keeps_the_failure(failing):
    stopped = shrink(failing, 3, Tries(5))

    assert "stopped after 5 tries" == stopped.extent
    assert "never[0]" == failure_of(stopped.plan, 3).violation.name


def test_a_search_ends_when_its_caller_wants_no_further_try(failing):
    assert 2 == shrink(failing, 3, Tries(ENOUGH, lambda number: number < 3)).tried


def test_the_same_plan_seed_and_tries_give_the_same_scenario(failing, small):
    again = shrink(failing, 3, Tries(ENOUGH))

    assert (small.plan, small.tried) == (again.plan, again.tried)


def test_a_minimal_scenario_does_not_shrink_again(small):
    assert small.plan == shrink(small.plan, 3, Tries(ENOUGH)).plan


def test_it_fails_the_same_way_when_it_is_read_from_a_file(small):
    again = run(read_scenario(document_of(small.plan)), 3)

    assert ["never[0]"] == [violation.name for violation in again.violations]
    assert again.digest == run(small.plan, 3).digest


def test_a_try_ends_at_its_violation(failing):
    whole = run(failing, 3)

    assert failure_of(expand(failing, 3), 3).events < whole.events * 2 / 3


def test_a_run_that_does_not_fail_cannot_be_made_smaller(failing):
    quiet = read_scenario(document_of(failing) | {"do": []})

    with pytest.raises(ValueError, match="a seed whose run fails, got no violation with seed 3"):
        shrink(quiet, 3, Tries(ENOUGH))


def test_fewer_brokers_hold_fewer_replicas(failing):
    """More replicas than brokers would be refused when the file is run."""
    words = document_of(failing) | {
        "cluster": {"controllers": 1, "brokers": 4, "topics": {"t": {"replication": 4}}},
        "do": [{"at": "3s", "proc.crash": {"on": "brokers"}}],
        "expect": {"never": [{"topic": "t", "state": "leaderless"}]},
    }
    plan = shrink(read_scenario(words), 3, Tries(ENOUGH)).plan

    assert [] == list(complaints(plan))
    assert (1, 1) == (plan.cluster.brokers, plan.cluster.topics["t"].replication)


def test_nodes_that_let_has_drawn_are_named_by_id(failing):
    """A later version might draw other nodes."""
    words = document_of(failing) | {
        "let": {"victim": {"pick": 1, "of": "brokers"}},
        "do": [{"at": "3s", "proc.crash": {"on": "$victim", "for": "15s"}}],
        "cluster": {"controllers": 1, "brokers": 3},
    }
    plan = shrink(read_scenario(words), 3, Tries(ENOUGH)).plan

    assert {} == plan.let
    assert [{"proc.crash": {"on": 1}}] == [{"proc.crash": document_of(s.verb)} for s in plan.do]


def test_a_fault_stays_as_gentle_as_it_was(failing):
    """Without `replicated` the rot may lose what is committed: another failure of the same name."""
    rot = {"disk.rot": {"on": 3002, "for": "5s", "replicated": True}}
    words = document_of(failing) | {
        "do": [{"at": "3s", **rot}],
        "expect": {"never": [{"controller": 3002, "state": "NOT_RUNNING"}]},
    }
    plan = shrink(read_scenario(words), 3, Tries(ENOUGH)).plan

    assert all(step.verb.replicated for step in plan.do)
    assert plan.do


@pytest.mark.parametrize("bug", ["M98", "M42"])
def test_a_drawn_plan_becomes_a_few_nodes_and_steps(bug):
    """Seed 11 draws three controllers, five brokers, settings and 46 steps."""
    swarm = read_file(find("swarm-of-everything")).scenario

    with planted(MUTANTS[bug]):
        plan = shrink(swarm, 11, Tries(ENOUGH)).plan

    assert "draw" not in document_of(plan)
    assert plan.cluster.controllers + plan.cluster.brokers <= 3
    assert len(plan.do) <= 2
    assert {} == plan.config


def quiet(**parts):
    """A scenario of one controller and two brokers."""
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "quiet",
            "claim": "It is shrunk.",
            "cluster": {"controllers": 1, "brokers": 2},
            "time": {"warmup": "2s", "run": "60s", "calm": "5s"},
        }
        | parts
    )


def steps_of(small):
    return [step.word for step in small.plan.do]


STAYS_DOWN = {"never": [{"held": {"broker": 1, "state": "NOT_RUNNING"}, "for": "20s"}]}


def test_a_start_that_came_too_early_stays_with_the_stop_that_it_was_to_repair():
    """A stop without a start breaks the claim for another reason: nobody starts the broker."""
    roll = [
        {"at": "5s", "proc.stop": {"on": 1}},
        {"after": "1ms", "proc.start": {"on": 1}},
    ]

    assert ["proc.stop", "proc.start"] == steps_of(
        shrink(quiet(do=roll, expect=STAYS_DOWN), 3, Tries(ENOUGH))
    )


LATE = {"if": {"broker": 1, "state": "NOT_RUNNING"}, "then": {"broker": 1, "state": "RUNNING"}}


def test_a_fault_that_was_over_before_the_violation_keeps_its_end():
    """The broker starts in time, and waits for its lease; without `for` nobody starts it."""
    steps = [{"at": "1s", "proc.crash": {"on": 1, "for": "1s"}}]
    claim = {"leads_to": [LATE | {"within": "5s"}]}
    small = shrink(quiet(do=steps, expect=claim), 3, Tries(ENOUGH))

    assert ["proc.crash"] == steps_of(small)
    assert all(step.verb.for_ is not None for step in small.plan.do)


def test_a_start_is_not_left_out_or_made_earlier_than_the_crash_that_it_repairs():
    steps = [{"at": "1s", "proc.crash": {"on": 1}}, {"at": "2s", "proc.start": {"on": 1}}]
    claim = {"leads_to": [LATE | {"within": "5s"}]}
    small = shrink(quiet(do=steps, expect=claim), 3, Tries(ENOUGH))
    crash, start = small.plan.do

    assert ("proc.crash", "proc.start") == (crash.word, start.word)
    assert crash.amount.us <= start.amount.us


def test_a_heal_stays_with_the_cut_that_it_ended():
    """The fenced broker is unfenced by its next heartbeat, more than a millisecond later."""
    fenced, unfenced = ({"broker": 1, "state": state} for state in ("fenced", "unfenced"))
    claim = {"leads_to": [{"if": fenced, "then": unfenced, "within": "1ms"}]}
    steps = [{"at": "1s", "net.partition": {"on": 1}}, {"when": fenced, "net.heal": {}}]
    small = shrink(quiet(do=steps, expect=claim), 3, Tries(ENOUGH))

    assert ["net.partition", "net.heal"] == steps_of(small)


def test_a_repair_after_the_violation_is_left_out():
    steps = [{"at": "1s", "proc.crash": {"on": 1}}, {"at": "30s", "proc.start": {"on": 1}}]
    claim = {"never": [{"broker": 1, "state": "fenced"}]}

    assert ["proc.crash"] == steps_of(shrink(quiet(do=steps, expect=claim), 3, Tries(ENOUGH)))


def test_another_way_to_the_same_violation_is_not_taken_for_the_first():
    """The lease of a paused broker expires first; a shutdown just after would fence another."""
    pause = {"at": "1s", "proc.pause": {"on": 1, "for": "15s"}}
    claim = {"never": [{"fenced_at_least": 1}]}
    fence_us = failure_of(quiet(do=[pause], expect=claim), 3).at_us
    stop = {"at": f"{fence_us // 1000 + 1}ms", "proc.stop": {"on": 2}}

    small = shrink(quiet(do=[pause, stop], expect=claim), 3, Tries(ENOUGH))

    assert ["proc.pause"] == steps_of(small)
