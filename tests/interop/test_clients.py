"""What each stock client sees of a cluster that nobody breaks."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from tests.interop.clients import Partition
from tests.interop.conftest import Connect
from tests.interop.running import Service, eventually

pytestmark = pytest.mark.interop


def test_a_client_finds_every_broker_at_the_address_it_is_reached_at(
    kraft: Service, connect: Connect
) -> None:
    client = connect(kraft.broker_address(3))

    assert kraft.cluster_id == client.cluster_id()
    assert {1, 2, 3, 4} == client.brokers()
    assert kraft.bootstrap_servers == client.addresses()


def test_a_created_topic_is_spread_over_the_brokers_until_it_is_deleted(
    kraft: Service, connect: Connect, topic: str
) -> None:
    client = connect(kraft.bootstrap_servers)

    client.create(topic, partitions=4, replication_factor=3)
    eventually(lambda: topic in client.topics(), True, ignoring=client.failure)
    partitions = client.partitions(topic)
    client.delete(topic)

    assert [1, 2, 3, 4] == sorted(partition.leader for partition in partitions)
    for partition in partitions:
        assert 3 == len(set(partition.replicas) & {1, 2, 3, 4})
        assert partition == Partition(
            leader=partition.replicas[0], replicas=partition.replicas, isr=partition.replicas
        )
    eventually(lambda: topic in client.topics(), False, ignoring=client.failure)


def test_a_topic_that_exists_is_not_created_again(
    kraft: Service, connect: Connect, topic: str
) -> None:
    client = connect(kraft.bootstrap_servers)
    client.create(topic, partitions=1, replication_factor=1)

    with pytest.raises(client.topic_already_exists) as refused:
        client.create(topic, partitions=1, replication_factor=1)

    assert ErrorCode.TOPIC_ALREADY_EXISTS == client.code(refused.value)
    assert f"Topic '{topic}' already exists." in str(refused.value)


def test_more_replicas_than_brokers_are_refused_in_kafkas_words(
    kraft: Service, connect: Connect, topic: str
) -> None:
    client = connect(kraft.bootstrap_servers)

    with pytest.raises(client.invalid_replication_factor) as refused:
        client.create(topic, partitions=1, replication_factor=5)

    assert ErrorCode.INVALID_REPLICATION_FACTOR == client.code(refused.value)
    assert (
        "Unable to replicate the partition 5 time(s): The target replication factor of 5 cannot be "
        "reached because only 4 broker(s) are registered"
    ) in str(refused.value)
    assert topic not in client.topics()


def test_a_topic_that_nobody_created_is_neither_described_nor_deleted(
    kraft: Service, connect: Connect, topic: str
) -> None:
    client = connect(kraft.bootstrap_servers)

    with pytest.raises(client.unknown_topic) as not_described:
        client.partitions(topic)
    with pytest.raises(client.unknown_topic) as not_deleted:
        client.delete(topic)

    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == client.code(not_described.value)
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION == client.code(not_deleted.value)
    assert topic not in client.topics()
