"""A broker whose log directories are cordoned gets no new replicas (KIP-1066)."""

from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.descriptions import DescribeLogDirsRequest
from tests.server.kafka_client import Client, connected

pytestmark = [pytest.mark.realtime, pytest.mark.rule("2.32a")]

BROKER = 4
SET, DELETE = 0, 1
CORDONED = " or some brokers have all their log directories cordoned."


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=3, clock="virtual", seed=1, kafka_port=0) as cluster:
        yield cluster


@pytest.fixture
async def broker(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_servers.split(",")[0]) as client:
        yield client


async def cordon(kraft: Cluster, broker: Client, value: str | None) -> AlterConfigsResourceResponse:
    """Sets `cordoned.log.dirs`, or deletes it, and lets the broker report the change."""
    operation = DELETE if value is None else SET
    config = AlterableConfig(name="cordoned.log.dirs", config_operation=operation, value=value)
    resource = IncrementalAlterConfigsResource(
        resource_type=BROKER, resource_name="1", configs=(config,)
    )
    broker.send(44, 1, IncrementalAlterConfigsRequest(resources=(resource,)))
    (response,) = (await broker.answer(44, 1))[1].responses
    await kraft.clock.advance("100ms")
    return response


async def created(broker: Client, name: str) -> tuple[int, str | None]:
    topic = CreatableTopic(name=name, num_partitions=1, replication_factor=3)
    broker.send(19, 7, CreateTopicsRequest(topics=(topic,)))
    (result,) = (await broker.answer(19, 7))[1].topics
    return result.error_code, result.error_message


async def are_cordoned(broker: Client) -> list[bool]:
    broker.send(35, 5, DescribeLogDirsRequest(topics=()))
    return [directory.is_cordoned for directory in (await broker.answer(35, 5))[1].results]


async def test_a_broker_without_a_directory_for_replicas_is_no_candidate(
    kraft: Cluster, broker: Client
) -> None:
    assert (await cordon(kraft, broker, "*")).error_code == ErrorCode.NONE

    assert await are_cordoned(broker) == [True]
    code, message = await created(broker, "refused")
    assert code == ErrorCode.INVALID_REPLICATION_FACTOR
    assert message is not None
    assert message.endswith(CORDONED)

    assert (await cordon(kraft, broker, None)).error_code == ErrorCode.NONE

    assert await are_cordoned(broker) == [False]
    assert await created(broker, "placed") == (ErrorCode.NONE, None)


async def test_a_path_cordons_the_directory_of_that_path(kraft: Cluster, broker: Client) -> None:
    broker.send(35, 5, DescribeLogDirsRequest(topics=()))
    (own,) = (await broker.answer(35, 5))[1].results

    assert (await cordon(kraft, broker, own.log_dir)).error_code == ErrorCode.NONE

    assert await are_cordoned(broker) == [True]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            "/nope",
            "All entries in cordoned.log.dirs must be present in log.dirs or log.dir. "
            "Missing entries : /nope",
        ),
        ("*,/nope", "When cordoned.log.dirs is set to *, it must not contain other values"),
    ],
)
async def test_a_broker_refuses_to_cordon_what_is_none_of_its_directories(
    kraft: Cluster, broker: Client, value: str, reason: str
) -> None:
    refused = await cordon(kraft, broker, value)

    assert refused.error_code == ErrorCode.INVALID_REQUEST
    assert refused.error_message == f"requirement failed: {reason}"
    assert await are_cordoned(broker) == [False]
