"""However clients send, and however far time jumps: no jump passes a request that has arrived."""

import asyncio
import os
import random
import socket
import struct
from contextlib import ExitStack, suppress

import pytest

from kraftsim import Cluster
from tests.kraftsim.loop_passes import others_run

STEPS = int(os.environ.get("KRAFTSIM_SOAK_STEPS", "2500"))
CLIENTS = 3
METADATA = struct.pack(">ihhih", 14, 3, 1, 7, -1) + struct.pack(">i", -1)
LONGEST_JUMP_MS = 700  # past the next fetch of a broker

pytestmark = [pytest.mark.slow, pytest.mark.realtime]


class Client:
    """A connection that sends requests whole or in two pieces, and forgets the responses."""

    def __init__(self, address: str, stack: ExitStack) -> None:
        host, port = address.split(":")
        self._socket = stack.enter_context(socket.create_connection((host, int(port))))
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # halves leave at once
        self.rest = b""

    def send_whole(self) -> None:
        self._socket.send(METADATA)

    def send_half(self, size: int) -> None:
        self._socket.send(METADATA[:size])
        self.rest = METADATA[size:]

    def send_rest(self) -> None:
        self._socket.send(self.rest)
        self.rest = b""

    def forget_responses(self) -> None:
        with suppress(BlockingIOError):
            self._socket.recv(65536)


async def moved(kraft: Cluster, by_ms: int, later: Client | None) -> None:
    """Lets time pass; a client that has sent half a request sends the rest while it should."""
    moving = asyncio.ensure_future(kraft.clock.advance(f"{by_ms}ms"))
    if later is not None:
        await others_run(20)
        assert not moving.done()
        later.send_rest()
    await moving


async def test_no_jump_passes_a_request_that_has_arrived() -> None:
    draw = random.Random(7)
    with ExitStack() as stack:
        async with Cluster(brokers=1, clock="auto", seed=1, kafka_port=0) as kraft:
            clients = [Client(kraft.bootstrap_servers, stack) for _ in range(CLIENTS)]
            await kraft.clock.advance("1s")
            for _ in range(STEPS):
                client = draw.choice(clients)
                now_us, number = (
                    kraft.world.timeline.now_us,
                    kraft._live.service.requests.next_number,
                )
                if is_half := draw.random() < 0.2:
                    client.send_half(draw.randrange(1, len(METADATA)))
                else:
                    client.send_whole()
                await moved(kraft, draw.randrange(1, LONGEST_JUMP_MS), client if is_half else None)
                client.forget_responses()

                (request,) = await kraft.requests.list(from_=number)
                assert request["tUs"] == now_us
