"""The replicas of a partition hold the same messages, whoever leads."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster
from kraftsim.controller.core.rpc.stored_messages import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.batches import batch
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import produced, wanted

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


# A leader without a link to the controllers goes on leading, until it learns of its successor


@pytest.fixture
async def isolated() -> AsyncIterator[Cluster]:
    """Broker 1 still leads in its own eyes, and broker 2 in the eyes of everyone else."""
    async with Cluster(brokers=3, clock="virtual", seed=1, kafka_port=0) as kraft:
        config = {"retention.ms": "-1"}  # the batches are old
        await kraft.topics.create("t", assignments=[[1, 2, 3]], config=config)
        await kraft.clock.advance("1s")
        async with connected(address(kraft, 1)) as client:
            assert (await wrote(client, b"0", acks=-1)).error_code == 0
        await kraft.brokers.mute(1)
        await kraft.brokers.deafen(1)
        await kraft.wait(broker=1, state="fenced")
        await kraft.clock.advance("1s")
        async with connected(address(kraft, 2)) as client:
            assert (await wrote(client, b"1", acks=-1)).error_code == 0
        yield kraft


def address(kraft: Cluster, broker_id: int) -> str:
    return kraft.bootstrap_servers.split(",")[broker_id - 1]


def append(client: Client, value: bytes, *, acks: int, timeout_ms: int = 0) -> None:
    client.send(0, 12, produced(batch(value * 20), acks=acks, timeout_ms=timeout_ms))


async def answered(client: Client) -> Any:
    """The result of the one partition."""
    _, reply = await client.answer(0, 12)
    return reply.responses[0].partition_responses[0]


async def wrote(client: Client, value: bytes, *, acks: int, timeout_ms: int = 0) -> Any:
    append(client, value, acks=acks, timeout_ms=timeout_ms)
    return await answered(client)


async def values_at(kraft: Cluster, broker_id: int) -> list[bytes]:
    """The first bytes of what a consumer reads there."""
    async with connected(address(kraft, broker_id)) as client:
        client.send(1, 12, wanted(0))
        frame = await client.frame()
        return [value for value in (b"0", b"1", b"2", b"3") if value * 20 in frame]


@pytest.mark.rule("B6.70", "B2.45")
async def test_a_leader_that_was_replaced_harms_no_log_of_its_successor(isolated: Cluster) -> None:
    async with connected(address(isolated, 1)) as old:
        by_leader = await wrote(old, b"2", acks=1)
        by_all = await wrote(old, b"3", acks=-1)

    assert (by_leader.error_code, by_leader.base_offset) == (0, 1)
    assert (by_all.error_code, by_all.base_offset) == (7, 2)
    assert await values_at(isolated, 1) == [b"0"]  # the high watermark stays
    assert await values_at(isolated, 2) == [b"0", b"1"]
    await isolated.brokers.unmute(1)
    await isolated.brokers.undeafen(1)
    await isolated.clock.advance("30s")
    await isolated.brokers.kill(2)
    await isolated.brokers.kill(3)
    await isolated.clock.advance("30s")
    assert await values_at(isolated, 1) == [b"0", b"1"]


@pytest.mark.rule("B2.40", "B2.43")
async def test_a_request_waits_for_the_isr_until_its_time_is_up(isolated: Cluster) -> None:
    async with connected(address(isolated, 1)) as old, connected(address(isolated, 1)) as other:
        append(old, b"2", acks=-1, timeout_ms=12_000)
        await isolated.clock.advance("11999ms")
        await old.round_trips(other)
        assert old.nothing_came
        await isolated.clock.advance("1ms")
        found = await answered(old)

    assert (found.error_code, found.base_offset) == (7, 1)


@pytest.mark.rule("B2.42", "B6.60")
async def test_a_request_that_waits_ends_when_the_new_leader_is_known(isolated: Cluster) -> None:
    async with connected(address(isolated, 1)) as old:
        append(old, b"2", acks=-1, timeout_ms=600_000)
        await isolated.brokers.undeafen(1)
        await isolated.brokers.unmute(1)
        await isolated.clock.advance("30s")
        found = await answered(old)

    assert (found.error_code, found.base_offset) == (6, 1)
    assert found.current_leader.leader_id == 2


async def test_a_leader_that_was_replaced_deletes_nothing_elsewhere(isolated: Cluster) -> None:
    partition = DeleteRecordsPartition(partition_index=0, offset=1)
    topics = (DeleteRecordsTopic(name="t", partitions=(partition,)),)
    async with connected(address(isolated, 1)) as old:
        old.send(21, 2, DeleteRecordsRequest(topics=topics, timeout_ms=1000))
        _, reply = await old.answer(21, 2)
        assert reply.topics[0].partitions[0].error_code == 7

    assert await values_at(isolated, 2) == [b"0", b"1"]


@pytest.mark.rule("B2.42", "B6.30")
async def test_a_leader_that_was_elected_again_gives_its_followers_what_they_missed() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1, kafka_port=0) as kraft:
        config = {"retention.ms": "-1"}
        await kraft.topics.create("t", assignments=[[1, 2]], config=config)
        await kraft.clock.advance("1s")
        await kraft.brokers.deafen(1)  # it keeps its lease, and learns nothing
        for replicas in ([2, 1], [1, 2]):
            await kraft.reassignments.start("t", {0: replicas})
            await kraft.topics.elect_leaders("t", election="preferred")
        assert (await partition(kraft))["leader"] == 1
        async with connected(address(kraft, 1)) as client:
            append(client, b"0", acks=-1, timeout_ms=600_000)
            await kraft.clock.advance("1s")
            assert client.nothing_came

            await kraft.brokers.undeafen(1)
            await kraft.clock.advance("5s")
            assert (await answered(client)).error_code == 0
        await kraft.brokers.kill(1)
        await kraft.clock.advance("30s")

        assert await values_at(kraft, 2) == [b"0"]
