"""S43: what voters and observers ask of their leader, and how long they wait."""

from dataclasses import replace

import pytest

from kraftsim.controller.raft import epochs, following, messages, snapshots
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.properties.quorum.asking import VotersAskByTheRules
from kraftsim.scenarios.running.run import run
from tests.scenarios.lives import active_id, follower_id
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import settled_world
from tests.worlds import create_topic, pass_time

pytestmark = pytest.mark.slow

SNAPSHOT_BYTES = 2_000
FETCH_MS = 2_000


# Lives in which voters ask


def a_voter_moves(world):
    begin(world, "proc.move", {"on": follower_id(world)})
    pass_time(world, 10)


def an_observer_joins_by_itself(world):
    begin(world, "quorum.remove", {"on": follower_id(world)})
    pass_time(world, 10)


def a_voter_loses_its_disk(world):
    begin(world, "proc.amnesia", {"on": follower_id(world), "for": "1s"})
    pass_time(world, 20)


def a_voter_misses_a_snapshot(world):
    voter = follower_id(world)
    world.kill_controller(voter)
    for number in range(40):
        create_topic(world, f"missed-{number}")
    world.start_controller(voter)
    pass_time(world, 10)


def a_leader_hands_over(world):
    world.controllers[active_id(world)].stop()
    pass_time(world, 10)


# Bugs


def skips_the_first_byte(patch):
    following_slice = snapshots.next_request

    def buggy(quorum):
        request = following_slice(quorum)
        if request is None:
            return None
        (topic,) = request.topics
        (asked,) = topic.partitions
        wrong = replace(topic, partitions=(replace(asked, position=asked.position + 1),))
        return replace(request, topics=(wrong,))

    patch.setattr(snapshots, "next_request", buggy)


def asks_with(builder, **fields):
    """Returns a bug: the requests of a builder have other fields."""

    def bug(patch):
        build = getattr(messages, builder)
        patch.setattr(messages, builder, lambda *state: replace(build(*state), **fields))

    return bug


def joins_at_once(patch):
    patch.setattr(Quorum, "postpone_voter_update", lambda quorum, until_ms: None)
    become = Quorum.become_follower

    def buggy(quorum, *arguments):
        become(quorum, *arguments)
        quorum.update_voter_ms = 0

    patch.setattr(Quorum, "become_follower", buggy)


def is_impatient(patch):
    patch.setattr(epochs, "_backoff_ms", lambda quorum, successors: 0)


def is_patient(patch):
    patch.setattr(epochs, "_backoff_ms", lambda quorum, successors: FETCH_MS)


