"""Requests that a broker forwards while no controller answers."""

from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from tests.server.kafka_client import connected

pytestmark = pytest.mark.realtime

CREATE_TOPICS, VERSION = 19, 7


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as cluster:
        yield cluster


async def test_a_broker_without_controllers_answers_after_a_minute_and_without_a_text(
    kraft: Cluster,
) -> None:
    """4.3.1 with its only controller killed: 7 and a message of null after 60 s."""
    await kraft.controllers.kill(3000)
    wanted = CreatableTopic(name="orders", num_partitions=1, replication_factor=1)

    async with (
        connected(kraft.bootstrap_servers) as client,
        connected(kraft.bootstrap_servers) as other,
    ):
        client.send(CREATE_TOPICS, VERSION, CreateTopicsRequest(topics=(wanted,)))
        await client.round_trips(other)
        await kraft.clock.advance("59s")
        await client.round_trips(other)
        assert client.nothing_came

        await kraft.clock.advance("2s")

        _, response = await client.answer(CREATE_TOPICS, VERSION)
        (topic,) = response.topics
        assert (topic.error_code, topic.error_message) == (ErrorCode.REQUEST_TIMED_OUT, None)
