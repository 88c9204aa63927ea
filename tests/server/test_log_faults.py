"""Faults of the disks of brokers, as clients see them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic, Request
from kraftsim.controller.core.rpc.descriptions import DescribeLogDirsRequest
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.batches import batch
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime

PRODUCE, FETCH, LIST_OFFSETS, DESCRIBE_LOG_DIRS = 0, 1, 2, 35
EVERYTHING = 1_000_000
LATEST = -1
NONE = ErrorCode.NONE
# Positions in a response to Fetch 11 about one partition of a topic with a name of one letter.
FETCH_ANSWER, FETCH_RECORDS = 29, 38


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=2, log_dirs=2, clock="virtual", seed=1, kafka_port=0) as cluster:
        await cluster.topics.create("t", partitions=4, replication_factor=2)
        await cluster.clock.advance("5s")
        yield cluster


def produced(value: bytes, partition: int, sequence: int = -1) -> Request:
    is_idempotent = sequence >= 0
    producer = (7, 0, sequence) if is_idempotent else (-1, -1, -1)
    data = PartitionProduceData(index=partition, records=batch(value, producer=producer))
    topic = TopicProduceData(name="t", partition_data=(data,))
    return ProduceRequest(acks=-1, timeout_ms=1000, topic_data=(topic,))


class Broker:
    """One broker of a cluster, asked about partitions of the topic `t`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def ask(self, key: int, version: int, request: Request) -> Any:
        self._client.send(key, version, request)
        _, response = await self._client.answer(key, version)
        return response

    async def produce(self, value: bytes, partition: int, sequence: int = -1) -> tuple[int, int]:
        """Error code and offset."""
        reply = await self.ask(PRODUCE, 9, produced(value, partition, sequence))
        answer = reply.responses[0].partition_responses[0]
        return answer.error_code, answer.base_offset

    async def fetch(self, partition: int, offset: int = 0) -> tuple[int, bytes]:
        """Error code and bytes."""
        position = FetchPartition(
            partition=partition,
            current_leader_epoch=-1,
            fetch_offset=offset,
            partition_max_bytes=EVERYTHING,
        )
        topic = FetchTopic(topic="t", partitions=(position,))
        self._client.send(FETCH, 11, FetchRequest(max_bytes=EVERYTHING, topics=(topic,)))
        frame = await self._client.frame()
        answer = frame[FETCH_ANSWER:]
        return int.from_bytes(answer[:2], signed=True), answer[FETCH_RECORDS:]

    async def end(self, partition: int) -> int:
        wanted = ListOffsetsPartition(
            partition_index=partition, current_leader_epoch=-1, timestamp=LATEST
        )
        topic = ListOffsetsTopic(name="t", partitions=(wanted,))
        reply = await self.ask(LIST_OFFSETS, 7, ListOffsetsRequest(replica_id=-1, topics=(topic,)))
        return int(reply.topics[0].partitions[0].offset)


async def partition_of(kraft: Cluster, index: int) -> Any:
    return (await kraft.topics.describe("t"))["partitions"][index]


async def leader_of(kraft: Cluster, index: int = 0) -> int:
    return int((await partition_of(kraft, index))["leader"])


@asynccontextmanager
async def broker(kraft: Cluster, broker_id: int) -> AsyncIterator[Broker]:
    async with connected(kraft.bootstrap_servers.split(",")[broker_id - 1]) as client:
        yield Broker(client)


async def add(kraft: Cluster, word: str, **words: object) -> Any:
    """The fault, after its begin."""
    return await kraft.faults.add({word: words})


