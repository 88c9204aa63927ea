"""A whole cluster in virtual time: leases lapse, leaders move, ISRs heal, in no time at all."""

import subprocess
import sys

import pytest

from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.profile import KAFKA_3_9
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    DecommissionBrokerRequest,
    ReassignablePartition,
    ReassignableTopic,
    UnregisterBrokerRequest,
)
from tests.profiles import EACH_PROFILE
from tests.worlds import ask, create_topic, kinds, node, partition, pass_time, world_of

pytestmark = pytest.mark.slow


@pytest.mark.rule("2.47")
def test_a_lease_lapses_in_virtual_time_and_leaders_move() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (2, 1, 3))

    world.agents[2].kill()
    pass_time(world, 8.9)
    assert not world.committed.brokers[2].fenced
    pass_time(world, 1.3)

    assert world.committed.brokers[2].fenced
    assert partition(world, "orders").leader == 1
    assert partition(world, "orders").isr == (1, 3)


@pytest.mark.rule("2.34", "2.36")
def test_a_3_9_controller_fences_exactly_when_the_session_is_over() -> None:
    world = world_of(brokers=2, profile=KAFKA_3_9)
    last_ms = world.controller.node.leases.contact_ms(2)
    assert last_ms is not None

    world.agents[2].kill()
    world.timeline.run_until((last_ms + 9000) * 1000)
    assert not world.committed.brokers[2].fenced
    world.timeline.run_until((last_ms + 9001) * 1000)

    assert world.committed.brokers[2].fenced


@pytest.mark.rule("4.21", "4.34")
def test_a_restarted_broker_comes_back_and_its_leader_heals_the_isr() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (1, 2, 3))
    world.agents[2].kill()
    pass_time(world, 11)
    assert partition(world, "orders").isr == (1, 3)

    world.agents[2].start()
    pass_time(world, 3)

    assert not world.committed.brokers[2].fenced
    assert sorted(partition(world, "orders").isr) == [1, 2, 3]


@pytest.mark.rule("2.12", "2.15", "2.18", "2.23")
def test_a_stopped_broker_drains_and_leaves_no_leadership_behind() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (1, 2), (1, 3))

    world.agents[1].stop()
    pass_time(world, 5)

    assert world.agents[1].state == "NOT_RUNNING"
    assert world.committed.brokers[1].fenced
    assert [partition(world, "orders", number).leader for number in (0, 1)] == [2, 3]
    told = kinds(world, broker_id=1)
    assert told.index("PENDING_CONTROLLED_SHUTDOWN") < told.index("broker_in_controlled_shutdown")
    assert told[-3:] == ["broker_fenced", "SHUTTING_DOWN", "NOT_RUNNING"]


@pytest.mark.rule("1.12", "1.46")
def test_a_broker_restarted_at_once_waits_for_its_own_old_lease() -> None:
    world = world_of(brokers=2)
    old_epoch = world.committed.brokers[2].broker_epoch

    world.agents[2].kill()
    world.agents[2].start()
    pass_time(world, 6)
    assert world.committed.brokers[2].broker_epoch == old_epoch
    assert "DUPLICATE_BROKER_REGISTRATION" in str(world.agents[2].agent.last_error)
    pass_time(world, 6)

    assert world.committed.brokers[2].broker_epoch > old_epoch
    assert world.agents[2].state == "RUNNING"


@pytest.mark.rule("2.27")
def test_a_broker_paused_beyond_its_lease_is_unfenced_with_the_same_epoch() -> None:
    world = world_of(brokers=2)
    epoch = world.committed.brokers[2].broker_epoch

    world.agents[2].pause()
    pass_time(world, 11)
    assert world.committed.brokers[2].fenced
    world.agents[2].resume()
    pass_time(world, 1)

    assert not world.committed.brokers[2].fenced
    assert world.committed.brokers[2].broker_epoch == epoch


def test_a_mute_broker_is_fenced_and_a_deaf_one_is_not() -> None:
    world = world_of(brokers=3)

    world.network.mute.add(node(2))
    world.network.deaf.add(node(3))
    pass_time(world, 30)

    assert world.committed.brokers[2].fenced
    assert not world.committed.brokers[3].fenced  # its heartbeats arrive; it hears no answer


@pytest.mark.rule("5.45")
def test_a_deaf_broker_sees_the_past_and_catches_up_when_it_hears_again() -> None:
    world = world_of(brokers=3)
    world.network.deaf.add(node(3))
    create_topic(world, "orders", (1, 2))
    pass_time(world, 5)
    assert "orders" not in world.agents[3].agent.image.topic_ids
    assert "orders" in world.agents[1].agent.image.topic_ids

    world.network.deaf.remove(node(3))
    pass_time(world, 5)

    assert "orders" in world.agents[3].agent.image.topic_ids


