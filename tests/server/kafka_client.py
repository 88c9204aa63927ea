"""A raw Kafka client for tests: frames out, frames in, and the end of a connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    DescribeClusterRequest,
    FetchPartition,
    FetchRequest,
    FetchTopic,
    Request,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.limits import LIMIT_S

API_VERSIONS = ApiVersionsRequest(client_software_name="test", client_software_version="1")


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, key: int, version: int, request: Request, correlation_id: int = 1) -> None:
        self.writer.write(encode_request(key, version, correlation_id, "test", request))

    def ask_versions(self, correlation_id: int = 1) -> None:
        self.send(18, 3, API_VERSIONS, correlation_id)

    def ask_cluster(self, correlation_id: int = 1, endpoint_type: int = 1) -> None:
        self.send(60, 2, DescribeClusterRequest(endpoint_type=endpoint_type), correlation_id)

    def fetch(self, offset: int, correlation_id: int = 1, *, epoch: int, max_wait_ms: int) -> None:
        wanted = FetchPartition(
            partition=0, current_leader_epoch=epoch, fetch_offset=offset, last_fetched_epoch=epoch
        )
        request = FetchRequest(
            max_wait_ms=max_wait_ms,
            topics=(FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(wanted,)),),
        )
        self.send(1, 17, request, correlation_id)

    async def frame(self) -> bytes:
        async with asyncio.timeout(LIMIT_S):
            size = int.from_bytes(await self.reader.readexactly(4))
            return await self.reader.readexactly(size)

    async def answer(self, key: int, version: int) -> tuple[int, Any]:
        """Correlation id and response."""
        return decode_response(key, version, await self.frame())

    async def is_served(self) -> bool:
        self.ask_versions(99)
        correlation_id, _ = await self.answer(18, 3)
        return correlation_id == 99

    @property
    def nothing_came(self) -> bool:
        return not self.reader._buffer and not self.reader.at_eof()

    async def ended(self) -> bytes:
        """What still comes before the other side closes."""
        async with asyncio.timeout(LIMIT_S):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    async def round_trips(self, other: "Client", count: int = 5) -> None:
        """Let the server do what it has to do: another client is answered meanwhile."""
        for _ in range(count):
            assert await other.is_served()


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Client]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()