@pytest.mark.rule("B4.38")
async def test_a_damaged_batch_is_served_as_it_is(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    async with broker(kraft, leader) as asked:
        sent = [await asked.produce(b"value-%d" % number, 0) for number in range(3)]
        before = await asked.fetch(0)
        fault = await add(kraft, "log.corrupt", on=leader, topic="t", partition=0, offset=1)

        after = await asked.fetch(0)

    assert [code for code, _ in sent] == [NONE] * 3
    assert fault.hits == 1
    assert (before[0], after[0]) == (NONE, NONE)
    assert sum(old != new for old, new in zip(before[1], after[1], strict=True)) == 1


@pytest.mark.rule("B4.38")
async def test_what_is_behind_a_torn_batch_is_not_found(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    async with broker(kraft, leader) as asked:
        for number in range(3):
            await asked.produce(b"value-%d" % number, 0)
        await add(kraft, "log.corrupt", on=leader, topic="t", offset=1, part="length")

        codes = [(await asked.fetch(0, offset))[0] for offset in range(3)]
        after = await asked.produce(b"value-3", 0)

    assert codes == [NONE, ErrorCode.CORRUPT_MESSAGE, ErrorCode.CORRUPT_MESSAGE]
    assert after == (NONE, 3)


async def test_the_other_replica_has_the_batch_whole(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    async with broker(kraft, leader) as asked:
        await asked.produce(b"value", 0)
        whole = await asked.fetch(0)
    await add(kraft, "log.corrupt", on=leader, topic="t")

    await kraft.brokers.kill(leader)
    await kraft.clock.advance("20s")

    async with broker(kraft, await leader_of(kraft)) as asked:
        assert await asked.fetch(0) == whole


@pytest.mark.rule("B8.43")
async def test_a_broker_that_was_killed_cuts_its_log_at_the_damage(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    other = 3 - leader
    await kraft.brokers.stop(other)
    await kraft.clock.advance("20s")
    async with broker(kraft, leader) as asked:
        for sequence in range(4):
            await asked.produce(b"value-%d" % sequence, 0, sequence)
    await add(kraft, "log.corrupt", on=leader, topic="t", partition=0, offset=2)

    await kraft.brokers.restart(leader, wait="60s")
    await kraft.clock.advance("5s")

    async with broker(kraft, leader) as asked:
        assert await asked.end(0) == 2
        assert await asked.produce(b"gap", 0, 4) == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
        assert await asked.produce(b"value-2", 0, 2) == (NONE, 2)


@pytest.mark.rule("B8.40")
async def test_a_killed_broker_keeps_what_a_power_cut_loses(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    await kraft.brokers.stop(3 - leader)
    await kraft.clock.advance("20s")
    async with broker(kraft, leader) as asked:
        for number in range(4):
            await asked.produce(b"value-%d" % number, 0)
    await kraft.brokers.restart(leader, wait="60s")
    await kraft.clock.advance("5s")
    async with broker(kraft, leader) as asked:
        assert await asked.end(0) == 4

        lost = await add(kraft, "log.lose_tail", on=leader, topic="t", records=3, **{"for": "1s"})
    await kraft.clock.advance("30s")

    assert lost.hits == 3
    async with broker(kraft, leader) as asked:
        assert await asked.end(0) == 1


async def test_a_broker_that_comes_back_gets_what_it_lost_from_the_leader(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    async with broker(kraft, leader) as asked:
        for number in range(4):
            await asked.produce(b"value-%d" % number, 0)
    await add(kraft, "log.lose_tail", on=3 - leader, topic="t", **{"for": "1s"})
    await kraft.clock.advance("60s")

    await kraft.brokers.kill(leader)
    await kraft.clock.advance("20s")

    assert await leader_of(kraft) == 3 - leader
    async with broker(kraft, 3 - leader) as asked:
        assert await asked.end(0) == 4


@pytest.mark.rule("B6.10", "B6.12")
async def test_a_replica_whose_fetcher_stops_leaves_the_isr_of_the_partition_that_is_written(
    kraft: Cluster,
) -> None:
    leader = await leader_of(kraft)
    stopped = await add(kraft, "replica.stop", on=3 - leader, topic="t", **{"for": "60s"})
    async with broker(kraft, leader) as asked:
        written = asyncio.create_task(asked.produce(b"value", 0))
        await asyncio.sleep(0)  # it is sent
        await kraft.clock.advance("50s")
        assert await written == (7, 0)  # not acknowledged in time

        partitions = (await kraft.topics.describe("t"))["partitions"]
        assert [len(of["isr"]) for of in partitions] == [1, 2, 2, 2]
        lag = partitions[0]["replicaLags"][partitions[0]["replicas"].index(3 - leader)]
        assert (lag, stopped.hits) == (1, 1)
        await kraft.clock.advance("20s")

    partitions = (await kraft.topics.describe("t"))["partitions"]
    assert [len(of["isr"]) for of in partitions] == [2, 2, 2, 2]
    assert partitions[0]["replicaLags"] == [0, 0]


@pytest.mark.rule("B6.10", "B6.11")
async def test_a_stalled_disk_of_a_broker_delays_what_producers_write_and_followers_fetch(
    kraft: Cluster,
) -> None:
    leader = await leader_of(kraft)
    stalled = await add(kraft, "disk.stall", on=leader, **{"for": "10s"})
    async with broker(kraft, leader) as asked:
        written = asyncio.create_task(asked.produce(b"value", 0))
        await asyncio.sleep(0)  # it is sent
        await kraft.clock.advance("9s")
        assert (written.done(), stalled.hits) == (False, 1)
        await kraft.clock.advance("2s")
        assert await written == (0, 0)

        await add(kraft, "disk.stall", on=3 - leader, **{"for": "60s"})
        written = asyncio.create_task(asked.produce(b"value", 0))
        await asyncio.sleep(0)
        await kraft.clock.advance("50s")
        assert await written == (7, 1)  # not acknowledged in time
        partition = await partition_of(kraft, 0)
        assert (partition["isr"], sorted(partition["replicaLags"])) == ([leader], [0, 1])


async def directories(kraft: Cluster, broker_id: int) -> list[list[int]]:
    """The partitions in each of the broker's two directories."""
    world = kraft.world
    topic = world.committed.topics[world.committed.topic_ids["t"]]
    ids = [of.directory_id for of in world.agents[broker_id].agent.config.log_dirs]
    return [
        [index for index, of in topic.partitions.items() if of.directory_of(broker_id) == own]
        for own in ids
    ]


@pytest.mark.rule("B7.62", "B7.63")
@pytest.mark.parametrize("word", ["disk.fail_directory", "disk.full"])
async def test_a_lost_directory_takes_its_replicas_and_no_others(kraft: Cluster, word: str) -> None:
    here, there = await directories(kraft, 1)
    async with broker(kraft, 1) as asked:
        for index in range(4):
            await asked.produce(b"value", index)
        fault = await add(kraft, word, on=1, number=2)

        codes = {index: (await asked.produce(b"next", index))[0] for index in (*here, *there)}
        read = {index: (await asked.fetch(index))[0] for index in (*here, *there)}
        logs = await asked.ask(DESCRIBE_LOG_DIRS, 2, DescribeLogDirsRequest(topics=None))

    gone, kept = ErrorCode.KAFKA_STORAGE_ERROR, (NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert fault.hits == 1
    assert {codes[index] for index in there} == {read[index] for index in there} == {gone}
    assert {codes[index] for index in here} <= {*kept}
    assert sorted(result.error_code for result in logs.results) == [NONE, gone]

    await kraft.clock.advance("5s")
    assert [await leader_of(kraft, index) for index in there] == [2] * len(there)


async def test_a_repaired_directory_has_its_messages(kraft: Cluster) -> None:
    _, there = await directories(kraft, 1)
    async with broker(kraft, await leader_of(kraft, there[0])) as asked:
        await asked.produce(b"before", there[0])
    fault = await add(kraft, "disk.fail_directory", on=1, number=2)
    await kraft.clock.advance("5s")
    async with broker(kraft, 2) as asked:
        await asked.produce(b"meanwhile", there[0])

    await fault.remove()
    await kraft.clock.advance("60s")
    await kraft.brokers.kill(2)
    await kraft.clock.advance("20s")

    async with broker(kraft, 1) as asked:
        assert await asked.end(there[0]) == 2


async def test_a_broker_whose_only_directory_is_full_ends() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1, kafka_port=0) as kraft:
        await kraft.clock.advance("5s")
        fault = await add(kraft, "disk.full", on=1, **{"for": "10s"})
        await kraft.clock.advance("3s")
        ended = kraft.brokers.states(1)["states"]
        await kraft.clock.advance("30s")

        assert "NOT_RUNNING" in ended
        assert fault.hits == 1
        assert "RUNNING" in kraft.brokers.states(1)["states"]


@pytest.mark.rule("B8.42")
async def test_a_broker_that_ends_in_good_order_has_flushed_its_logs(kraft: Cluster) -> None:
    leader = await leader_of(kraft)
    async with broker(kraft, leader) as asked:
        await asked.produce(b"value", 0)
    await kraft.brokers.stop(3 - leader)
    await kraft.clock.advance("20s")
    await kraft.brokers.stop(leader)
    await kraft.clock.advance("20s")
    await add(kraft, "log.corrupt", on=leader, topic="t", partition=0)

    lost = await add(kraft, "log.lose_tail", on=leader, topic="t")
    await kraft.brokers.restart(leader, wait="60s")
    await kraft.clock.advance("5s")

    assert lost.hits == 0
    assert [log.end_offset for log in kraft.world.agents[leader].store.logs.values()] == [1]