@pytest.mark.rule("1.49", "3.9")
def test_an_unregistered_live_broker_goes_on_and_is_told_77_for_ever() -> None:
    world = world_of(brokers=2)
    ask(world, UnregisterBrokerRequest(broker_id=2))

    pass_time(world, 30)

    assert 2 not in world.committed.brokers
    assert world.agents[2].state == "RUNNING"
    assert "STALE_BROKER_EPOCH" in str(world.agents[2].agent.last_error)
    world.agents[2].stop()
    pass_time(world, 30)
    assert world.agents[2].state == "PENDING_CONTROLLED_SHUTDOWN"  # SIGTERM does not end it


def test_a_decommissioned_broker_is_in_no_replica_set_and_its_partitions_are_led() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (2, 1), (1, 2))
    create_topic(world, "alone", (2,))

    refused = ask(world, DecommissionBrokerRequest(broker_id=2))
    assert "BROKER_REQUIRED_FOR_PARTITIONS" in str(refused)
    ask(world, DecommissionBrokerRequest(broker_id=2, force=True))

    for name, index in (("orders", 0), ("orders", 1), ("alone", 0)):
        now = partition(world, name, index)
        assert 2 not in (*now.replicas, *now.isr, *now.elr)
        assert now.leader in (1, 3)


def reassign(world, name: str, replicas: tuple[int, ...] | None) -> None:
    moved = ReassignablePartition(partition_index=0, replicas=replicas)
    topics = (ReassignableTopic(name=name, partitions=(moved,)),)
    reply = ask(world, AlterPartitionReassignmentsRequest(topics=topics))
    assert reply.responses[0].partitions[0].error_code == 0, reply


@pytest.mark.rule("4.36")
def test_brokers_follow_a_reassignment_until_it_completes() -> None:
    world = world_of(brokers=4)
    create_topic(world, "orders", (1, 2))

    reassign(world, "orders", (3, 4))
    assert partition(world, "orders").replicas == (3, 4, 1, 2)
    pass_time(world, 5)

    now = partition(world, "orders")
    assert ((3, 4), (), ()) == (now.replicas, now.adding_replicas, now.removing_replicas)
    assert (3, {3, 4}) == (now.leader, set(now.isr))


@pytest.mark.rule("4.36")
def test_a_reassignment_waits_for_a_dead_broker_and_completes_when_it_is_back() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (1, 2))
    world.agents[3].kill()
    pass_time(world, 11)

    reassign(world, "orders", (3, 2))
    pass_time(world, 20)
    assert partition(world, "orders").adding_replicas == (3,)
    world.agents[3].start()
    pass_time(world, 5)

    assert partition(world, "orders").replicas == (3, 2)


@pytest.mark.rule("4.31")
def test_a_returned_broker_leads_again_within_five_minutes() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (2, 1, 3))
    world.agents[2].kill()
    pass_time(world, 11)
    world.agents[2].start()
    pass_time(world, 5)
    assert partition(world, "orders").leader == 1

    pass_time(world, 300)

    assert partition(world, "orders").leader == 2


@pytest.mark.rule("1.48")
def test_a_broker_that_cannot_register_gives_up_after_its_timeout() -> None:
    world = world_of(brokers=2, initial_broker_registration_timeout_ms=20_000)
    world.agents[2].kill()
    world.network.mute.add(node(2))

    world.agents[2].start()
    pass_time(world, 19)
    assert world.agents[2].state == "STARTING"
    pass_time(world, 2)

    assert world.agents[2].state == "NOT_RUNNING"
    assert "unable to register" in str(world.agents[2].agent.failure)


@pytest.mark.rule("9.31")
@EACH_PROFILE
def test_replaying_the_log_gives_the_image_after_a_day_of_trouble(profile) -> None:
    world = world_of(brokers=4, profile=profile)
    create_topic(world, "orders", (1, 2, 3), (2, 3, 4), (3, 4, 1))
    for round_ in range(6):
        victim = 1 + round_ % 4
        world.agents[victim].kill()
        pass_time(world, 4 + 3 * round_)
        world.agents[victim].start()
        world.agents[1 + victim % 4].stop()
        pass_time(world, 7)
        world.agents[1 + victim % 4].start()
        pass_time(world, 15)

    node = world.controller.node
    assert replay(node.log.batches) == node.committed == node.latest


def test_one_seed_gives_one_log_whatever_the_hash_seed() -> None:
    story = (
        "from tests.worlds import *\n"
        "w = world_of(brokers=5, seed=7)\n"
        "create_topic(w, 'a', (1, 2, 3)); create_topic(w, 'b', (4, 5, 1))\n"
        "w.agents[1].kill(); pass_time(w, 12); w.agents[1].start(); pass_time(w, 12)\n"
        "import hashlib\n"
        "print(hashlib.sha256(repr(w.controller.node.log.batches).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", story],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert len(digests) == 1, digests
