"""Telemetry requests at the listener of a simulated broker."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.rpc import DescribeTopicPartitionsRequest, TopicRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.telemetry import (
    GetTelemetrySubscriptionsRequest,
    PushTelemetryRequest,
)
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime
INSTANCE = bytes(range(16))


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0, http_port=0) as cluster:
        yield cluster


async def asked(client: Client) -> Any:
    client.send(71, 0, GetTelemetrySubscriptionsRequest(client_instance_id=INSTANCE))
    return (await client.answer(71, 0))[1]


async def test_a_broker_answers_what_it_does_not_list(kraft: Cluster) -> None:
    async with connected(kraft.bootstrap_servers) as client:
        client.ask_versions()
        _, listed = await client.answer(18, 3)
        assert not {71, 72} & {api.api_key for api in listed.api_keys}

        reply = await asked(client)

        assert (reply.error_code, reply.subscription_id & 0xFFFFFFFF) == (0, 0xD4C75BDE)
        push = PushTelemetryRequest(
            client_instance_id=INSTANCE, subscription_id=reply.subscription_id
        )
        client.send(72, 0, push)
        assert (await client.answer(72, 0))[1].error_code == 0


async def test_a_client_is_forgotten_with_its_connection(kraft: Cluster) -> None:
    async with connected(kraft.bootstrap_servers) as client:
        assert [(await asked(client)).error_code for _ in range(2)] == [0, 89]

    async with connected(kraft.bootstrap_servers) as client:
        assert (await asked(client)).error_code == 0


async def test_a_client_matches_by_its_name_its_software_and_its_address(kraft: Cluster) -> None:
    match = "client_id=test,client_software_name=test,client_software_version=1"
    match += ",client_source_address=127.0.0.1,client_source_port=[1-9][0-9]+"
    async with connected(kraft.bootstrap_servers) as client:
        configs = {"metrics": "org.a", "match": match}
        client.send(44, 1, subscription("s", configs))
        await client.answer(44, 1)
        await kraft.clock.advance("1s")
        assert (await asked(client)).requested_metrics == ()

    async with connected(kraft.bootstrap_servers) as client:
        client.ask_versions()
        await client.answer(18, 3)
        assert (await asked(client)).requested_metrics == ("org.a",)


def subscription(name: str, configs: dict[str, str]) -> IncrementalAlterConfigsRequest:
    changes = tuple(
        AlterableConfig(name=key, config_operation=0, value=text) for key, text in configs.items()
    )
    resource = IncrementalAlterConfigsResource(
        resource_type=16, resource_name=name, configs=changes
    )
    return IncrementalAlterConfigsRequest(resources=(resource,))


async def test_a_property_file_bounds_metrics_and_described_partitions() -> None:
    settings = {"telemetry.max.bytes": 100, "max.request.partition.size.limit": 2}
    cluster = Cluster(
        brokers=1, clock="virtual", seed=1, kafka_port=0, http_port=0, settings=settings
    )
    async with cluster as kraft:
        await kraft.topics.create("t", partitions=3)
        async with connected(kraft.bootstrap_servers) as client:
            assert (await asked(client)).telemetry_max_bytes == 100

            client.send(75, 0, DescribeTopicPartitionsRequest(topics=(TopicRequest(name="t"),)))
            _, reply = await client.answer(75, 0)

    assert [len(topic.partitions) for topic in reply.topics] == [2]
