"""Requests about messages at a follower, and at a broker without a replica."""

from typing import Any

import pytest

from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchPartition, FetchReplicaState, FetchRequest, FetchTopic
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.simulation.world import World
from tests.batches import batch
from tests.broker_agent.test_log_histories import bytes_of, messages_of
from tests.worlds import ask, create_topic, pass_time, world_of

LEADER, FOLLOWER, STRANGER = 1, 2, 3
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
NEWEST_PRODUCE, NEWEST_FETCH = 13, 18


@pytest.fixture
def world() -> World:
    """Three brokers, and a topic on two of them."""
    world = world_of(3)
    create_topic(world, "t", (LEADER, FOLLOWER))
    pass_time(world, 2)
    return world


def produced(messages: Messages, world: World, records: bytes, version: int) -> Any:
    """Returns the response to a Produce for the partition."""
    data = PartitionProduceData(index=0, records=records)
    topic_id = world.committed.topic_ids["t"]
    topic = TopicProduceData(name="t", topic_id=topic_id, partition_data=(data,))
    request = ProduceRequest(acks=-1, requester=Requester(version=version), topic_data=(topic,))
    replies: list[Any] = []
    messages.produce(request, replies.append)
    return replies[0]


def fetched(
    messages: Messages,
    world: World,
    version: int,
    *offsets: int,
    replica_id: int = -1,
    replica_epoch: int = -1,
) -> Any:
    """Returns the response to a Fetch that names the partition once for each offset."""
    positions = tuple(
        FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=10**6)
        for offset in offsets
    )
    topic = FetchTopic(topic="t", topic_id=world.committed.topic_ids["t"], partitions=positions)
    request = FetchRequest(
        replica_id=replica_id,
        replica_state=FetchReplicaState(replica_id=-1, replica_epoch=replica_epoch),
        max_bytes=10**6,
        max_wait_ms=0,
        requester=Requester(version=version),
        topics=(topic,),
    )
    replies: list[Any] = []
    messages.fetch(request, replies.append)
    return replies[0]


@pytest.mark.rule("B2.20", "B2.24")
@pytest.mark.parametrize("broker_id", [FOLLOWER, STRANGER])
def test_a_producer_is_told_who_leads(world: World, broker_id: int) -> None:
    messages = messages_of(world, broker_id)

    response = produced(messages, world, batch(b"a", at_ms=world.timeline.wall_ms), NEWEST_PRODUCE)

    (answer,) = response.responses[0].partition_responses
    (endpoint,) = response.node_endpoints
    assert (answer.error_code, answer.current_leader.leader_id) == (NOT_LEADER, LEADER)
    assert (endpoint.node_id, endpoint.port) == (
        LEADER,
        world.committed.brokers[LEADER].listeners[0].port,
    )


@pytest.mark.rule("B2.24")
def test_an_old_producer_is_told_the_code_alone(world: World) -> None:
    messages = messages_of(world, FOLLOWER)

    response = produced(messages, world, batch(b"a", at_ms=world.timeline.wall_ms), 9)

    (answer,) = response.responses[0].partition_responses
    assert (answer.error_code, answer.current_leader.leader_id) == (NOT_LEADER, -1)
    assert response.node_endpoints == ()


@pytest.mark.rule("B1.13")
def test_a_bad_shape_is_found_before_leadership_is_asked_for(world: World) -> None:
    response = produced(messages_of(world, STRANGER), world, b"", NEWEST_PRODUCE)

    (answer,) = response.responses[0].partition_responses
    assert answer.error_code == ErrorCode.INVALID_RECORD


@pytest.mark.rule("B4.3")
def test_a_follower_serves_consumers_from_version_11_on(world: World) -> None:
    sent = batch(b"a", at_ms=world.timeline.wall_ms)
    produced(messages_of(world, LEADER), world, sent, NEWEST_PRODUCE)
    follower = messages_of(world, FOLLOWER)

    answers = [
        fetched(follower, world, version, 0).responses[0].partitions[0] for version in (10, 11)
    ]

    assert [answer.error_code for answer in answers] == [NOT_LEADER, ErrorCode.NONE]
    assert bytes_of(answers[1])[61:] == sent[61:]


@pytest.mark.rule("B4.4")
def test_the_later_entry_for_a_partition_is_fetched(world: World) -> None:
    leader = messages_of(world, LEADER)
    for value in (b"a", b"b"):
        produced(leader, world, batch(value, at_ms=world.timeline.wall_ms), NEWEST_PRODUCE)

    (answer,) = fetched(leader, world, NEWEST_FETCH, 0, 1).responses[0].partitions

    assert int.from_bytes(bytes_of(answer)[:8]) == 1


@pytest.mark.rule("B4.22")
def test_a_consumer_is_told_who_leads_and_a_follower_not_where(world: World) -> None:
    stranger = messages_of(world, STRANGER)

    of_consumer, of_follower = (
        fetched(stranger, world, 16, 0, replica_id=replica_id) for replica_id in (-1, FOLLOWER)
    )

    answers = [response.responses[0].partitions[0] for response in (of_consumer, of_follower)]
    assert [answer.error_code for answer in answers] == [NOT_LEADER] * 2
    assert [answer.current_leader.leader_id for answer in answers] == [LEADER] * 2
    assert [endpoint.node_id for endpoint in of_consumer.node_endpoints] == [LEADER]
    assert of_follower.node_endpoints == ()


@pytest.mark.rule("B2.21")
def test_no_more_replicas_must_be_in_sync_than_there_are(world: World) -> None:
    config = AlterableConfig(name="min.insync.replicas", config_operation=0, value="3")
    resource = IncrementalAlterConfigsResource(
        resource_type=2, resource_name="t", configs=(config,)
    )
    ask(world, IncrementalAlterConfigsRequest(resources=(resource,)))
    pass_time(world, 2)
    leader = messages_of(world, LEADER)

    response = produced(leader, world, batch(b"a", at_ms=world.timeline.wall_ms), NEWEST_PRODUCE)

    assert response.responses[0].partition_responses[0].error_code == ErrorCode.NONE
