"""What other clients notice while connections send thousands of requests at once."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

from kraftsim.controller.core.rpc import MetadataRequest
from kraftsim.controller.wire.frames import encode_request

from .processes import running, up
from .report import Row

REQUESTS = 10_000
SECONDS = 10.0
METADATA = encode_request(3, 12, 1, "bench", MetadataRequest())
ALIVE = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def attacks() -> list[Row]:
    """Measures HTTP and Metadata with an idle service, and beside 1 and 200 busy connections."""
    rows = []
    for connections in (1, 200):
        with up() as (_, addresses):
            rows += asyncio.run(_rows(addresses, connections))
    return rows


async def _rows(addresses: dict[str, str], connections: int) -> list[Row]:
    http = int(addresses["KRAFTSIM_HTTP"].rpartition(":")[2])
    kafka = int(addresses["KRAFTSIM_BOOTSTRAP_SERVERS"].partition(",")[0].rpartition(":")[2])
    probes = {"HTTP": lambda: _livez(http), "Metadata": lambda: _metadata(kafka)}
    idle = await _measured(probes)
    with running("-m", "bench.attacks", str(kafka), str(connections)):
        busy = await _measured(probes)
    name = f"{connections} x {REQUESTS:,} requests at once"
    return [
        Row(
            f"{name}: p99 of {probe}",
            f"{_p99_ms(busy[probe]):.1f} ms",
            f"{_p99_ms(idle[probe]):.1f} ms idle",
            None,
            "<= 50 ms",
        )
        for probe in probes
    ]


async def _measured(probes: dict[str, Callable[[], Awaitable[None]]]) -> dict[str, list[float]]:
    """Returns the seconds that each request of a probe took, in SECONDS."""
    results = await asyncio.gather(*(_repeated(probe) for probe in probes.values()))
    return dict(zip(probes, results, strict=True))


async def _repeated(probe: Callable[[], Awaitable[None]]) -> list[float]:
    taken_s = []
    end_s = time.perf_counter() + SECONDS
    while (began_s := time.perf_counter()) < end_s:
        await probe()
        taken_s.append(time.perf_counter() - began_s)
        await asyncio.sleep(0.01)
    return taken_s


async def _livez(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(ALIVE)
    await reader.read()
    writer.close()


async def _metadata(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(METADATA)
    await reader.readexactly(4)
    writer.close()


def _p99_ms(taken_s: list[float]) -> float:
    return sorted(taken_s)[int(len(taken_s) * 0.99)] * 1e3


async def _attack(port: int, connections: int) -> None:
    """Sends bursts on all connections, again and again, until it is ended."""
    await asyncio.gather(*(_burst(port) for _ in range(connections)))


async def _burst(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        writer.write(METADATA * REQUESTS)
        left = REQUESTS
        while left:
            size = int.from_bytes(await reader.readexactly(4))
            await reader.readexactly(size)
            left -= 1


if __name__ == "__main__":
    asyncio.run(_attack(int(sys.argv[1]), int(sys.argv[2])))
