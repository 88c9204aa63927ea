"""Metadata requests of clients: topics by id, and thousands of topics at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    DeleteTopicsRequest,
    DeleteTopicState,
    MetadataRequest,
    MetadataRequestTopic,
)
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.server.kafka_client import Client, connected
from tests.server.wires import Wire

pytestmark = pytest.mark.realtime


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as cluster:
        yield cluster


@pytest.fixture
async def broker(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_servers) as client:
        yield client


@pytest.mark.parametrize("version", [10, 11])
async def test_metadata_by_topic_id_is_refused_before_version_12(
    broker: Client, version: int
) -> None:
    """KafkaApis.scala: the response of these versions cannot spell a topic without a name."""
    unnamed = MetadataRequestTopic(name=None)
    with_id = MetadataRequestTopic(name="orders", topic_id=bytes(15) + b"7")

    for topic in (unnamed, with_id):
        broker.send(3, version, MetadataRequest(topics=(topic,)))
        _, response = await broker.answer(3, version)
        assert [refused.error_code for refused in response.topics] == [ErrorCode.INVALID_REQUEST]
    assert await broker.is_served()


@pytest.mark.python_modules
async def test_metadata_of_many_topics_comes_in_turns_with_the_requests_of_others(
    kraft: Cluster, broker: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer shows one moment, although a topic was deleted while it was made."""
    monkeypatch.setattr("kraftsim.service.client_view.TOPICS_AT_ONCE", 1)
    monkeypatch.setattr("kraftsim.service.client_view.PARTS_AT_ONCE", 1)
    monkeypatch.setattr("kraftsim.controller.server.turns.SLICE_S", 0.0)
    names = [f"topic-{number}" for number in range(9)]
    for name in names:
        await kraft.topics.create(name)
    await kraft.clock.advance("5s")
    wire, connection = Wire(), KafkaConnection(kraft._live.service.brokers[1])
    connection.connection_made(wire)

    connection.data_received(encode_request(3, 12, 7, "test", MetadataRequest()))
    for _ in names[:3]:
        await asyncio.sleep(0)
    assert not wire.written
    deletion = DeleteTopicState(name=names[-1])
    await kraft.request(DeleteTopicsRequest(topics=(deletion,), timeout_ms=1000))
    await kraft.clock.advance("5s")
    await broker.round_trips(broker, len(names))

    _, answer = decode_response(3, 12, bytes(wire.written[4:]))
    assert [topic.name for topic in answer.topics] == names


@pytest.fixture
async def slowly(kraft: Cluster, monkeypatch: pytest.MonkeyPatch) -> tuple[Wire, KafkaConnection]:
    """A connection whose request for a topic of 2,000 partitions is being answered."""
    monkeypatch.setattr("kraftsim.controller.server.turns.SLICE_S", 0.0)
    await kraft.topics.create("orders", partitions=2_000)
    await kraft.clock.advance("5s")
    wire, connection = Wire(), KafkaConnection(kraft._live.service.brokers[1])
    connection.connection_made(wire)
    connection.data_received(encode_request(3, 12, 7, "test", MetadataRequest()))
    assert not wire.written
    return wire, connection


@pytest.mark.python_modules
async def test_a_long_reply_is_encoded_in_turns_with_the_requests_of_others(
    broker: Client, slowly: tuple[Wire, KafkaConnection]
) -> None:
    wire, connection = slowly

    connection.data_received(encode_request(3, 12, 8, "test", MetadataRequest(topics=())))
    assert await broker.is_served()
    assert not wire.written
    await broker.round_trips(broker, 20)

    number, answer = decode_response(3, 12, bytes(wire.written[4:]))
    assert (number, len(answer.topics[0].partitions)) == (7, 2_000)
    rest = wire.written[4 + int.from_bytes(wire.written[:4]) :]
    assert decode_response(3, 12, bytes(rest[4:]))[0] == 8


@pytest.mark.python_modules
async def test_a_long_reply_to_a_client_that_has_gone_is_dropped(
    broker: Client, slowly: tuple[Wire, KafkaConnection]
) -> None:
    wire, connection = slowly

    connection.connection_lost(None)
    await broker.round_trips(broker, 20)

    assert not wire.written
