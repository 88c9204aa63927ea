"""What properties accept of brokers: rare lives that break no rule of Kafka."""

import random
from dataclasses import replace

import pytest

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    BrokerHeartbeatRequest,
    DeleteTopicsRequest,
    FetchRequest,
    ReassignablePartition,
    ReassignableTopic,
    UnregisterBrokerRequest,
)
from kraftsim.simulation.network_rules import Delay, Duplicate
from tests.scenarios.lives import SESSION_S, active_id, follower_id, heartbeat
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import ask as begin_to_ask
from tests.scenarios.watched_cluster import elected_before_it_is_active, watched
from tests.worlds import SECOND_US, ask, create_topic, node, partition, pass_time

pytestmark = pytest.mark.slow


def test_a_broker_that_was_registered_and_removed_does_not_try_to_register():
    """L12: before it had read its registration; it sends heartbeats for ever (rule 1.49)."""
    world, watching = watched("L12")
    broker = world.agents[1]
    broker.kill()
    pass_time(world, 2 * SESSION_S)
    broker.start()
    assert world.run_until(lambda: broker.agent.broker_epoch >= 0, limit_us=10 * SECOND_US)
    world.network.add(Delay(fetches_metadata, lag=lambda: 60 * SECOND_US))
    ask(world, UnregisterBrokerRequest(broker_id=1))
    broker.pause()
    pass_time(world, 1)
    broker.resume()
    pass_time(world, 4 * SESSION_S)

    assert broker.state is ProcessState.STARTING
    assert watching.finish() == ()


def fetches_metadata(message):
    return isinstance(message.request, FetchRequest) and message.sender == node(1)


