"""What properties accept of an administrator's requests, as Kafka does."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kraftsim.controller.core.rpc.assignments import (
    AssignedDirectory,
    AssignedPartition,
    AssignedTopic,
    AssignReplicasToDirsRequest,
)
from kraftsim.controller.core.rpc.partitions import PREFERRED_ELECTION, UNCLEAN_ELECTION
from tests.scenarios.lives import SESSION_S
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import topic
from tests.scenarios.watched_cluster import reassign, set_min_isr, watched
from tests.worlds import SECOND_US, ask, create_topic, partition, pass_time

pytestmark = pytest.mark.slow


@pytest.mark.rule("4.63")
def test_a_client_that_exceeds_its_quota_is_refused():
    """S41: the quota of mutations also concerns the requests that it asks."""
    world, watching = watched("S41")
    rate = {"client": "default", "key": "controller_mutation_rate", "value": 1.5}
    begin(world, "quota.set", rate)
    pass_time(world, 1)
    replies = [ask(world, topic(f"t{number}", partitions=9)) for number in range(8)]

    assert replies[-1].topics[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    for number in range(60):  # a commit, after which the property asks
        begin(world, "config.set", {"name": "t0", "key": "retention.ms", "value": str(number)})
        pass_time(world, 0.05)
    assert watching.finish() == ()


def test_a_leader_that_resigns_while_its_disk_stalls_cannot_be_elected_again():
    """L1: its vote for itself is not on the disk, and nobody else votes."""
    world, watching = watched("L1", controllers=1)
    (controller,) = world.controllers
    begin(world, "disk.stall", {"on": controller})
    begin(world, "quorum.transfer", {"to": controller})
    pass_time(world, 20)

    assert world.active is None
    assert watching.finish() == ()


@pytest.mark.rule("4.24", "4.32")
def test_a_request_that_elects_nobody_succeeds_if_it_empties_an_elr():
    """S16: the min ISR of a topic is at most the number of replicas of its first partition."""
    world, watching = watched("S16")
    create_topic(world, "t", (1, 3), (2, 1))
    set_min_isr(world, "t", "2")
    world.agents[2].kill()
    pass_time(world, 2 * SESSION_S)
    assert partition(world, "t", 1).elr == (2,)
    moved = ReassignablePartition(partition_index=0, replicas=(1,))
    topics = (ReassignableTopic(name="t", partitions=(moved,)),)
    ask(world, AlterPartitionReassignmentsRequest(topics=topics))
    pass_time(world, 1)
    named = ElectedTopicPartitions(topic="t", partitions=(1,))
    reply = ask(world, ElectLeadersRequest(topic_partitions=(named,)))
    pass_time(world, 1)

    assert reply.replica_election_results[0].partition_result[0].error_code == ErrorCode.NONE
    assert (partition(world, "t", 1).leader, partition(world, "t", 1).elr) == (1, ())
    assert watching.finish() == ()


@pytest.mark.rule("4.32", "4.36")
def test_a_request_that_elects_nobody_succeeds_if_it_ends_a_reassignment():
    """S16: an unclean election has made the added replica the ISR (swarm-of-messages, 53)."""
    world, watching = watched("S16")
    create_topic(world, "t", (1, 2))
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    reassign(world, "t", (2, 3, 1), index=0)
    for broker_id in (1, 2):
        world.agents[broker_id].kill()
    pass_time(world, 2 * SESSION_S)
    world.agents[3].start()
    pass_time(world, SESSION_S)
    assert elect(world, UNCLEAN_ELECTION) == ErrorCode.NONE
    before = partition(world, "t")
    assert (before.isr, before.adding_replicas) == ((3,), (3,))

    assert elect(world, PREFERRED_ELECTION) == ErrorCode.NONE
    pass_time(world, 1)
    after = partition(world, "t")
    assert (after.leader_epoch, after.adding_replicas) == (before.leader_epoch, ())
    assert watching.finish() == ()


@pytest.mark.rule("4.36")
def test_a_directory_is_assigned_to_a_replica_that_the_same_record_removes():
    """S16: an added replica, which was elected uncleanly, is all that is awaited (a hunt)."""
    world, watching = watched("S16", log_dirs=2)
    create_topic(world, "t", (1,))
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    reassign(world, "t", (3,), index=0)
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S)
    world.agents[3].start()
    pass_time(world, SESSION_S)
    assert elect(world, UNCLEAN_ELECTION) == ErrorCode.NONE
    assert partition(world, "t").removing_replicas == (1,)
    world.agents[1].start()
    assert world.run_until(lambda: world.committed.is_active(1), limit_us=9 * SECOND_US)
    (*_, directory) = world.agents[1].agent.config.log_dirs
    place = AssignedTopic(
        topic_id=world.committed.topic_ids["t"],
        partitions=(AssignedPartition(partition_index=0),),
    )
    request = AssignReplicasToDirsRequest(
        broker_id=1,
        broker_epoch=world.agents[1].agent.broker_epoch,
        directories=(AssignedDirectory(id=directory, topics=(place,)),),
    )
    reply = ask(world, request)
    pass_time(world, 1)

    (assigned,) = reply.directories[0].topics[0].partitions
    assert assigned.error_code == ErrorCode.NONE
    assert partition(world, "t").replicas == (3,)
    assert watching.finish() == ()


def elect(world, election):
    named = ElectedTopicPartitions(topic="t", partitions=(0,))
    reply = ask(world, ElectLeadersRequest(election_type=election, topic_partitions=(named,)))
    return reply.replica_election_results[0].partition_result[0].error_code
