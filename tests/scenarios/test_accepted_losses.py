"""Lost records that are none, or Kafka's own loss: properties of losses accept them."""

import pytest

from kraftsim.controller.core import feature_levels
from kraftsim.controller.core.log.records import RECOVERED
from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.rpc import (
    DecommissionBrokerRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    FeatureUpdate,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)
from kraftsim.simulation.processes import Processes
from tests.scenarios.lives import SESSION_S, active_id
from tests.scenarios.watched import ask as begin_to_ask
from tests.scenarios.watched import topic
from tests.scenarios.watched_cluster import configure, reassign, set_min_isr, watched
from tests.worlds import SECOND_US, ask, create_topic, node, partition, pass_time

pytestmark = pytest.mark.slow


def test_a_replica_joins_an_isr_from_the_state_after_its_elr_was_emptied():
    """S32: a ClearElrRecord changes the partition epoch that the leader's proposal names."""
    world, watching = watched("S32", brokers=2)
    create_topic(world, "t", (1, 2))
    set_min_isr(world, "t", "2")
    world.agents[2].kill()
    pass_time(world, 2 * SESSION_S)
    assert partition(world, "t").elr == (2,)
    set_min_isr(world, "t", "1")
    assert partition(world, "t").elr == ()
    world.agents[2].start()
    pass_time(world, 5)

    assert partition(world, "t").isr == (1, 2)
    assert watching.finish() == ()


@pytest.mark.rule("3.12")
def test_a_declared_election_loses_records_even_if_its_leader_never_serves():
    """S32: a forced decommission elects a paused broker, which is fenced and stays in the ELR."""
    world, watching = watched("S32")
    create_topic(world, "t", (2, 3))
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    world.agents[1].pause()
    ask(world, DecommissionBrokerRequest(broker_id=2, force=True))
    assert partition(world, "t").leader == 1
    pass_time(world, 2 * SESSION_S)
    assert (partition(world, "t").leader, partition(world, "t").elr) == (-1, (1,))
    ask(world, DecommissionBrokerRequest(broker_id=3, force=True))

    assert partition(world, "t").replicas == (1,)
    assert watching.finish() == ()


@pytest.mark.rule("4.25")
def test_a_replica_that_returns_to_an_elr_leads_without_a_log_in_kafka_too():
    """S31 and S32: released 4.3.1 does the same (a-removed-replica-stays-in-the-elr.json)."""
    world, watching = watched("S31", "S32")
    create_topic(world, "t", (1, 2), (1, 2))
    set_min_isr(world, "t", "2")
    reassign(world, "t", (3,))
    pass_time(world, 5)
    moved = partition(world, "t", 1)
    assert (moved.isr, moved.elr) == ((3,), (1, 2))
    world.agents[3].kill()
    reassign(world, "t", (3, 2))
    assert partition(world, "t", 1).adding_replicas == (2,)
    pass_time(world, 2 * SESSION_S)

    assert partition(world, "t", 1).leader == 2
    assert watching.finish() == ()


def test_a_member_of_the_isr_that_is_down_has_records_that_no_later_leader_has():
    """S31: it led, and died; nothing of its own that others lack was ever acknowledged."""
    world, watching = watched("S31", "S32", controllers=1)
    create_topic(world, "t", (1, 2), (3, 1))
    pass_time(world, 1)
    world.agents[3].kill()
    reassign(world, "t", (1, 2))
    named = ElectedTopicPartitions(topic="t", partitions=(1,))
    ask(world, ElectLeadersRequest(topic_partitions=(named,)))
    assert partition(world, "t", 1).leader == 1
    pass_time(world, 2)

    assert partition(world, "t", 1).isr == (1, 2)
    assert watching.finish() == ()


@pytest.mark.rule("1.37", "4.12")
def test_a_replica_that_was_registered_without_elr_is_trusted_also_once_there_is_one():
    """S31: it restarted after an unclean shutdown, and stayed the only member of its ISR."""
    world, watching = registered_without_elr("S31")
    enable_elr(world)
    pass_time(world, 5)

    assert world.committed.features["eligible.leader.replicas.version"] == 1
    assert partition(world, "t").leader == 2
    assert watching.finish() == ()


@pytest.mark.rule("1.37", "3.5")
def test_a_trusted_replica_that_is_unregistered_enters_the_elr_without_its_log():
    """S32: ELR was enabled after its unclean restart (hunt 68)."""
    world, watching = registered_without_elr("S31", "S32")
    world.agents[2].pause()
    enable_elr(world)
    ask(world, UnregisterBrokerRequest(broker_id=2))
    pass_time(world, 1)

    assert (partition(world, "t").isr, partition(world, "t").elr) == ((), (2,))
    assert watching.finish() == ()


@pytest.mark.rule("1.37", "4.8")
def test_a_trusted_replica_leads_from_the_elr_without_its_log():
    """S31 and S32: ELR was disabled beside a partition that has one (swarm-of-messages, 37)."""
    world, watching = watched("S31", "S32", controllers=1)
    create_topic(world, "t", (2,))
    pass_time(world, 1)
    world.agents[2].kill()
    pass_time(world, 2 * SESSION_S)
    assert (partition(world, "t").isr, partition(world, "t").elr) == ((), (2,))
    off = FeatureUpdate(
        feature="eligible.leader.replicas.version", max_version_level=0, upgrade_type=2
    )
    ask(world, UpdateFeaturesRequest(feature_updates=(off,)))
    world.agents[2].start()
    pass_time(world, 5)

    assert (partition(world, "t").leader, partition(world, "t").isr) == (2, (2,))
    assert watching.finish() == ()


