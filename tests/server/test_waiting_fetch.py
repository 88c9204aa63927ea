"""A Fetch that waits ends as Kafka's does when its partition changes; a kill takes log starts."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json
from tests.batches import NOW_MS, batch
from tests.limits import LIMIT_S
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import produced, wanted

pytestmark = pytest.mark.realtime

PRODUCE, FETCH, LIST_OFFSETS, DELETE_RECORDS = 0, 1, 2, 21
FOREVER = {"max_wait_ms": 600_000, "min_bytes": 1}


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=3, clock="virtual", seed=1, kafka_port=0) as cluster:
        await cluster.topics.create("t", assignments=[[1, 2, 3]])
        await cluster.clock.advance("1s")
        yield cluster


def at(kraft: Cluster, broker_id: int) -> Any:
    return connected(kraft.bootstrap_servers.split(",")[broker_id - 1])


def asked(key: int, document: dict[str, Any]) -> Request:
    request: Any = from_json(APIS[key].request, document)
    return request


async def append(kraft: Cluster, *batches: bytes, leader: int = 1) -> None:
    async with at(kraft, leader) as producer:
        for data in batches:
            producer.send(PRODUCE, 9, produced(data))
            _, response = await producer.answer(PRODUCE, 9)
            assert response.responses[0].partition_responses[0].error_code == ErrorCode.NONE


async def code_of(consumer: Client) -> int:
    _, response = await consumer.answer(FETCH, 12)
    code: int = response.responses[0].partitions[0].error_code
    return code


async def lead_by(kraft: Cluster, broker_id: int) -> None:
    """Lets another replica lead, while every broker runs."""
    followers = [follower for follower in (1, 2, 3) if follower != broker_id]
    await kraft.reassignments.start("t", {0: [broker_id, *followers]})
    await kraft.topics.elect_leaders("t", 0)
    await kraft.clock.advance("2s")
    assert (await kraft.topics.describe("t"))["partitions"][0]["leader"] == broker_id


@pytest.mark.rule("B4.35")
async def test_a_wait_ends_when_the_topic_is_deleted(kraft: Cluster) -> None:
    async with at(kraft, 1) as consumer:
        consumer.send(FETCH, 12, wanted(**FOREVER))
        async with at(kraft, 1) as other:
            assert await other.is_served()

        await kraft.topics.delete("t")
        await kraft.clock.advance("2s")

        assert await code_of(consumer) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.rule("B4.36")
async def test_a_wait_with_an_epoch_ends_when_another_broker_leads(kraft: Cluster) -> None:
    """B4.36"""
    async with at(kraft, 1) as consumer:
        consumer.send(FETCH, 12, wanted(leader_epoch=0, **FOREVER))
        async with at(kraft, 1) as other:
            assert await other.is_served()

        await lead_by(kraft, 2)

        assert await code_of(consumer) == ErrorCode.FENCED_LEADER_EPOCH


@pytest.mark.rule("B4.36")
async def test_a_wait_without_an_epoch_goes_on_at_the_follower(kraft: Cluster) -> None:
    async with at(kraft, 1) as consumer:
        consumer.send(FETCH, 12, wanted(**FOREVER))
        async with at(kraft, 1) as other:
            assert await other.is_served()
        await lead_by(kraft, 2)

        await append(kraft, batch(b"later"), leader=2)

        assert b"later" in await consumer.frame()


@pytest.mark.rule("B4.37")
async def test_a_wait_ends_when_a_segment_is_rolled(kraft: Cluster) -> None:
    """B4.37"""
    await kraft.configs.set("topic", "t", {"segment.ms": "1000"})
    await kraft.clock.advance("2s")
    await append(kraft, batch(b"first"))
    async with at(kraft, 1) as consumer:
        consumer.send(FETCH, 12, wanted(1, max_wait_ms=600_000, min_bytes=100_000))
        async with at(kraft, 1) as other:
            assert await other.is_served()

        await append(kraft, batch(b"second", at_ms=NOW_MS + 5000))

        assert b"second" in await consumer.frame()


@asynccontextmanager
async def reopened(kraft: Cluster) -> AsyncIterator[Client]:
    """A client of broker 1, whose port may be about to open."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                async with at(kraft, 1) as client:
                    yield client
                    return
            except ConnectionRefusedError:
                await asyncio.sleep(0)


async def earliest(kraft: Cluster) -> tuple[int, int]:
    """The log start, and its leader epoch."""
    partitions = [{"partitionIndex": 0, "timestamp": -2}]
    document = {"replicaId": -1, "topics": [{"name": "t", "partitions": partitions}]}
    async with reopened(kraft) as client:
        client.send(LIST_OFFSETS, 7, asked(LIST_OFFSETS, document))
        _, response = await client.answer(LIST_OFFSETS, 7)
    found = response.topics[0].partitions[0]
    assert found.error_code == ErrorCode.NONE
    return found.offset, found.leader_epoch


def fresh() -> bytes:
    """A batch that retention keeps."""
    return batch(b"a", at_ms=time.time_ns() // 1_000_000)


async def delete_before(kraft: Cluster, offset: int) -> None:
    partitions = [{"partitionIndex": 0, "offset": offset}]
    document = {"topics": [{"name": "t", "partitions": partitions}], "timeoutMs": 1000}
    async with at(kraft, 1) as client:
        client.send(DELETE_RECORDS, 2, asked(DELETE_RECORDS, document))
        _, response = await client.answer(DELETE_RECORDS, 2)
    assert response.topics[0].partitions[0].low_watermark == offset


@pytest.mark.rule("B8.44")
async def test_a_kill_takes_back_a_log_start_that_was_not_saved(kraft: Cluster) -> None:
    """Measured with 4.3.1 (B8.44)."""
    await append(kraft, fresh(), fresh(), fresh())
    for broker_id in (2, 3):
        await kraft.brokers.kill(broker_id)
    await kraft.clock.advance("15s")
    await delete_before(kraft, 1)
    await kraft.clock.advance("70s")
    await delete_before(kraft, 2)

    await kraft.brokers.kill(1)
    await kraft.brokers.restart(1, wait="60s")
    await kraft.clock.advance("5s")

    assert await earliest(kraft) == (1, -1)


async def test_a_stopped_broker_saves_its_log_start(kraft: Cluster) -> None:
    await append(kraft, fresh(), fresh(), fresh())
    await delete_before(kraft, 2)
    for broker_id in (2, 3):
        await kraft.brokers.kill(broker_id)
    await kraft.clock.advance("15s")

    await kraft.brokers.stop(1)
    await kraft.clock.advance("120s")
    await kraft.brokers.restart(1, wait="60s")
    await kraft.clock.advance("5s")

    assert (await earliest(kraft))[0] == 2
