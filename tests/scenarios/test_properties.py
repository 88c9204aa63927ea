"""Every property can fail: each is broken once by a planted bug, and says so with its own number.
And none of them says anything of a cluster without bugs, whatever befalls it."""

import random

import pytest

from kraftsim.controller.core.errors import ApiError, Impossible
from kraftsim.controller.core.rpc import (
    AlterPartitionData,
    AlterPartitionRequest,
    AlterPartitionTopic,
    BrokerRegistrationRequest,
    ElectLeadersRequest,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.partitions import UNCLEAN_ELECTION
from kraftsim.scenarios.properties import ALL, ALWAYS
from kraftsim.simulation.network_rules import Delay, Duplicate
from tests.scenarios import planted, planted_losses, planted_rules
from tests.scenarios.lives import (
    PLANTED,
    SESSION_S,
    STARTING,
    a_kill,
    a_long_shutdown,
    a_lost_leader,
    a_second_leader,
    a_stale_replica_alone,
    active_id,
    follower_id,
    register,
)
from tests.scenarios.watched import BY_NUMBER, describe, settled_world, troubled, watched_world
from tests.scenarios.watched_cluster import reassign, set_min_isr
from tests.worlds import SECOND_US, ask, create_topic, node, partition, pass_time

pytestmark = pytest.mark.slow


def test_every_property_is_broken_by_a_bug_in_here():
    assert list(PLANTED) == [property_.number for property_ in ALL]


@pytest.mark.parametrize("number", PLANTED)
def test_a_planted_bug_is_caught_by_its_property(number, monkeypatch):
    bug, life = PLANTED[number]
    prepare = watched_world if number in STARTING else settled_world
    if number in STARTING and bug is not None:
        bug(monkeypatch)
    world, watching = prepare(classes=(BY_NUMBER[number],))
    if number == "S28":
        life(world)
    assert watching.violations == {}
    if number not in STARTING and bug is not None:
        bug(monkeypatch)

    try:
        life(world)
    except (AssertionError, Impossible):
        assert watching.violations  # the core has noticed as well, and later
    watching.finish()

    assert watching.violations[number].name == BY_NUMBER[number].name
    assert watching.properties[number].exercised


@pytest.mark.parametrize(
    "number", [property_.number for property_ in ALWAYS if PLANTED[property_.number][0] is not None]
)
def test_without_the_bug_the_same_life_is_right(number):
    world, watching = settled_world(classes=(BY_NUMBER[number],))
    PLANTED[number][1](world)

    assert watching.finish() == ()
    assert watching.properties[number].exercised or number in ("L1", "S7")


@pytest.mark.parametrize("seed", range(4))
def test_no_property_that_always_holds_falls_in_troubled_lives(seed):
    world, watching = watched_world(4, classes=ALWAYS, seed=seed)
    troubled(world, seed)

    assert watching.finish() == ()


def test_of_two_copies_of_a_registration_one_may_be_refused_and_the_other_not():
    """S14, and 1.12: the first copy comes while the last incarnation is still heard of, the second
    when it no longer is, and then the answer to the first."""
    world, watching = settled_world(classes=(BY_NUMBER["S14"],))
    world.network.add(Delay(answers_registration, lag=lambda: A_SESSION_LATER_US + SECOND_US))

    register_twice(world)

    assert 1 == watching.properties["S14"].exercised
    assert watching.finish() == ()


def test_a_refusal_that_arrives_twice_is_one_refusal():
    """S14: it comes before the second copy of the request is accepted, and afterwards."""
    world, watching = settled_world(classes=(BY_NUMBER["S14"],))
    lag = {"lag": lambda: A_SESSION_LATER_US + SECOND_US}
    world.network.add(Duplicate(refuses_registration, probability=1, draw=random.Random(0), **lag))
    world.network.add(Delay(accepts_registration, lag=lambda: 2 * SECOND_US))

    register_twice(world)

    assert 2 == watching.properties["S14"].exercised
    assert watching.finish() == ()


@pytest.mark.rule("1.32")
def test_a_registration_in_a_shutdown_forgets_where_the_shutdown_began():
    """S24: the same incarnation registers again, as a request that arrives twice does."""
    world, watching = settled_world(classes=(BY_NUMBER["S24"],))
    a_long_shutdown(world)
    assert watching.properties["S24"].exercised
    register(world, 1)
    pass_time(world, 3)

    assert watching.finish() == ()


@pytest.mark.rule("2.28")
@pytest.mark.parametrize("too_far", [-1, 1])
def test_the_offset_of_a_shutdown_is_that_of_its_last_record(too_far, monkeypatch):
    """S24: a broker waits for the others to read as far as this."""
    planted.begins_shutdowns_elsewhere(monkeypatch, too_far)
    world, watching = settled_world(classes=(BY_NUMBER["S24"],))
    a_long_shutdown(world)

    assert "shutdown offset" in watching.violations["S24"].what


@pytest.mark.parametrize("sets", planted_rules.STALE_SETS)
def test_each_set_of_the_index_is_compared_with_the_log(sets, monkeypatch):
    """S47: a partition is reassigned to a broker that is dead; then its leader dies."""
    world, watching = settled_world(4, classes=(BY_NUMBER["S47"],))
    create_topic(world, "orders", (1, 2), (1, 2))
    set_min_isr(world, "orders", "2")
    planted_rules.STALE_SETS[sets](monkeypatch)

    world.agents[4].kill()
    reassign(world, "orders", (2, 3, 4))
    a_kill(world)

    assert [broken.number for broken in watching.finish()] == ["S47"]


def test_a_proposal_of_another_than_the_leader_makes_nobody_eligible(monkeypatch):
    """S33: a client from outside names the partition's epochs and a stale replica."""
    world, watching = settled_world(classes=(BY_NUMBER["S33"],))
    create_topic(world, "led", (1, 2))
    world.agents[2].pause()
    pass_time(world, SESSION_S + 3)
    world.agents[1].kill()
    pass_time(world, SESSION_S + 3)

    led = partition(world, "led")
    data = AlterPartitionData(
        partition_index=0,
        leader_epoch=led.leader_epoch,
        partition_epoch=led.partition_epoch,
        new_isr=(2,),
    )
    topic_id = world.active.node.committed.topic_ids["led"]
    topic = AlterPartitionTopic(topic_id=topic_id, partitions=(data,))
    ask(world, AlterPartitionRequest(broker_id=2, broker_epoch=0, topics=(topic,)))
    planted_losses.any_replica_is_eligible(monkeypatch)
    world.agents[2].resume()
    pass_time(world, 5)

    assert "S33" in watching.violations


@pytest.mark.rule("3.5")
def test_an_unregistered_broker_may_stay_in_an_elr():
    """S26: it was fenced, and the only eligible leader."""
    world, watching = settled_world(classes=(BY_NUMBER["S26"],))
    create_topic(world, "orders", (1,))
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    ask(world, UnregisterBrokerRequest(broker_id=1))

    left = partition(world, "orders")
    assert (left.isr, left.elr) == ((), (1,))
    assert 1 == watching.properties["S26"].exercised
    assert watching.finish() == ()


def test_times_of_a_quorum_may_be_of_before_the_wall_clock_was_set_back():
    """S29: followers have fetched before, and the leader shows when."""
    world, watching = settled_world(classes=(BY_NUMBER["S29"],))
    for by_ms in (3_600_000, -3_600_000):
        world.clocks[node(active_id(world))].step_wall(by_ms)
        describe(world, active_id(world))
        pass_time(world, 5)

    assert watching.properties["S29"].exercised
    assert watching.finish() == ()


def test_times_of_a_quorum_may_be_of_a_moment_at_which_the_wall_clock_was_ahead():
    """S29: within such a moment a leader may do no more than reply to fetches."""
    world, watching = settled_world(controllers=1, classes=(BY_NUMBER["S29"],))
    for _ in range(10):
        world.clocks[node(active_id(world))].step_wall(3_600_000)
        pass_time(world, 0.05)
        world.clocks[node(active_id(world))].step_wall(-3_600_000)
        describe(world, active_id(world))
        pass_time(world, 2)

    assert watching.finish() == ()


def test_a_vote_that_a_killed_process_had_not_written_is_none():
    """S2 and S3: no message has left while the disk stalled."""
    world, watching = settled_world(classes=(BY_NUMBER["S2"], BY_NUMBER["S3"]))
    voter_id, leader_id = follower_id(world), active_id(world)
    world.controllers[voter_id].disk.stall()
    world.kill_controller(leader_id)
    pass_time(world, 6)
    unwritten = world.controllers[voter_id].node.quorum.epoch
    world.kill_controller(voter_id)
    world.controllers[voter_id].disk.go_on()
    world.start_controller(voter_id)

    assert world.controllers[voter_id].node.quorum.epoch < unwritten
    assert watching.finish() == ()


def elect_uncleanly_everywhere(world):
    return ask(world, ElectLeadersRequest(election_type=UNCLEAN_ELECTION, topic_partitions=None))


def test_a_request_excuses_the_unclean_elections_that_it_causes():
    """S33: a request without topics concerns all partitions."""
    world, watching = settled_world(brokers=2, classes=(BY_NUMBER["S33"],))
    a_lost_leader(world)
    elect_uncleanly_everywhere(world)
    pass_time(world, 1)

    assert partition(world, "led").leader == 2
    assert watching.finish() == ()


def test_a_request_excuses_no_election_after_it(monkeypatch):
    """S33: an election that no request caused needs a configuration."""
    planted_losses.every_unclean_election_is_allowed(monkeypatch)
    world, watching = settled_world(brokers=2, classes=(BY_NUMBER["S33"],))
    elect_uncleanly_everywhere(world)
    a_stale_replica_alone(world)

    assert ["S33"] == [violation.number for violation in watching.finish()]


A_SESSION_LATER_US = (SESSION_S + 2) * SECOND_US


def register_twice(world):
    """Another incarnation of a broker that has just died; one copy is late, and is accepted."""
    world.agents[1].kill()
    lag = {"lag": lambda: A_SESSION_LATER_US}
    world.network.add(Duplicate(asks_registration, probability=1, draw=random.Random(0), **lag))
    register(world, 1, incarnation_id=b"n" * 16)
    pass_time(world, 3 * SESSION_S)
    assert world.committed.brokers[1].incarnation_id == b"n" * 16


def asks_registration(message):
    return isinstance(message.request, BrokerRegistrationRequest) and not message.is_reply


def answers_registration(message):
    return isinstance(message.request, BrokerRegistrationRequest) and message.is_reply


def refuses_registration(message):
    return answers_registration(message) and isinstance(message.reply, ApiError)


def accepts_registration(message):
    return answers_registration(message) and not isinstance(message.reply, ApiError)


def test_zombies_are_measured_from_the_fence_to_the_word_that_it_fell():
    world, watching = settled_world(classes=(BY_NUMBER["S23"],))
    world.agents[1].pause()
    pass_time(world, 20)
    world.agents[1].resume()
    pass_time(world, 5)

    assert 8.0 < watching.properties["S23"].zombie_us / 1e6 < 15.0


def test_whoever_watches_changes_nothing():
    told = []
    for classes in ((), ALL):
        world, _ = watched_world(classes=classes, seed=3)
        troubled(world, 3, steps=20)
        told.append(world.journal.since(0))

    assert told[0] == told[1]


def test_a_step_is_told_only_to_those_that_listen():
    world, watching = watched_world(classes=(BY_NUMBER["S10"],))

    assert watching.on_step not in world.step_listeners
    assert [] == world.network.arrived
    assert len(world.committed_listeners) == 1
    assert watching.properties["S10"].exercised == 0


def test_a_violation_says_when_and_where_in_the_journal():
    world, watching = settled_world(classes=(BY_NUMBER["S1"], BY_NUMBER["S6"]))
    a_second_leader(world)
    first = watching.violations["S1"]
    a_second_leader(world)

    assert first.t_us == world.timeline.now_us
    assert first.seq == world.journal.last_seq
    assert watching.violations == {"S1": first}
