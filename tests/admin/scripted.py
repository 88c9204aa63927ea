"""A server that answers as a test says: a Kafka listener that is old, broken or not one at all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from kraftsim.admin import Admin, AdminError
from kraftsim.controller.core.rpc import (
    ApiVersion,
    ApiVersionsResponse,
    DescribeClusterResponse,
    Request,
    Response,
)
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import (
    RequestHeader,
    decode_request,
    encode_response,
    read_request_header,
)
from tests.limits import LIMIT_S

NEVER = b""  # an answer that does not come, on a connection that stays open
DESCRIBED = DescribeClusterResponse(cluster_id="c")
NEWEST = {key: 9 for key in APIS}

Given = bytes | Response | None
Answer = Callable[[RequestHeader, Request], Given | Awaitable[Given]]


@dataclass(slots=True)
class Scripted:
    """`asked` are the key and version of each request; `connections` counts those made."""

    port: int = 0
    connections: int = 0
    asked: list[tuple[int, int]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


@asynccontextmanager
async def scripted(
    answer: Answer, *, newest: dict[int, int] | None = None
) -> AsyncIterator[Scripted]:
    """A server that negotiates like Kafka and answers other requests with `answer`.

    A response is encoded, bytes are sent as they are and end the connection, None ends it at once;
    all three may come later. The clients must have closed their connections at the end. `newest`
    has the newest version of an API that it supports, where that is not 9.
    """
    versions = NEWEST | (newest or {})
    server = Scripted()
    serving: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        serving.add(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            is_over = False
            while not is_over:
                data, is_over = await _next(reader, server, answer, versions)
                writer.write(data)
            await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield server
        async with asyncio.timeout(LIMIT_S):
            await asyncio.gather(*filter(None, serving))


async def _next(
    reader: asyncio.StreamReader, server: Scripted, answer: Answer, newest: dict[int, int]
) -> tuple[bytes, bool]:
    """What to send for the next request, and whether the connection ends then."""
    frame = await reader.readexactly(int.from_bytes(await reader.readexactly(4)))
    header = read_request_header(frame)
    key, version = header.api_key, header.api_version
    server.asked.append((key, version))
    apis = tuple(
        ApiVersion(api_key=api_key, min_version=0, max_version=highest)
        for api_key, highest in newest.items()
    )
    if key == 18 and version > newest[18]:
        only = tuple(api for api in apis if api.api_key == 18)
        refusal = ApiVersionsResponse(error_code=35, api_keys=only)
        return encode_response(18, 0, header.correlation_id, refusal), False
    if key == 18:
        response = ApiVersionsResponse(api_keys=apis)
        return encode_response(key, version, header.correlation_id, response), False
    given = answer(header, decode_request(header, frame))
    if isinstance(given, Awaitable):
        given = await given
    if given is None or isinstance(given, bytes):
        return given or b"", given != NEVER
    return encode_response(key, version, header.correlation_id, given), False


def always(given: Given) -> Answer:
    """Answers every request alike."""
    return lambda header, request: given


def once(given: Given, then: Response) -> Answer:
    """Answers the first request with `given`, and every other one with `then`."""
    answers = iter([given])
    return lambda header, request: next(answers, then)


async def failure_of(
    addresses: str,
    call: Callable[[Admin], Awaitable[object]] = Admin.describe_cluster,
    limit_s: float = 10,
) -> AdminError:
    """The error of a call to those servers, made within the time limit."""
    async with Admin(addresses, timeout_s=limit_s) as admin:
        with pytest.raises(AdminError) as failed:
            await call(admin)
    return failed.value


def frame(size: int, correlation_id: int, body: bytes) -> bytes:
    """A frame that says it has `size` bytes, whatever follows."""
    return size.to_bytes(4) + correlation_id.to_bytes(4) + body
