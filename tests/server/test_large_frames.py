"""A large request arrives in a buffer of its own, on asyncio's loop and on uvloop."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest
import uvloop

from kraftsim import Cluster
from kraftsim.controller.server.connection.large_frame import LargeFrame
from kraftsim.controller.server.spare_buffers import SPARE_BYTES_MAX, SpareBuffers
from tests.batches import batch
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import produced

pytestmark = pytest.mark.realtime

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
PRODUCE, PRODUCE_VERSION = 0, 9
SIZE = 900_000


def cluster() -> Cluster:
    return Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0)


async def offset_of(client: Client) -> int:
    _, reply = await client.answer(PRODUCE, PRODUCE_VERSION)
    (partition,) = reply.responses[0].partition_responses
    assert partition.error_code == 0, partition
    offset: int = partition.base_offset
    return offset


async def produce_in_pieces(kraft: Cluster) -> list[bytes]:
    """Sends large and small requests, with pauses; returns the values that were sent."""
    random, values = Random(1), []
    servers = kraft.bootstrap_servers
    async with connected(servers) as client, connected(servers) as other:
        for number in range(6):
            values.append(random.randbytes(SIZE + random.choice([0, 0, 7])))
            client.send(PRODUCE, PRODUCE_VERSION, produced(batch(values[-1])))
            if number % 2:  # behind the large one, in the same stream
                values.append(b"small")
                client.send(PRODUCE, PRODUCE_VERSION, produced(batch(values[-1])))
            await client.round_trips(other, random.choice([0, 1, 5]))
            sent = 1 + number % 2
            assert [await offset_of(client) for _ in range(sent)] == [
                *range(len(values) - sent, len(values))
            ]
    return values


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_large_requests_are_stored_as_they_were_sent(
    loop: Callable[[], asyncio.AbstractEventLoop], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[LargeFrame] = []
    begin = LargeFrame.begin
    monkeypatch.setattr(LargeFrame, "begin", lambda frame: (begun.append(frame), begin(frame)))

    async def story() -> tuple[list[bytes], list[bytes]]:
        async with cluster() as kraft:
            await kraft.topics.create("t")
            values = await produce_in_pieces(kraft)
            (log,) = kraft._live.world.agents[1].store.logs.values()
            return values, log.batches

    with asyncio.Runner(loop_factory=loop) as runner:
        values, batches = runner.run(story())

    assert begun
    assert [value in stored for value, stored in zip(values, batches, strict=True)] == [
        True for _ in values
    ]


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_client_that_ends_amid_a_large_request_leaves_nothing(
    loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    async def story() -> list[int]:
        async with cluster() as kraft:
            unread = kraft._live.now.runtime.unread
            async with connected(kraft.bootstrap_servers) as client:
                client.writer.write(SIZE.to_bytes(4) + bytes(SIZE // 2))
                async with connected(kraft.bootstrap_servers) as other:
                    while unread.total_bytes < SIZE:  # the buffer counts
                        await client.round_trips(other, 1)
            async with connected(kraft.bootstrap_servers) as other:
                while kraft._live.service.connections()[1:]:
                    await other.round_trips(other, 1)
                return [unread.total_bytes]

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(story()) == [0]


def test_spare_buffers_have_the_size_that_is_asked_for_and_a_bound() -> None:
    spare = SpareBuffers()
    first = spare.take(1_000)
    spare.give(first)

    assert spare.take(900) is first
    assert len(first) == 900
    spare.give(first)
    assert len(spare.take(1_200)) == 1_200

    spare.give(bytearray(SPARE_BYTES_MAX))
    spare.give(bytearray(1))
    assert len(spare.take(SPARE_BYTES_MAX)) == SPARE_BYTES_MAX
    assert spare.take(1) is not first
