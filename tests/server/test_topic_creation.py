"""Topics that a broker creates for Metadata requests of its clients; released 4.3.1 was asked."""

import asyncio
import logging
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    CreateTopicsRequest,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataTopic,
)
from kraftsim.simulation.world import World
from tests.server.kafka_client import Client, connected

pytestmark = [pytest.mark.realtime, pytest.mark.rule("5.44d")]

METADATA = 3
ATTEMPTS = 500
UNKNOWN, INVALID = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION


def cluster(clock: Any = "virtual", **settings: object) -> Cluster:
    return Cluster(brokers=1, clock=clock, seed=1, kafka_port=0, settings=settings)


async def asked(client: Client, *names: str, version: int = 12, allows: bool = True) -> list[Any]:
    """Returns the topics that a Metadata request for these names describes."""
    topics = tuple(MetadataRequestTopic(name=name) for name in names)
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=allows)
    client.send(METADATA, version, request)
    _, response = await client.answer(METADATA, version)
    return [*response.topics]


def errors(topics: list[MetadataTopic]) -> dict[str | None, int]:
    return {topic.name: topic.error_code for topic in topics}


async def names_in(kraft: Cluster) -> set[str]:
    await kraft.clock.advance("2s")
    return {topic["name"] for topic in await kraft.topics.list()}


async def test_a_missing_topic_is_unknown_at_first_and_there_when_the_client_asks_again() -> None:
    async with cluster(num_partitions=3) as kraft, connected(kraft.bootstrap_servers) as client:
        assert errors(await asked(client, "orders", "a b")) == {"orders": UNKNOWN, "a b": INVALID}
        await kraft.clock.advance("2s")

        orders, bad = await asked(client, "orders", "a b")

        assert (orders.error_code, len(orders.partitions)) == (0, 3)
        assert bad.error_code == INVALID


@pytest.mark.parametrize("version", [0, 1, 3])
async def test_the_versions_without_the_field_create_topics(version: int) -> None:
    async with cluster() as kraft, connected(kraft.bootstrap_servers) as client:
        await asked(client, "orders", version=version)

        assert await names_in(kraft) == {"orders"}


async def test_nothing_is_created_for_a_request_that_does_not_allow_it() -> None:
    async with cluster() as kraft, connected(kraft.bootstrap_servers) as client:
        assert errors(await asked(client, "orders", allows=False)) == {"orders": UNKNOWN}

        assert await names_in(kraft) == set()


async def test_nothing_is_created_if_the_broker_may_not() -> None:
    settings = {"auto.create.topics.enable": False}
    async with cluster(**settings) as kraft, connected(kraft.bootstrap_servers) as client:
        assert errors(await asked(client, "orders")) == {"orders": UNKNOWN}

        assert await names_in(kraft) == set()


async def test_a_topic_is_requested_once_while_its_creation_is_in_flight() -> None:
    async with cluster() as kraft, connected(kraft.bootstrap_servers) as client:
        sent: list[CreateTopicsRequest] = []

        def note(message: Any) -> None:
            if isinstance(message.request, CreateTopicsRequest) and message.reply is None:
                sent.append(message.request)

        world: World = kraft.world
        world.network.arrived.append(note)
        for _ in range(3):
            await asked(client, "orders")

        assert await names_in(kraft) == {"orders"}
        assert len(sent) == 1


async def test_what_the_controller_refuses_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with cluster() as kraft, connected(kraft.bootstrap_servers) as client:
        await asked(client, "a.b")
        await kraft.clock.advance("2s")
        with caplog.at_level(logging.WARNING):
            assert errors(await asked(client, "a_b")) == {"a_b": UNKNOWN}
            assert await names_in(kraft) == {"a.b"}

        assert (
            "Auto topic creation failed for a_b with error 'INVALID_TOPIC_EXCEPTION'" in caplog.text
        )


@pytest.mark.parametrize(
    ("name", "settings", "configs"),
    [
        (
            "__consumer_offsets",
            {"offsets.topic.num.partitions": 4, "offsets.topic.replication.factor": 1},
            {
                "cleanup.policy": "compact",
                "compression.type": "producer",
                "segment.bytes": "104857600",
            },
        ),
        (
            "__transaction_state",
            {
                "transaction.state.log.num.partitions": 4,
                "transaction.state.log.replication.factor": 1,
                "transaction.state.log.min.isr": 1,
            },
            {
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": "1",
                "segment.bytes": "104857600",
                "unclean.leader.election.enable": "false",
            },
        ),
        (
            "__share_group_state",
            {
                "share.coordinator.state.topic.num.partitions": 4,
                "share.coordinator.state.topic.replication.factor": 1,
                "share.coordinator.state.topic.segment.bytes": 1048576,
            },
            {
                "cleanup.policy": "delete",
                "compression.type": "producer",
                "min.insync.replicas": "2",
                "retention.ms": "-1",
                "segment.bytes": "1048576",
            },
        ),
    ],
)
async def test_an_internal_topic_is_created_as_its_coordinator_would(
    name: str, settings: dict[str, object], configs: dict[str, str]
) -> None:
    async with cluster(**settings) as kraft, connected(kraft.bootstrap_servers) as client:
        (unknown,) = await asked(client, name)
        await kraft.clock.advance("2s")
        (topic,) = await asked(client, name)

        assert (unknown.error_code, unknown.is_internal) == (UNKNOWN, True)
        assert len(topic.partitions) == 4
        assert kraft.world.committed.configs[2, name] == configs


async def test_the_clock_that_moves_for_clients_moves_for_a_topic_that_one_will_ask_for() -> None:
    async with cluster("auto") as kraft, connected(kraft.bootstrap_servers) as client:
        assert errors(await asked(client, "orders")) == {"orders": UNKNOWN}
        for _ in range(ATTEMPTS):
            (topic,) = await asked(client, "orders")
            if not topic.error_code:
                break
            await asyncio.sleep(0.01)

        assert [partition.leader_id for partition in topic.partitions] == [1]
