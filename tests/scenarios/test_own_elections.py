"""S48 and S49: what an active controller elects by itself, and what it must not.

Each bug is planted before a cluster starts: a controller reads its settings when it becomes active.
"""

from dataclasses import replace

import pytest

from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.partitions import periodic
from kraftsim.controller.core.rpc import ElectLeadersRequest
from kraftsim.controller.core.rpc.partitions import PREFERRED_ELECTION
from kraftsim.controller.node.periodic_tasks import PeriodicTasks
from tests.scenarios.lives import SESSION_S, a_lost_leader, active_id
from tests.scenarios.watched import CLIENT, topic
from tests.scenarios.watched_cluster import configure, reassign, watched
from tests.worlds import SECOND_US, ask, create_topic, partition, pass_time

pytestmark = pytest.mark.slow

SOON = {"leader_imbalance_check_interval_seconds": 5, "unclean_leader_election_interval_ms": 5_000}


def as_if(patch, **values):
    """The periodic tasks read other settings than the controller has."""
    begin = PeriodicTasks.__init__
    patch.setattr(
        PeriodicTasks,
        "__init__",
        lambda tasks, settings, now_ms: begin(tasks, replace(settings, **values), now_ms),
    )


def a_leader_restarts(world):
    create_topic(world, "led", (1, 2, 3))
    world.agents[1].kill()
    pass_time(world, SESSION_S + 3)
    assert partition(world, "led").leader == 2
    world.agents[1].start()
    pass_time(world, 10)


def the_only_replica_in_sync_dies(world):
    """The other one may lead only after an unclean election."""
    a_lost_leader(world)
    configure(world, "led", "unclean.leader.election.enable", "true")
    pass_time(world, 10)


def numbers_of(violations):
    return [violation.number for violation in violations]


@pytest.mark.rule("4.31")
def test_a_preferred_leader_comes_back_at_the_interval():
    world, watching = watched("S48", "S49", **SOON)
    a_leader_restarts(world)

    assert partition(world, "led").leader == 1
    assert watching.finish() == ()
    assert watching.properties["S49"].exercised


@pytest.mark.rule("4.31")
def test_a_controller_that_never_balances_is_caught(monkeypatch):
    as_if(monkeypatch, auto_leader_rebalance_enable=False)
    world, watching = watched("S48", "S49", **SOON)
    a_leader_restarts(world)

    assert ["S48"] == numbers_of(watching.finish())


@pytest.mark.rule("4.31")
def test_a_controller_that_balances_although_it_must_not_is_caught(monkeypatch):
    as_if(monkeypatch, auto_leader_rebalance_enable=True)
    world, watching = watched("S48", "S49", auto_leader_rebalance_enable=False, **SOON)
    a_leader_restarts(world)

    assert ["S49"] == numbers_of(watching.finish())


@pytest.mark.rule("4.31")
def test_a_controller_that_balances_too_seldom_is_caught(monkeypatch):
    as_if(monkeypatch, leader_imbalance_check_interval_seconds=600)
    world, watching = watched("S48", **SOON)
    a_leader_restarts(world)

    assert ["S48"] == numbers_of(watching.finish())


@pytest.mark.rule("4.31")
def test_a_preferred_leader_that_was_away_for_long_is_missed_once_it_is_back(monkeypatch):
    """The controller balances no more after the first time at which nothing could be done."""
    world, watching = watched("S48", **SOON)
    create_topic(world, "led", (1, 2, 3))
    world.agents[1].kill()
    pass_time(world, 4 * SESSION_S)
    monkeypatch.setattr(periodic, "_elections", lambda state, keys, election: ())
    world.agents[1].start()
    pass_time(world, 15)

    assert ["S48"] == numbers_of(watching.finish())


@pytest.mark.rule("4.24", "4.31")
def test_an_election_that_would_empty_an_elr_is_due_once_the_first_partition_has_fewer_replicas():
    """S48: the replicas of partition 0 decide the min ISR of the topic (swarm, seed 310)."""
    world, watching = watched("S48", **SOON)
    create_topic(world, "t", (1, 3), (2, 1))
    configure(world, "t", "min.insync.replicas", "2")
    world.agents[2].kill()
    assert world.run_until(lambda: partition(world, "t", 1).elr == (2,), limit_us=60 * SECOND_US)
    pass_time(world, 5.7)  # longer than the interval, and not yet overdue
    reassign(world, "t", (1,), index=0)
    pass_time(world, 15)

    assert partition(world, "t", 1).elr == ()
    assert watching.properties["S48"].exercised
    assert watching.finish() == ()


@pytest.mark.rule("4.32")
def test_an_administrator_may_ask_for_the_preferred_leader():
    world, watching = watched("S49", auto_leader_rebalance_enable=False)
    a_leader_restarts(world)
    assert partition(world, "led").leader == 2
    ask(world, ElectLeadersRequest(election_type=PREFERRED_ELECTION, topic_partitions=None))
    pass_time(world, 1)

    assert partition(world, "led").leader == 1
    assert watching.finish() == ()
    assert 1 == watching.properties["S49"].exercised


@pytest.mark.rule("4.30")
def test_an_unclean_leader_is_elected_at_the_interval():
    world, watching = watched("S48", brokers=2, **SOON)
    the_only_replica_in_sync_dies(world)

    assert partition(world, "led").leader == 2
    assert watching.finish() == ()


@pytest.mark.rule("4.30")
def test_a_controller_that_never_searches_for_unclean_leaders_is_caught(monkeypatch):
    monkeypatch.setattr(periodic, "unclean_leaders", lambda state: ())
    world, watching = watched("S48", brokers=2, auto_leader_rebalance_enable=False, **SOON)
    the_only_replica_in_sync_dies(world)

    assert partition(world, "led").leader == NO_LEADER
    assert ["S48"] == numbers_of(watching.finish())


@pytest.mark.rule("4.31")
def test_a_paused_controller_is_not_late():
    """When it is resumed, its tasks come before what was requested meanwhile (rule 0A.15)."""
    world, watching = watched("S48", controllers=1, leader_imbalance_check_interval_seconds=40)
    a_leader_restarts(world)
    controller = active_id(world)
    world.pause_controller(controller)
    world.send_request(CLIENT, topic("late"), lambda reply: None, controller)
    pass_time(world, 60)
    world.resume_controller(controller)
    pass_time(world, 60)

    assert partition(world, "led").leader == 1
    assert watching.finish() == ()