def follows_for_half_as_long(patch):
    become = Quorum.become_follower

    def buggy(quorum, *arguments):
        become(quorum, *arguments)
        quorum.end_fetch_timeout_at(arguments[-1].now_ms + FETCH_MS // 2)

    patch.setattr(Quorum, "become_follower", buggy)


def starts_anew_in_half_the_time(patch):
    """A voter whose election failed waits for less than an election timeout."""
    drawn = Quorum.resigned_ms
    patch.setattr(
        Quorum, "resigned_ms", lambda quorum, turn: (drawn(quorum, turn) + turn.now_ms) // 2
    )


@pytest.fixture
def cluster():
    return settled_world(
        classes=(VotersAskByTheRules,),
        controller_quorum_auto_join_enable=True,
        metadata_log_max_record_bytes_between_snapshots=SNAPSHOT_BYTES,
    )


LIVES = (
    a_voter_moves,
    an_observer_joins_by_itself,
    a_voter_loses_its_disk,
    a_voter_misses_a_snapshot,
    a_leader_hands_over,
)


@pytest.mark.parametrize("life", LIVES)
def test_what_a_voter_asks_is_right(cluster, life):
    world, watching = cluster
    life(world)

    assert watching.violations == {}


def test_a_voter_may_learn_in_one_moment_who_led_and_that_it_resigned(cluster):
    """A hunt: a paused voter got the EndQuorumEpoch of a leader that it did not know yet."""
    world, watching = cluster
    voter, leader = follower_id(world), active_id(world)
    (other,) = {*world.controllers} - {voter, leader}
    world.pause_controller(voter)
    for successor in (other, leader):
        begin(world, "quorum.transfer", {"to": successor})
        pass_time(world, 2)
    world.resume_controller(voter)
    pass_time(world, 5)

    assert watching.violations == {}


def test_a_resignation_at_a_former_address_changes_no_wait(cluster):
    """A hunt: the leader's EndQuorumEpoch was sent to an address at which no voter listens."""
    world, watching = cluster
    begin(world, "proc.move", {"on": follower_id(world)})
    world.controllers[active_id(world)].stop()
    pass_time(world, 5)

    assert watching.violations == {}


def test_a_prospective_voter_may_begin_a_new_timeout_unseen():
    """A hunt: in a slow network, the step of the last refused vote had no other effect."""
    steps = [
        {"at": "1ms", "net.delay": {"low": "24ms", "high": "1980ms"}},
        {"at": "10s", "proc.stop": {"on": 3000, "for": "500ms"}},
    ]
    settings = {"controller.quorum.fetch.timeout.ms": 1500}
    scenario = of_five_voters(steps, time={"run": "13s", "calm": "1s"}, config=settings)

    assert [run(scenario, seed).violations for seed in (8, 15)] == [(), ()]


def test_a_voter_that_has_moved_may_learn_who_led_by_its_resignation():
    """A hunt: its leader resigned before the voter had got another request of the leader."""
    steps = [
        {"at": "1ms", "net.delay": {"on": [3001, 3004], "low": "7ms", "high": "197ms"}},
        {"at": "2500ms", "proc.move": {"on": 3001}},
        {"at": "9500ms", "quorum.transfer": {"to": 3004}},
        {"at": "9900ms", "quorum.transfer": {"to": 3001}},
    ]
    scenario = of_five_voters(steps, time={"run": "11s", "calm": "1s"})

    assert [run(scenario, seed).violations for seed in (17, 23)] == [(), ()]


def test_the_last_reply_of_a_leader_may_come_in_the_moment_of_its_resignation():
    """A hunt: both were held back on one link, so that the reply was read just afterwards."""
    steps = [
        {
            "at": "1ms",
            "net.delay": {"on": list(range(3000, 3005)), "low": "6ms", "high": "568ms"},
        },
        {"at": "252ms", "net.swizzle": {"of": "controllers", "for": "2646ms"}},
        {"at": "586ms", "proc.move": {"on": 3004}},
    ]
    scenario = of_five_voters(steps, time={"run": "3s", "calm": "1s"})

    assert run(scenario, 64_000_916).violations == ()


@pytest.fixture
def static_cluster():
    return settled_world(classes=(VotersAskByTheRules,), kraft_version=0)


@pytest.mark.rule("10.53")
def test_a_static_voter_tells_each_leader_once(static_cluster):
    world, watching = static_cluster
    pass_time(world, 20)
    a_leader_hands_over(world)

    assert watching.violations == {}


@pytest.mark.rule("10.53")
def test_a_static_voter_that_tells_a_leader_again_is_found(static_cluster, monkeypatch):
    world, watching = static_cluster
    monkeypatch.setattr(following, "NEVER_MS", 10_000)
    pass_time(world, 20)

    assert "another UpdateRaftVoter" in watching.violations["S43"].what


def test_a_leader_may_know_a_static_voter_that_did_not_hear_it():
    """A hunt: the reply to an UpdateRaftVoter came while the voter followed anew."""
    delay = {"on": list(range(3000, 3005)), "low": "31ms", "high": "1500ms"}
    scenario = of_five_voters(
        [{"at": "1ms", "net.delay": delay}],
        time={"run": "60s", "calm": "1s"},
        cluster={"controllers": 5, "brokers": 1, "kraft_version": 0},
    )

    assert [run(scenario, seed).violations for seed in (3, 8, 10)] == [(), (), ()]


@pytest.mark.rule("10.53")
def test_a_leader_may_accept_only_a_copy_of_what_a_static_voter_sent():
    """The voter reads the first reply, an error, and asks again."""
    steps = [
        {"at": "1ms", "net.duplicate": {"on": "controllers", "p": 1.0, "lag": "1s"}},
        {
            "at": "1ms",
            "rpc.error": {"api": "UpdateRaftVoter", "code": "REQUEST_TIMED_OUT", "every": 2},
        },
        {"at": "2s", "quorum.transfer": {"to": 3001}},
    ]
    scenario = of_five_voters(
        steps,
        time={"warmup": "0s", "run": "40s", "calm": "1s"},
        cluster={"controllers": 3, "brokers": 1, "kraft_version": 0},
    )

    assert run(scenario, 3).violations == ()


def of_five_voters(steps, **words):
    """Returns a scenario whose voters may not ask or wait wrongly."""
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "voters-that-wait",
            "claim": "Voters wait as they must.",
            "cluster": {"controllers": 5, "brokers": 1},
            "do": steps,
            "expect": {"always": ["voters-ask-by-the-rules"]},
            **words,
        }
    )


@pytest.mark.parametrize(
    ("bug", "life", "told"),
    [
        (skips_the_first_byte, a_voter_misses_a_snapshot, "sends"),
        (asks_with("update_request", cluster_id=None), a_voter_moves, "sends"),
        (asks_with("update_request", listeners=()), a_voter_moves, "sends"),
        (asks_with("add_request", ack_when_committed=True), an_observer_joins_by_itself, "sends"),
        (asks_with("add_request", voter_id=77), an_observer_joins_by_itself, "sends"),
        (asks_with("remove_request", voter_id=77), a_voter_loses_its_disk, "sends"),
        (joins_at_once, an_observer_joins_by_itself, "sends AddRaftVoter "),
        (is_impatient, a_leader_hands_over, "resigned, and the controller waits"),
        (is_patient, a_leader_hands_over, "resigned, and the controller waits"),
        (follows_for_half_as_long, a_leader_hands_over, "became Follower"),
        (starts_anew_in_half_the_time, a_leader_hands_over, "became"),
    ],
)
def test_a_wrong_question_or_deadline_is_found(cluster, bug, life, told, monkeypatch):
    world, watching = cluster
    bug(monkeypatch)
    life(world)

    assert told in watching.violations["S43"].what