def test_a_copy_that_a_fault_refuses_is_not_the_one_that_had_an_effect():
    """S14: the first copy is accepted, the second never reaches the controller."""
    world, watching = watched("S14", controllers=1)
    lag = {"lag": lambda: SECOND_US // 2}
    world.network.add(Duplicate(asks_heartbeat, probability=1, draw=random.Random(0), **lag))
    words = {"api": "BrokerHeartbeat", "broker": 1, "after": 1, "count": 1}
    begin(world, "rpc.error", words | {"code": "STALE_BROKER_EPOCH"})
    pass_time(world, 5)

    assert watching.properties["S14"].exercised == 1
    assert watching.finish() == ()


def asks_heartbeat(message):
    is_heartbeat = isinstance(message.request, BrokerHeartbeatRequest)
    return is_heartbeat and message.sender == node(1) and not message.is_reply


def test_a_reply_counts_for_nobody_once_a_copy_of_its_request_was_refused():
    """S44: a copy arrives when the controller runs again, after the broker has given up."""
    world, watching = watched("S44", controllers=1)
    lag = {"lag": lambda: SECOND_US // 25}
    world.network.add(Duplicate(asks_heartbeat, probability=1, draw=random.Random(0), **lag))
    leader = active_id(world)
    world.kill_controller(leader)
    pass_time(world, 2.97)  # until a heartbeat is refused, and its copy is on the way
    world.start_controller(leader)
    pass_time(world, 5)

    assert watching.properties["S44"].exercised
    assert watching.finish() == ()


def test_a_reply_is_about_the_topic_that_had_the_name_when_it_was_decided():
    """S16: the topic is deleted, and another created, before the reply has left."""
    world, watching = watched("S16")
    create_topic(world, "t", (1,), (1,))
    to = (ReassignablePartition(partition_index=1, replicas=(2, 3)),)
    topics = (ReassignableTopic(name="t", partitions=to),)
    begin_to_ask(world, AlterPartitionReassignmentsRequest(topics=topics))
    begin_to_ask(world, DeleteTopicsRequest(topic_names=("t",)))
    create_topic(world, "t", (1,), (1,))

    assert partition(world, "t", 1).adding_replicas == ()
    assert watching.properties["S16"].exercised
    assert watching.finish() == ()


def test_heartbeats_that_reach_a_paused_controller_count_once_it_is_active():
    """S21: resumed, it reads the fetch that commits its first entry, and then the heartbeat."""
    world, watching = watched("S21")
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    world.kill_controller(active_id(world))
    leader = elected_before_it_is_active(world)
    world.pause_controller(leader.config.node_id)
    pass_time(world, 0.2)
    world.send_request(
        node(1), the_heartbeat_of_a_fenced_broker(world), print, leader.config.node_id
    )
    pass_time(world, 0.2)
    world.resume_controller(leader.config.node_id)

    assert world.run_until(lambda: world.are_unfenced((1,)), limit_us=SECOND_US)
    assert watching.properties["S21"].exercised
    assert watching.finish() == ()


def the_heartbeat_of_a_fenced_broker(world):
    return BrokerHeartbeatRequest(
        broker_id=1,
        broker_epoch=world.committed.brokers[1].broker_epoch,
        current_metadata_offset=world.committed.offset,
        want_fence=False,
        want_shut_down=False,
    )


@pytest.mark.rule("2.13")
def test_a_late_heartbeat_ends_a_controlled_shutdown_that_began_after_it_was_sent():
    """S18: it asks for no shutdown, and the flags of heartbeats are ignored by then."""
    world, watching = watched("S18", brokers=2)
    create_topic(world, "led", (1, 2))
    pass_time(world, 1)
    epoch = world.agents[1].agent.broker_epoch
    world.agents[2].pause()
    world.agents[1].stop()
    pass_time(world, 1)
    assert world.committed.brokers[1].in_controlled_shutdown
    world.agents[1].kill()
    world.agents[2].resume()
    pass_time(world, 3)
    assert not world.committed.brokers[1].fenced
    heartbeat(world, 1, epoch)
    pass_time(world, 1)

    assert world.committed.brokers[1].fenced
    assert watching.finish() == ()


@pytest.mark.rule("1.38")
def test_a_broker_that_died_before_it_was_told_to_shut_down_starts_without_its_epoch():
    """S44: the reply came while the next process started (hunt 7)."""
    world, watching = watched("S44", brokers=2)

    def grants_the_shutdown(message):
        return message.is_reply and getattr(message.reply, "should_shut_down", False)

    world.network.add(Delay(grants_the_shutdown, lag=lambda: 120_000))
    pass_time(world, 3)
    world.agents[1].stop()
    assert world.run_until(lambda: world.committed.brokers[1].fenced, limit_us=30 * SECOND_US)
    pass_time(world, 0.1)
    begin(world, "proc.restart", {"on": 1})
    pass_time(world, 2 * SESSION_S)

    assert world.are_unfenced((1,))
    assert watching.finish() == ()


@pytest.mark.rule("1.38")
def test_a_broker_that_was_paused_while_it_started_may_end_cleanly():
    """S44: resumed, it enters STARTING again, and has registered (hunt 69)."""
    world, watching = watched("S44", brokers=2)
    former = world.agents[1].agent.broker_epoch
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    world.agents[1].start()
    agent = world.agents[1].agent
    assert world.run_until(lambda: agent.broker_epoch > former, limit_us=9 * SECOND_US)
    assert world.agents[1].state is ProcessState.STARTING
    world.agents[1].pause()
    pass_time(world, 0.2)
    world.agents[1].resume()
    pass_time(world, 3)
    world.agents[1].stop()
    pass_time(world, 5)
    world.agents[1].start()
    pass_time(world, 5)

    assert world.are_unfenced((1,))
    assert watching.finish() == ()


@pytest.mark.rule("10.33", "10.38")
def test_a_controller_that_left_the_voters_in_a_later_epoch_keeps_brokers_away():
    """L3, L8: who fetches from it learns that epoch, and the leader refuses it, also in Kafka."""
    world, watching = watched("L3", "L8", "L12")
    stray = world.controllers[follower_id(world)]
    begin(world, "quorum.remove", {"on": stray.node.config.node_id})
    pass_time(world, 5)
    world.kill_controller(stray.node.config.node_id)
    stored = stray.disk.stored
    stored.election = replace(stored.election, epoch=9, leader_id=-1, voted=None)
    world.start_controller(stray.node.config.node_id)
    world.agents[1].kill()
    world.agents[1].start()
    pass_time(world, 40)

    assert world.agents[1].state is ProcessState.STARTING
    assert watching.finish() == ()
