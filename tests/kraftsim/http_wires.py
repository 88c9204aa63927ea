"""Connections to the HTTP service in memory, and the responses that come on them."""

import asyncio
import re
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from typing import Any

from kraftsim import Cluster
from kraftsim.http.connections import HttpConnection
from tests.kraftsim.loop_passes import others_run
from tests.limits import LIMIT_S
from tests.server.wires import Wire

PASSES = 100  # of the event loop
STATUS = re.compile(rb"^HTTP/1\.[01] (\d{3}) ", re.MULTILINE)


class AwaitedWire(Wire):
    """A wire that says when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.was_written = asyncio.Event()

    def write(self, data: Any) -> None:
        super().write(data)
        self.was_written.set()


class Client:
    """A connection to the HTTP service, in memory."""

    def __init__(self, kraft: Cluster) -> None:
        self.wire = AwaitedWire()
        server: Any = kraft._live.service.http
        self._served: HttpConnection = server._connections.new()
        self._served.connection_made(self.wire)

    def deliver(self, piece: bytes) -> None:
        """Passes bytes to the service, which answers in later passes of the event loop."""
        self._served.data_received(piece)

    async def send(self, sent: list[bytes]) -> None:
        for piece in sent:
            await self._until_read()
            if not self.wire.closing:
                self.deliver(piece)
        await others_run(PASSES)

    async def _until_read(self) -> None:
        for _ in range(PASSES):
            if self.wire.reading or self.wire.closing:
                return
            await others_run()

    async def is_answered(self) -> None:
        """Returns once a response is complete."""
        async with asyncio.timeout(LIMIT_S):
            while not self.responses():
                await self.wire.was_written.wait()
                self.wire.was_written.clear()

    async def end(self) -> None:
        self._served.connection_lost(None)
        await others_run(PASSES)

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status in STATUS.findall(bytes(self.wire.written))]

    def responses(self) -> list[tuple[int, str, bytes]]:
        """Status, media type and body of each response that is complete."""
        stream, found = BytesIO(bytes(self.wire.written)), []
        while stream.tell() < len(stream.getvalue()):
            response = HTTPResponse(Stream(stream))  # type: ignore[arg-type]  # as a socket
            try:
                response.begin()
                body = response.read()
            except (HTTPException, ValueError):
                break
            found.append((response.status, response.headers.get_content_type(), body))
        return found


class Stream:
    """What HTTPResponse needs of a socket; closing a response does not close the stream."""

    def __init__(self, stream: BytesIO) -> None:
        self._stream = stream

    def makefile(self, mode: str) -> Any:
        assert mode == "rb"
        stream = self._stream
        stream.close = lambda: None  # type: ignore[method-assign]
        return stream
