"""A broker takes a Produce of socket.request.max.bytes; other requests have their own limit."""

import pytest

from kraftsim import Cluster
from kraftsim.controller.wire.frames import REQUEST_BYTES_MAX
from tests.batches import batch
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import produced

pytestmark = pytest.mark.realtime

MEGABYTE = 1_000_000
SETTINGS = {"message.max.bytes": 10 * MEGABYTE}


def cluster(bytes_max: int = 12 * MEGABYTE) -> Cluster:
    settings = {**SETTINGS, "socket.request.max.bytes": bytes_max}
    return Cluster(
        brokers=1, clock="virtual", seed=1, kafka_port=0, controller_port=0, settings=settings
    )


async def code_of(client: Client, size: int) -> int:
    client.send(0, 9, produced(batch(bytes(size))))
    _, reply = await client.answer(0, 9)
    (topic,) = reply.responses
    code: int = topic.partition_responses[0].error_code
    return code


async def test_a_batch_of_message_max_bytes_is_stored() -> None:
    async with cluster() as kraft:
        await kraft.topics.create("t", partitions=1)
        async with connected(kraft.bootstrap_servers) as client:
            assert await code_of(client, 10 * MEGABYTE - 100) == 0
            assert await code_of(client, 10 * MEGABYTE) == 10  # MESSAGE_TOO_LARGE
            assert await client.is_served()
        described = await kraft.topics.describe("t")

    assert described["partitions"][0]["logEndOffset"] == 1


async def test_the_bytes_of_a_produce_request_have_a_bound(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with cluster() as kraft:
        await kraft.topics.create("t", partitions=1)
        async with connected(kraft.bootstrap_servers) as client:
            client.writer.write((12 * MEGABYTE + 1).to_bytes(4) + bytes(2))
            assert await client.ended() == b""
        async with connected(kraft.bootstrap_servers) as client:
            client.writer.write((REQUEST_BYTES_MAX + 1).to_bytes(4) + (3).to_bytes(2))
            assert await client.ended() == b""
        async with connected(kraft.bootstrap_controllers) as client:
            client.writer.write((REQUEST_BYTES_MAX + 1).to_bytes(4) + bytes(2))
            assert await client.ended() == b""

    assert caplog.text.count("expected a frame of 0 to 4194304 bytes (of Produce 12000000)") == 2


async def test_the_key_decides_once_it_is_there() -> None:
    async with cluster() as kraft, connected(kraft.bootstrap_servers) as client:
        client.writer.write((REQUEST_BYTES_MAX + 1).to_bytes(4) + bytes(1))
        async with connected(kraft.bootstrap_servers) as other:
            await client.round_trips(other)
        assert client.nothing_came
        client.writer.write(bytes([3]))  # Metadata
        assert await client.ended() == b""


async def test_a_small_bound_is_that_of_every_request() -> None:
    async with cluster(MEGABYTE) as kraft:
        for key in (b"\0\0", b"\0\3"):
            async with connected(kraft.bootstrap_servers) as client:
                client.writer.write((MEGABYTE + 1).to_bytes(4) + key)
                assert await client.ended() == b""
