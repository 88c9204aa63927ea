"""On the clock auto a client that repeats a retriable error lets the world go on."""

from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    DescribeQuorumRequest,
    FetchPartition,
    FetchRequest,
    FetchTopic,
    MetadataRequest,
    MetadataRequestTopic,
    Request,
)
from kraftsim.controller.core.rpc.quorum import DescribeQuorumPartition, DescribeQuorumTopic
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime

FETCH, METADATA, DESCRIBE_QUORUM = 1, 3, 55
UNKNOWN, NOT_LEADER = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER
QUORUM = DescribeQuorumRequest(
    topics=(
        DescribeQuorumTopic(
            topic_name="__cluster_metadata",
            partitions=(DescribeQuorumPartition(partition_index=0),),
        ),
    )
)


def cluster(clock: Any = "auto", **options: Any) -> Cluster:
    return Cluster(brokers=2, clock=clock, seed=1, kafka_port=0, **options)


def address_of(kraft: Cluster, broker_id: int) -> str:
    return kraft.bootstrap_servers.split(",")[broker_id - 1]


async def answer(client: Client, key: int, version: int, request: Request) -> Any:
    client.send(key, version, request)
    return (await client.answer(key, version))[1]


async def error_of(client: Client, topic: str) -> int:
    """Returns the error of a topic in Metadata."""
    asked = MetadataRequest(
        topics=(MetadataRequestTopic(name=topic),), allow_auto_topic_creation=False
    )
    (found,) = (await answer(client, METADATA, 12, asked)).topics
    return int(found.error_code)


async def quorum_error(client: Client) -> int:
    """Returns the error of the metadata partition in DescribeQuorum."""
    (topic,) = (await answer(client, DESCRIBE_QUORUM, 2, QUORUM)).topics
    return int(topic.partitions[0].error_code)


async def now_ms(kraft: Cluster) -> int:
    return (await kraft.clock.show())["nowMs"]


async def test_an_error_that_a_client_gets_once_moves_no_time() -> None:
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        before = await now_ms(kraft)

        assert await error_of(client, "orders") == UNKNOWN
        assert await error_of(client, "invoices") == UNKNOWN
        assert await now_ms(kraft) == before


async def test_a_client_that_repeats_an_error_waits_for_a_second_each_time() -> None:
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        before = await now_ms(kraft)

        assert [await error_of(client, "orders") for _ in range(4)] == [UNKNOWN] * 4
        assert await now_ms(kraft) == before + 3_000


async def test_a_client_that_asks_for_two_topics_in_turn_waits_too() -> None:
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        before = await now_ms(kraft)

        for topic in ("orders", "invoices") * 2:
            assert await error_of(client, topic) == UNKNOWN
        assert await now_ms(kraft) == before + 1_000


async def test_it_waits_no_longer_than_to_the_next_event_of_the_controller() -> None:
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        await kraft.brokers.kill(2)
        for _ in range(40):
            if "fenced" not in kraft.brokers.states_of(2):
                assert await error_of(client, "orders") == UNKNOWN

        (fenced,) = [row for row in await kraft.events.list() if row["kind"] == "broker_fenced"]
        assert fenced["tUs"] // 1000 == await now_ms(kraft)


async def test_a_client_that_asks_for_the_leader_gets_it_although_nobody_else_waits() -> None:
    async with cluster(controllers=3) as kraft, connected(address_of(kraft, 1)) as client:
        assert await quorum_error(client) == 0
        await kraft.controllers.kill(kraft.quorum.leader()["leaderId"])

        errors = [await quorum_error(client) for _ in range(40)]

        assert errors[0] == NOT_LEADER
        assert errors[-1] == 0


async def test_another_connection_of_the_client_repeats_it_too() -> None:
    async with cluster() as kraft:
        one, two = address_of(kraft, 1), address_of(kraft, 2)
        async with connected(one) as first, connected(two) as second:
            before = await now_ms(kraft)

            assert await error_of(first, "orders") == UNKNOWN
            assert await error_of(second, "orders") == UNKNOWN
            assert await now_ms(kraft) == before + 1_000


async def test_other_errors_and_other_clocks_make_nobody_wait() -> None:
    async with cluster("virtual") as kraft, connected(address_of(kraft, 1)) as client:
        assert [await error_of(client, "orders") for _ in range(3)] == [UNKNOWN] * 3
        assert await now_ms(kraft) < 1_000
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        before = await now_ms(kraft)
        assert [await error_of(client, "a b") for _ in range(3)] == [
            ErrorCode.INVALID_TOPIC_EXCEPTION
        ] * 3
        assert await now_ms(kraft) == before


async def test_a_paused_clock_makes_nobody_wait() -> None:
    async with cluster() as kraft, connected(address_of(kraft, 1)) as client:
        await kraft.clock.pause()

        assert [await error_of(client, "orders") for _ in range(3)] == [UNKNOWN] * 3


async def test_a_consumer_that_fetches_from_a_broker_without_the_replica_waits() -> None:
    async with cluster() as kraft:
        await kraft.topics.create("orders", assignments=[[2]])
        topic_id = kraft.world.committed.topic_ids["orders"]
        async with connected(address_of(kraft, 1)) as client:
            await kraft.clock.advance("2s")
            before = await now_ms(kraft)
            partition = FetchPartition(partition=0, fetch_offset=0)
            asked = FetchRequest(
                max_wait_ms=10_000,
                topics=(FetchTopic(topic_id=topic_id, partitions=(partition,)),),
            )

            replies = [await answer(client, FETCH, 17, asked) for _ in range(3)]

            errors = [reply.responses[0].partitions[0].error_code for reply in replies]
            assert errors == [NOT_LEADER] * 3
            assert await now_ms(kraft) == before + 2_000
