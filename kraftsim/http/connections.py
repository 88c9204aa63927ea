"""The connections of the HTTP service: how many, and how long a slow client may take.

aiohttp waits for the rest of a request without a limit. A connection here ends if the headers of
its first request are not complete after REQUEST_S, those of the next after IDLE_S, or if its client
reads nothing for STALLED_S.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from aiohttp import web
from aiohttp.typedefs import Middleware

from kraftsim.controller.server.admission import Admission, address_of

CONNECTIONS_MAX = 512
CONNECTIONS_PER_ADDRESS_MAX = 256
SPARE_FILES = 16  # open files that connections leave; Kafka's listeners leave more, for HTTP
REQUEST_S = 10.0  # from the connection to the end of the first request's headers; also a body
IDLE_S = 75.0  # from a response to the end of the next request's headers
STALLED_S = 30.0  # without a byte that the client reads

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class HttpConnections:
    """The open connections of one service. `handlers` makes aiohttp's handler of a connection."""

    def __init__(self) -> None:
        self.handlers: Callable[[], asyncio.Protocol] = asyncio.Protocol
        self._open: dict[object, HttpConnection] = {}  # by aiohttp's handler
        self._admission = Admission("http", spare_files=SPARE_FILES)

    def new(self) -> "HttpConnection":
        """Returns the protocol of a new connection."""
        return HttpConnection(self, self.handlers())

    def middleware(self) -> Middleware:
        """Returns the middleware that ends the limit for a request's headers at its handler."""

        @web.middleware
        async def watch(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = self._open.get(request.protocol)
            if connection is None:
                return await handler(request)
            connection.end_after(None)
            try:
                return await handler(request)
            finally:
                connection.end_after(IDLE_S)

        return watch

    def admit(self, connection: "HttpConnection", transport: asyncio.BaseTransport) -> bool:
        """Registers a connection; returns False if there are too many."""
        if not self._admission.admit(transport, CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX):
            return False
        self._open[connection.handler] = connection
        return True

    def forget(self, connection: "HttpConnection") -> bool:
        """Unregisters a connection that has ended; returns False if it was never admitted."""
        if self._open.pop(connection.handler, None) is None:
            return False
        self._admission.forget(connection.address)
        return True


class HttpConnection(asyncio.Protocol):
    """A connection: passes everything to aiohttp's handler, and watches the time."""

    def __init__(self, connections: HttpConnections, handler: asyncio.Protocol) -> None:
        self.handler = handler
        self.address = ""
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass the connection to aiohttp, or abort it if there are too many."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's class does not inherit it
        self.address = address_of(transport)
        if self._connections.admit(self, transport):
            self.end_after(REQUEST_S)
            self.handler.connection_made(transport)
        else:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers, and pass the end to aiohttp."""
        was_admitted = self._connections.forget(self)
        self._transport = None
        self.end_after(None)
        if self._stall is not None:
            self._stall.cancel()
        if was_admitted:
            self.handler.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to aiohttp."""
        self.handler.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass the end of the client's side to aiohttp."""
        return self.handler.eof_received()

    def pause_writing(self) -> None:
        """Called by asyncio when the client does not read its response."""
        self.handler.pause_writing()
        self._stall = self._loop.call_later(STALLED_S, self._abort)

    def resume_writing(self) -> None:
        """Called by asyncio when the client has read its response."""
        if self._stall is not None:
            self._stall.cancel()
        self.handler.resume_writing()

    def end_after(self, limit_s: float | None) -> None:
        """End the connection after `limit_s`; None: while its request is handled, never."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        if limit_s is not None and self._transport is not None:
            self._limit = self._loop.call_later(limit_s, self._abort)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
