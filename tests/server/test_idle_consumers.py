"""A consumer that waits for data is nobody who waits for the cluster: it moves no clock."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as AsyncPartition
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as ConfluentPartition

from kraftsim import Cluster
from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic
from tests.server.kafka_client import connected

with warnings.catch_warnings():  # Python 3.11 warns, in its own name, of how the schemas are read
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer
    from kafka import TopicPartition as PythonPartition

pytestmark = [pytest.mark.realtime, pytest.mark.slow]

IDLE_S = 1.5  # three waits of half a second, a client's default
FETCH = 1


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=3, clock="auto", seed=1, kafka_port=0) as cluster:
        await cluster.topics.create("t", partitions=1, replication_factor=3)
        yield cluster


def poll_with_kafka_python(servers: str) -> int:
    consumer = KafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    try:
        consumer.assign([PythonPartition("t", 0)])
        return len(consumer.poll(timeout_ms=int(IDLE_S * 1000)))
    finally:
        consumer.close()


def poll_with_confluent(servers: str) -> int:
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "g", "enable.auto.commit": False}
    )
    try:
        consumer.assign([ConfluentPartition("t", 0, 0)])
        polled = [consumer.poll(IDLE_S / 3) for _ in range(3)]  # the first: there are no groups
        return sum(message is not None and message.error() is None for message in polled)
    finally:
        consumer.close()


async def idle_aiokafka(servers: str) -> int:
    async with AIOKafkaConsumer(
        bootstrap_servers=servers, auto_offset_reset="earliest"
    ) as consumer:
        consumer.assign([AsyncPartition("t", 0)])
        return len(await consumer.getmany(timeout_ms=int(IDLE_S * 1000)))


async def idle_kafka_python(servers: str) -> int:
    return await asyncio.to_thread(poll_with_kafka_python, servers)


async def idle_confluent(servers: str) -> int:
    return await asyncio.to_thread(poll_with_confluent, servers)


@pytest.mark.parametrize("idle", [idle_kafka_python, idle_aiokafka, idle_confluent])
async def test_no_lease_lapses_while_a_consumer_is_idle(
    kraft: Cluster, idle: Callable[[str], Awaitable[int]]
) -> None:
    for broker_id in (1, 2, 3):
        await kraft.brokers.mute(broker_id)  # their leases lapse as soon as time passes
    before = (await kraft.clock.show())["nowMs"]

    assert await idle(kraft.bootstrap_servers) == 0

    assert (await kraft.clock.show())["nowMs"] == before
    assert all("unfenced" in kraft.brokers.states(broker_id)["states"] for broker_id in (1, 2, 3))


def waiting_fetch(max_wait_ms: int) -> FetchRequest:
    position = FetchPartition(
        partition=0, current_leader_epoch=-1, fetch_offset=0, partition_max_bytes=1000
    )
    topic = FetchTopic(topic="t", partitions=(position,))
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, topics=(topic,))


async def test_a_fetch_that_waits_is_answered_in_real_time_and_moves_nothing(
    kraft: Cluster,
) -> None:
    leader = (await kraft.topics.describe("t"))["partitions"][0]["leader"]
    before = (await kraft.clock.show())["nowMs"]
    async with connected(kraft.bootstrap_servers.split(",")[leader - 1]) as client:
        client.send(FETCH, 11, waiting_fetch(300))

        assert await client.frame()

    assert (await kraft.clock.show())["nowMs"] == before


async def test_on_a_clock_that_stands_a_fetch_waits_until_its_time_comes() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as kraft:
        await kraft.topics.create("t", partitions=1, replication_factor=1)
        await kraft.clock.advance("1s")
        servers = kraft.bootstrap_servers
        async with connected(servers) as client, connected(servers) as other:
            client.send(FETCH, 11, waiting_fetch(5000))
            await client.round_trips(other)
            await kraft.clock.advance("4s")
            await client.round_trips(other)
            assert client.nothing_came

            await kraft.clock.advance("1s")

            assert await client.frame()
