"""The replicas of a partition hold the same messages, whoever leads."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster

pytestmark = pytest.mark.realtime

VALUES = [b"%d" % number for number in range(20)]


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=3, clock="auto", seed=1, kafka_port=0) as cluster:
        await cluster.topics.create("t", partitions=1, replication_factor=3)
        yield cluster


async def write(kraft: Cluster, *values: bytes) -> None:
    async with AIOKafkaProducer(
        bootstrap_servers=kraft.bootstrap_servers, enable_idempotence=True
    ) as producer:
        for value in values:
            await producer.send_and_wait("t", value)


async def read(kraft: Cluster, count: int) -> list[bytes]:
    async with AIOKafkaConsumer(
        bootstrap_servers=kraft.bootstrap_servers, auto_offset_reset="earliest"
    ) as consumer:
        consumer.assign([TopicPartition("t", 0)])
        return [(await consumer.getone()).value for _ in range(count)]


async def partition(kraft: Cluster) -> Any:
    return (await kraft.topics.describe("t"))["partitions"][0]


async def test_a_follower_leads_with_every_message(kraft: Cluster) -> None:
    await write(kraft, *VALUES)
    first = (await partition(kraft))["leader"]

    await kraft.brokers.kill(first)
    await kraft.clock.advance("15s")

    assert (await partition(kraft))["leader"] != first
    assert await read(kraft, len(VALUES)) == VALUES


async def test_a_broker_that_comes_back_has_what_it_missed(kraft: Cluster) -> None:
    await write(kraft, *VALUES[:5])
    first = (await partition(kraft))["leader"]
    await kraft.brokers.kill(first)
    await kraft.clock.advance("15s")
    await write(kraft, *VALUES[5:])

    await kraft.brokers.restart(first, wait="60s")
    await kraft.clock.advance("15s")
    for broker_id in {1, 2, 3} - {first}:
        await kraft.brokers.kill(broker_id)
    await kraft.clock.advance("15s")

    assert await read(kraft, len(VALUES)) == VALUES


async def test_a_lease_does_not_lapse_while_a_consumer_polls(kraft: Cluster) -> None:
    await write(kraft, *VALUES)
    async with AIOKafkaConsumer(
        bootstrap_servers=kraft.bootstrap_servers, auto_offset_reset="latest"
    ) as consumer:
        consumer.assign([TopicPartition("t", 0)])
        before = await kraft.clock.show()

        assert not await consumer.getmany(timeout_ms=1500)

        assert (await kraft.clock.show())["nowMs"] == before["nowMs"]
