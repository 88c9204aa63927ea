"""What a broker's listener tells clients about brokers, leaders and what is offline."""

import pytest

from kraftsim.broker_agent import metadata_replies
from kraftsim.controller.core.cluster.describe_cluster import any_broker, live_brokers
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.rpc import (
    DescribeClusterRequest,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    Response,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.cluster import OPERATIONS_ABSENT
from kraftsim.controller.raft.protocol import Reply
from kraftsim.service.cluster_description import client_view
from kraftsim.simulation.world import World
from tests.worlds import ask, create_topic, pass_time, world_of


def metadata(
    world: World, *names: str | None, by_id: bytes | None = None, wants_operations: bool = False
):
    topics = tuple(MetadataRequestTopic(name=name) for name in names)
    if by_id is not None:
        topics = (MetadataRequestTopic(topic_id=by_id),)
    image = world.agents[1].agent.image
    request = MetadataRequest(
        topics=topics or None, include_topic_authorized_operations=wants_operations
    )
    return metadata_replies.metadata(
        image,
        request,
        metadata_replies.described_topics(image, request, "PLAINTEXT"),
        cluster_id=world.topology.cluster_id,
        listener="PLAINTEXT",
        controller_id=any_broker(live_brokers(image), world.streams.draw_of("clients")),
    )


@pytest.mark.rule("5.40")
def test_metadata_lists_unfenced_brokers_and_names_one_of_them_as_controller() -> None:
    world = world_of(brokers=3)
    world.agents[3].kill()
    pass_time(world, 11)

    answer = metadata(world)

    assert [broker.node_id for broker in answer.brokers] == [1, 2]
    assert answer.controller_id in (1, 2)


@pytest.mark.rule("5.41", "5.42")
def test_a_partition_without_leader_is_5_and_its_dead_replicas_are_offline() -> None:
    world = world_of(brokers=2)
    create_topic(world, "orders", (2,))
    world.agents[2].kill()
    pass_time(world, 11)

    (partition,) = metadata(world, "orders").topics[0].partitions

    assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (5, -1, 1)
    assert partition.offline_replicas == (2,)


@pytest.mark.rule("3.9", "5.42")
def test_an_unregistered_broker_is_gone_from_the_list_and_offline_in_its_partitions() -> None:
    world = world_of(brokers=3)
    create_topic(world, "orders", (1, 3))
    ask(world, UnregisterBrokerRequest(broker_id=3))
    pass_time(world, 1)

    answer = metadata(world)

    assert [broker.node_id for broker in answer.brokers] == [1, 2]
    assert answer.topics[0].partitions[0].offline_replicas == (3,)


@pytest.mark.rule("5.44")
def test_unknown_topics_are_3_by_name_and_100_by_id() -> None:
    world = world_of(brokers=1)

    assert metadata(world, "nope").topics[0].error_code == 3
    assert metadata(world, by_id=b"x" * 16).topics[0].error_code == 100


def test_an_unknown_id_has_no_operations_but_an_unknown_name_has() -> None:
    world = world_of(brokers=1)
    (named,) = metadata(world, "nope", wants_operations=True).topics
    (by_id,) = metadata(world, by_id=b"x" * 16, wants_operations=True).topics

    assert named.topic_authorized_operations == metadata_replies.ALL_TOPIC_OPERATIONS
    assert by_id.topic_authorized_operations == OPERATIONS_ABSENT


@pytest.mark.rule("5.44b")
@pytest.mark.parametrize("name", ["", "a b", "é", "..", "x" * 250])
def test_a_name_that_no_topic_may_have_is_17(name: str) -> None:
    assert metadata(world_of(brokers=1), name).topics[0].error_code == 17


@pytest.mark.rule("5.44a")
def test_each_topic_is_described_once() -> None:
    world = world_of(brokers=1)
    create_topic(world, "orders", (1,))

    assert [topic.name for topic in metadata(world, "orders", "orders").topics] == ["orders"]


@pytest.mark.rule("5.44a")
def test_each_id_is_described_once_whatever_name_stands_beside_it() -> None:
    world = world_of(brokers=1)
    create_topic(world, "orders", (1,))
    topic_id = world.committed.topic_ids["orders"]
    named = (MetadataRequestTopic(name=name, topic_id=topic_id) for name in (None, "orders", "x"))

    reply = reply_to(world, *named)

    assert isinstance(reply, MetadataResponse)
    assert [topic.name for topic in reply.topics] == ["orders"]


def reply_to(world: World, *topics: MetadataRequestTopic) -> Response:
    """Returns what a client of broker 1 is answered."""
    request, image = MetadataRequest(topics=topics), world.agents[1].agent.image
    replies: list[Reply] = []
    for _ in client_view(world).metadata(image, request, replies.append):
        pass
    return response_to(request, *replies, version=13)


@pytest.mark.rule("5.44a")
def test_topics_without_an_id_are_ignored_beside_one_with_an_id() -> None:
    world = world_of(brokers=1)
    create_topic(world, "orders", (1,))
    by_id, by_name = MetadataRequestTopic(topic_id=b"x" * 16), MetadataRequestTopic(name="orders")

    reply = reply_to(world, by_id, by_name, MetadataRequestTopic())

    assert isinstance(reply, MetadataResponse)
    assert [(topic.name, topic.error_code) for topic in reply.topics] == [(None, 100)]


@pytest.mark.rule("5.44a")
def test_a_topic_with_neither_name_nor_id_fails_the_request() -> None:
    world = world_of(brokers=1)
    create_topic(world, "orders", (1,))

    reply = reply_to(world, MetadataRequestTopic(), MetadataRequestTopic(name="orders"))

    assert isinstance(reply, MetadataResponse)
    assert (reply.error_code, reply.brokers, reply.cluster_id) == (-1, (), None)
    assert [(topic.name, topic.error_code) for topic in reply.topics] == [("", -1), ("orders", -1)]


@pytest.mark.rule("5.16", "5.17")
def test_fenced_brokers_are_described_only_when_asked_for() -> None:
    world = world_of(brokers=2)
    world.agents[2].kill()
    pass_time(world, 11)

    def described(include: bool) -> list[tuple[int, bool]]:
        request = DescribeClusterRequest(include_fenced_brokers=include)
        answer = client_view(world).brokers(world.agents[1].agent.image, request)
        return [(broker.broker_id, broker.is_fenced) for broker in answer.brokers]

    assert described(False) == [(1, False)]
    assert described(True) == [(1, False), (2, True)]
