"""What a heartbeat waits for while another client sends one large request after the other."""

import asyncio
import sys
import time
from itertools import cycle

from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
    MetadataRequest,
    MetadataRequestTopic,
)
from kraftsim.controller.wire.frames import encode_request

from .heartbeats import heartbeat, register
from .processes import controller_port, running, up
from .report import Row

TOPICS, BATCH = 7_000, 1_000
SECONDS, REST_S = 5.0, 0.005
BROKER_ID = 100


def large_requests() -> list[Row]:
    """Measures heartbeats beside each kind of large request, in a cluster of 7,000 topics."""
    with up() as (_, addresses):
        controller = controller_port(addresses)
        kafka = int(addresses["KRAFTSIM_BOOTSTRAP_SERVERS"].partition(",")[0].rpartition(":")[2])
        http = int(addresses["KRAFTSIM_HTTP"].rpartition(":")[2])
        asyncio.run(_prepare(controller))
        ((_, epoch),) = register(controller, range(BROKER_ID, BROKER_ID + 1))
        beat = heartbeat(BROKER_ID, epoch)
        rows = []
        for name in KAFKA | HTTP:
            port = controller if name in ON_CONTROLLER else kafka if name in KAFKA else http
            with running("-m", "bench.large_requests", name, str(port)) as attacker:
                assert attacker.stdout is not None
                attacker.stdout.readline()
                waits_s = sorted(asyncio.run(_heartbeats(controller, beat)))
            p99_ms, longest_ms = waits_s[int(len(waits_s) * 0.99)] * 1e3, waits_s[-1] * 1e3
            figure = f"p99 {p99_ms:.1f} ms, longest {longest_ms:.1f} ms"
            rows.append(Row(name, figure, "", None, "p99 <= 50 ms"))
        return rows


def _topics(prefix: str, count: int) -> list[str]:
    return [f"{prefix}-{number}" for number in range(count)]


def _creation(names: list[str], *, validate_only: bool = False) -> bytes:
    topics = tuple(
        CreatableTopic(name=name, num_partitions=1, replication_factor=3) for name in names
    )
    request = CreateTopicsRequest(topics=topics, timeout_ms=60_000, validate_only=validate_only)
    return encode_request(19, 7, 1, "bench", request)


def _deletion(names: list[str]) -> bytes:
    topics = tuple(DeleteTopicState(name=name) for name in names)
    return encode_request(20, 6, 1, "bench", DeleteTopicsRequest(topics=topics, timeout_ms=60_000))


def _metadata(names: list[str] | None) -> bytes:
    topics = None if names is None else tuple(MetadataRequestTopic(name=name) for name in names)
    return encode_request(3, 12, 1, "bench", MetadataRequest(topics=topics))


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


KAFKA = {
    "Metadata of 7,000 topics": lambda: [_metadata(None)],
    "Metadata that names 40,000 topics": lambda: [_metadata([""] * 40_000)],
    "CreateTopics of 5,000 topics, only to validate": lambda: [
        _creation(_topics("v", 5_000), validate_only=True)
    ],
    "CreateTopics and DeleteTopics of 3,000 topics": lambda: [
        _creation(_topics("x", 3_000)),
        _deletion(_topics("x", 3_000)),
    ],
}
ON_CONTROLLER = {name for name in KAFKA if name.startswith("CreateTopics")}
HTTP = {
    f"GET {path}": lambda path=path: [_get(path)]
    for path in (
        "/v1/events?limit=10000",
        "/v1/log?limit=10000",
        "/v1/topics",
        "/v1/requests?limit=10000",
        "/openapi.json",
    )
}


async def _prepare(port: int) -> None:
    """Creates 10,000 topics and deletes 3,000: as many events and records as a page has."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for first in range(0, TOPICS + 3 * BATCH, BATCH):
        names = [f"topic-{number}" for number in range(first, first + BATCH)]
        writer.write(_creation(names))
        await _frame(reader)
        if first >= TOPICS:
            writer.write(_deletion(names))
            await _frame(reader)
    writer.close()


async def _heartbeats(port: int, beat: bytes) -> list[float]:
    """Returns the seconds until the answer of each heartbeat on one connection, in SECONDS."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waits_s = []
    end_s = time.perf_counter() + SECONDS
    while (began_s := time.perf_counter()) < end_s:
        writer.write(beat)
        await _frame(reader)
        waits_s.append(time.perf_counter() - began_s)
        await asyncio.sleep(REST_S)
    writer.close()
    return waits_s


async def _frame(reader: asyncio.StreamReader) -> None:
    size = int.from_bytes(await reader.readexactly(4))
    await reader.readexactly(size)


async def _response(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if b"chunked" not in head:
        size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(size))
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        await reader.readexactly(size + 2)
    await reader.readexactly(2)


async def _attack(name: str, port: int) -> None:
    """Sends the large request again and again, until it is ended."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    read = _frame if name in KAFKA else _response
    for turn, request in enumerate(cycle((KAFKA | HTTP)[name]())):
        writer.write(request)
        await read(reader)
        if not turn:
            print("attacking", flush=True)


if __name__ == "__main__":
    asyncio.run(_attack(sys.argv[1], int(sys.argv[2])))