def registered_without_elr(*numbers):
    """Returns a world in which the only member of an ISR has restarted after it lost its log."""
    level = feature_levels.level_of("3.9-IV0")
    world, watching = watched(*numbers, controllers=1, metadata_version=level)
    create_topic(world, "t", (2,))
    pass_time(world, 1)
    world.agents[2].kill()
    pass_time(world, 2 * SESSION_S)
    world.agents[2].start()
    assert world.run_until(lambda: world.agents[2].agent.broker_epoch > 0, limit_us=9 * SECOND_US)
    return world, watching


def enable_elr(world):
    newest = feature_levels.level_of("4.3-IV0")
    names = {"metadata.version": newest, "eligible.leader.replicas.version": 1}
    levels = [FeatureUpdate(feature=name, max_version_level=to) for name, to in names.items()]
    ask(world, UpdateFeaturesRequest(feature_updates=tuple(levels)))


def test_a_cancelled_reassignment_makes_a_replica_without_a_log_the_isr():
    """S31 and S32: nobody was in sync, and the topic allows unclean elections."""
    world, watching = watched("S31", "S32", controllers=1, brokers=2)
    create_topic(world, "t", (1,), (2,))
    pass_time(world, 1)
    world.agents[2].kill()
    reassign(world, "t", (1,))
    Processes(world).wipe(node(2))
    world.agents[2].start()
    pass_time(world, 2 * SESSION_S)
    assert partition(world, "t", 1).isr == ()
    configure(world, "t", "unclean.leader.election.enable", "true")
    reassign(world, "t", None)
    pass_time(world, 5)

    after = partition(world, "t", 1)
    assert (after.replicas, after.isr) == ((2,), (2,))
    assert watching.finish() == ()


def test_nor_does_it_count_that_an_added_replica_was_in_sync():
    """S32: the only member of the ISR goes with the reassignment that added it."""
    world, watching = watched("S32", controllers=1)
    create_topic(world, "t", (1,), (1,))
    configure(world, "t", "unclean.leader.election.enable", "true")
    for broker_id in (1, 3):
        world.agents[broker_id].kill()
    pass_time(world, 2 * SESSION_S)
    reassign(world, "t", (1, 2, 3))
    named = (ElectedTopicPartitions(topic="t", partitions=(1,)),)
    ask(world, ElectLeadersRequest(election_type=1, topic_partitions=named))
    pass_time(world, 5)
    before = partition(world, "t", 1)
    assert (before.isr, before.adding_replicas) == ((2,), (2, 3))
    reassign(world, "t", None)
    pass_time(world, 5)

    assert partition(world, "t", 1).isr == (1,)
    assert watching.finish() == ()


@pytest.mark.rule("1.34", "1.35", "2.41")
def test_a_broker_of_kafka_3_9_that_registers_before_it_is_fenced_leads_on_without_its_log():
    """S25 and S31: no lease is checked before a first heartbeat after a failover (KAFKA-18106)."""
    world, watching = watched("S25", "S31", brokers=1, controllers=1, profile=PROFILES["kafka-3.9"])
    create_topic(world, "t", (1,))
    pass_time(world, 1)
    world.agents[1].kill()
    world.kill_controller(active_id(world))
    world.start_controller(min(world.controllers))
    pass_time(world, 2 * SESSION_S)
    world.agents[1].start()
    assert world.run_until(lambda: world.agents[1].agent.broker_epoch > 0, limit_us=9 * SECOND_US)

    assert world.committed.brokers[1].fenced
    assert partition(world, "t").leader == 1
    pass_time(world, 5)
    assert not world.committed.brokers[1].fenced
    assert watching.finish() == ()


def test_a_voter_that_loses_its_disk_counts_with_what_it_had_before():
    """S6, hunt 7: the leader commits what it acknowledged; another voter comes back."""
    world, watching = watched("S6", controllers=5, brokers=1)
    leader = active_id(world)
    lost, other, *silent = (node_id for node_id in world.controllers if node_id != leader)
    for node_id in (other, *silent):
        world.pause_controller(node_id)
    begin_to_ask(world, topic("t", replicas=1))
    pass_time(world, 0.2)
    end_offset = world.controllers[leader].node.log.end_offset
    assert world.controllers[lost].node.quorum.persisted_offset == end_offset
    Processes(world).wipe(node(lost))
    world.start_controller(lost)
    world.resume_controller(other)
    pass_time(world, 0.2)

    assert world.controllers[leader].node.high_watermark >= end_offset
    assert watching.finish() == ()


def test_a_cancelled_reassignment_elects_a_former_replica_that_nobody_declares():
    """S33: an added replica was the whole ISR, and unclean elections are enabled (a hunt)."""
    world, watching = watched("S31", "S32", "S33", controllers=1, brokers=4)
    create_topic(world, "t", (1, 2), (1, 2))
    configure(world, "t", "unclean.leader.election.enable", "true")
    for broker_id in (2, 4):
        world.agents[broker_id].kill()
    pass_time(world, 2 * SESSION_S)
    reassign(world, "t", (3, 4))
    pass_time(world, 5)
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    before = partition(world, "t", 1)
    assert (before.leader, before.isr, before.adding_replicas) == (3, (3,), (3, 4))
    world.agents[1].start()
    assert world.run_until(lambda: world.committed.is_active(1), limit_us=9 * SECOND_US)
    reassign(world, "t", None)
    pass_time(world, 5)

    after = partition(world, "t", 1)
    assert (after.leader, after.replicas, after.leader_recovery_state) == (1, (1, 2), RECOVERED)
    assert watching.finish() == ()
