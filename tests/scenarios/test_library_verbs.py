"""What the library needed beside the first verbs: each has an effect, and that one."""

import pytest

from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.language.reading import Problem, document_of, read
from kraftsim.scenarios.language.selectors import Selector
from kraftsim.scenarios.running.run import Run
from kraftsim.scenarios.verbs.shapes import Shape

FIVE = (1, 2, 3, 4, 5)


def scenario(*steps, **changes):
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 2},
        "time": {"warmup": "1s", "run": "20s", "calm": "5s"},
        "do": list(steps),
    }
    return read_scenario(words | changes)


def finished(*steps, **changes):
    run = Run(scenario(*steps, **changes), 1, [])
    return run, run.finish()


def test_a_bridge_hears_both_halves_and_they_do_not_hear_each_other():
    closed = Shape("bridge").closed(FIVE)

    assert not [way for way in closed if 3 in way]
    assert {(1, 4), (4, 1), (2, 5), (5, 2)} <= closed
    assert (1, 2) not in closed


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_in_a_majorities_ring_each_hears_a_majority_and_no_two_the_same(size):
    nodes = tuple(range(size))
    closed = Shape("majorities-ring").closed(nodes)

    heard = [frozenset(a for a in nodes if (a, b) not in closed) for b in nodes]

    assert {size // 2 + 1} == {len(row) for row in heard}
    assert size == len(set(heard))


def test_a_link_that_flaps_is_cut_for_the_first_part_of_each_period():
    flap = {"on": 1, "period": "4s", "down": "1s", "for": "12s"}

    run, result = finished({"at": "1s", "net.flap": flap})

    assert result.effects["net.flap#1"] > 0
    assert not run.world.network.rules


def test_what_a_swizzle_kept_arrives_in_the_end():
    run, result = finished({"at": "1s", "net.swizzle": {"of": "brokers", "for": "15s"}})

    assert result.effects["net.swizzle#1"] > 0
    assert not run.world.network.rules
    assert run.world.are_unfenced([1, 2])


def test_brokers_that_are_added_register_under_the_next_ids():
    run, _ = finished({"at": "1s", "broker.add": {"count": 2}})

    assert run.world.are_unfenced([1, 2, 3, 4])


def test_a_flood_creates_a_topic_each_time():
    run, result = finished({"at": "1s", "load.flood": {"every": "100ms", "for": "1s"}})

    assert result.effects["load.flood#1"] == len(run.world.committed.topics) == 10


def test_a_voter_that_is_removed_votes_no_more():
    remove = {"at": "1s", "quorum.remove": {"on": 3001}}

    run, _ = finished(remove, cluster={"controllers": 3, "brokers": 1})

    voters = {voter.voter_id for voter in run.world.controllers[3000].node.quorum.voters.voters}
    assert {3000, 3002} == voters


TWICE = {"on": 77, "refused": "BROKER_ID_NOT_REGISTERED"}


@pytest.mark.parametrize(
    ("restarts", "highest"), [(False, DEFAULT_PROFILE.metadata_version), (True, 21)]
)
def test_other_software_runs_from_the_next_start_on(restarts, highest):
    """1.20: the controller knows from its registration what a broker supports."""
    steps = [{"at": "1s", "broker.install": {"on": 2, "release": "kafka-3.9"}}]
    if restarts:
        steps.append({"at": "2s", "proc.restart": {"on": 2}})

    run, result = finished(*steps, cluster={"brokers": 2, "metadata_version": 21})

    (levels,) = (
        feature
        for feature in run.world.committed.brokers[2].features
        if feature.name == "metadata.version"
    )
    assert highest == levels.max_supported_version
    assert 1 == result.effects["broker.install#1"]


def test_an_admin_that_is_refused_is_told_in_the_journal():
    expect = {"sometimes": [{"refused": "BROKER_ID_NOT_REGISTERED"}]}

    _, result = finished({"at": "1s", "broker.unregister": TWICE}, expect=expect)

    assert "pass" == result.verdict, result.vacuous
    assert ["BROKER_ID_NOT_REGISTERED"] == [
        row.detail["error"] for row in result.rows if row.kind == "admin_refused"
    ]


@pytest.mark.parametrize(("seconds", "verdict"), [("3s", "fail"), ("6s", "vacuous")])
def test_what_has_held_for_so_long_has_held_without_a_break(seconds, verdict):
    """Beside other conditions too, that hold later; of one that never held, no control has run."""
    long = {"held": {"broker": 1, "state": "PAUSED"}, "for": seconds}
    both = {"all": [{"broker": 2, "state": "unfenced"}, long]}
    pauses = [{"at": at, "proc.pause": {"on": 1, "for": "4s"}} for at in ("1s", "6s")]

    _, result = finished(*pauses, expect={"never": [both]})

    assert verdict == result.verdict


@pytest.mark.parametrize(
    "words",
    [
        {"nth": 2, "of": "standbys"},
        {"rack_of": "active"},
        {"other_than": "active", "of": "controllers"},
    ],
)
def test_a_selector_is_written_as_it_was_read(words):
    selector = read(Selector, words)

    assert words == document_of(selector)


def test_a_scenario_in_small_has_other_times_and_fewer_nodes_and_is_the_same_otherwise():
    smoke = {"time": {"run": "2s"}, "cluster": {"brokers": 1}}
    whole = scenario(smoke=smoke)

    small = in_small(whole)

    assert (2_000_000, 1_000_000) == (small.time.run.us, small.time.warmup.us)
    assert (1, 1) == (small.cluster.brokers, small.cluster.controllers)
    assert whole.claim == small.claim


def test_a_smoke_block_changes_nothing_of_what_is_claimed():
    with pytest.raises(Problem, match="unknown key 'expect'"):
        in_small(scenario(smoke={"expect": {}}))
