"""The Kafka listener: decodes requests and writes replies in order, for controllers and facades.

A connection handles one request at a time, as Kafka does: while a reply is pending, later requests
wait and reading is paused, so that a connection holds at most the requests of one read. Malformed
bytes close their own connection only, after the replies to the requests before them. All replies of
one turn leave in one write, unless they exceed WRITE_BUFFER_BYTES_MAX. `turns.py` bounds how many
requests of a connection are handled before the others have their turn.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from ..core.errors import ErrorCode, Impossible
from ..core.handlers import response_to
from ..core.rpc import ApiVersionsRequest, ApiVersionsResponse, Request
from ..raft.protocol import Reply
from ..wire.apis.table import API_VERSIONS, APIS
from ..wire.errors import DecodeError
from ..wire.frames import Exchange, FrameReader, RequestHeader, encode_response, read_request_header
from .runtime import Runtime
from .turns import REQUESTS_PER_VISIT

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 10_000  # of one listener; further connections are closed at once
BACKLOG = 4096  # pending connections: a fleet opens 3,000 at once; a lost one costs seconds
WRITE_BUFFER_BYTES_MAX = 1024 * 1024  # of one connection; above it, its requests wait

Describe = Callable[[ApiVersionsRequest, int], ApiVersionsResponse]
Dispatch = Callable[[Request, Callable[[Reply], None]], None]


class KafkaListener:
    """A listener; `kind` ("controller" or "broker") selects its APIs.

    It reads no request before `serve`. `describe(request, version)` answers ApiVersions, whose
    response depends on the requested version; `dispatch(request, reply_to)` handles all other
    requests.
    """

    def __init__(self, kind: str, name: str) -> None:
        self.name = name
        self.spoken = _spoken_by(kind)
        self.start_time_tag = False
        self.runtime: Runtime | None = None
        self.describe: Describe = _unset_describe
        self.dispatch: Dispatch = _unset_dispatch
        self.connections: set[KafkaConnection] = set()
        self.is_holding = True
        self._server: asyncio.Server | None = None

    @property
    def is_open(self) -> bool:
        """True while the listener accepts connections."""
        return self._server is not None

    def serve(self, runtime: Runtime, describe: Describe, dispatch: Dispatch) -> None:
        """Begin to handle requests."""
        self.runtime, self.describe, self.dispatch = runtime, describe, dispatch
        self.hold(False)

    async def open(self, host: str, port: int) -> int:
        """Listen on `host` and `port`; returns the bound port (a free one if `port` is 0)."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: KafkaConnection(self), host, port, backlog=BACKLOG
        )
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    def close(self) -> None:
        """Stop listening and abort every connection, as a killed process does."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self.connections):
            connection.drop()

    def hold(self, holding: bool) -> None:
        """Stop reading and replying if `holding`, as a paused process does; otherwise continue."""
        self.is_holding = holding
        for connection in list(self.connections):
            connection.hold(holding)


class KafkaConnection(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, listener: KafkaListener) -> None:
        self._listener = listener
        self._reader = FrameReader()
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._exchange: Exchange | None = None
        self._awaited: tuple[Exchange, bytes, Request] | None = None
        self._is_working = False
        self._cannot_write = False
        self._is_paused = False
        self._is_input_closed = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection, or abort it above CONNECTIONS_MAX."""
        transport = cast(asyncio.Transport, transport)  # uvloop's class does not inherit from it
        if len(self._listener.connections) >= CONNECTIONS_MAX:
            log.warning("%s: more than %d connections", self._listener.name, CONNECTIONS_MAX)
            transport.abort()
            return
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES_MAX)
        self._transport = transport
        self._listener.connections.add(self)
        self.hold(self._listener.is_holding)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the pending requests of a closed connection."""
        self._listener.connections.discard(self)
        self._transport = None
        self._reader = FrameReader()

    def eof_received(self) -> bool:
        """A client that closed its sending side still gets all pending replies."""
        self._is_input_closed = True
        self._mind_backlog()
        return True

    def pause_writing(self) -> None:
        """Called by asyncio when the client does not read its replies."""
        self._cannot_write = True

    def resume_writing(self) -> None:
        """Called by asyncio when the client has read its replies."""
        self._cannot_write = False
        self.work()

    def drop(self) -> None:
        """Abort the connection."""
        if self._transport is not None:
            self._transport.abort()

    def hold(self, holding: bool) -> None:
        """Pause reading if `holding`, otherwise resume."""
        if self._transport is None:
            return
        if holding:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
            self._work_soon()

    def data_received(self, data: bytes) -> None:
        """Keep the bytes, and handle the requests that they complete."""
        self._reader.feed(data)
        self.work()

    def work(self) -> None:
        """Handle requests until a reply is pending, the client does not read or the turn ends."""
        listener, take = self._listener, self._reader.take
        runtime = listener.runtime
        if self._is_working or self._transport is None or runtime is None:
            return
        self._is_working = True
        runtime.turns.join(self)
        handled = 0
        try:
            while not (self._awaited or self._cannot_write or listener.is_holding):
                if handled and (handled == REQUESTS_PER_VISIT or runtime.turns.is_over):
                    self._put_off()
                    break
                frame = take()
                if frame is None:
                    break
                handled += 1
                exchange = self._exchange
                if exchange is None or not exchange.matches(frame):
                    exchange = self._begin(frame)
                if exchange is not None:
                    request = exchange.decode(frame, exchange.end)[0]
                    if exchange.is_api_versions:
                        self._describe(frame, exchange.version, request)
                    else:
                        self._awaited = (exchange, frame[4:8], request)
                        listener.dispatch(request, self._reply)
        except DecodeError as error:
            self._refuse_bytes(error)
        finally:
            self._is_working = False
        if self._reader.buffered_bytes or self._is_paused or self._is_input_closed:
            self._mind_backlog()

    def _put_off(self) -> None:
        """Handle the requests that remain in a later visit."""
        runtime = self._listener.runtime
        if runtime is not None and self._reader.has_frame:
            runtime.turns.put_off(self)

    def _work_soon(self) -> None:
        """Handle requests later, because the timeline must not be entered within a step."""
        asyncio.get_running_loop().call_soon(self.work)

    def _begin(self, frame: bytes) -> Exchange | None:
        """Returns the exchange for a new API, version or client id.

        Returns None if the frame is handled completely, by an error reply.
        """
        header = read_request_header(frame)
        listener = self._listener
        if header[:2] not in listener.spoken:
            self._refuse_version(frame, header)
            return None
        self._exchange = Exchange(header, frame, start_time_tag=listener.start_time_tag)
        return self._exchange

    def _refuse_version(self, frame: bytes, header: RequestHeader) -> None:
        """Answer an unknown version of ApiVersions (rule 5.47).

        Raises DecodeError for any other API, which ends the connection.
        """
        if header.api_key != API_VERSIONS:
            raise DecodeError(
                f"expected an API and version of this listener, got key {header.api_key} "
                f"version {header.api_version}"
            )
        self._describe(frame, header.api_version, ApiVersionsRequest())

    def _describe(self, frame: bytes, version: int, request: ApiVersionsRequest) -> None:
        response = self._listener.describe(request, version)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            version = 0
        number = int.from_bytes(frame[4:8], signed=True)
        self._put(encode_response(API_VERSIONS, version, number, response))

    def _reply(self, reply: Reply) -> None:
        """Encode the reply; it leaves with the other replies of its read, or alone if late."""
        awaited = self._awaited
        if awaited is None or self._transport is None:
            return  # the connection ended before the reply
        self._awaited = None
        exchange, correlation_id, request = awaited
        response = response_to(request, reply, exchange.version)
        self._put(exchange.encode(correlation_id, response))
        if not self._is_working:
            self._continue_soon()

    def _continue_soon(self) -> None:
        """Write a late reply; requests that remain wait for a visit."""
        if self._reader.has_frame:
            asyncio.get_running_loop().call_soon(self.flush)
            self._put_off()
        else:
            self._work_soon()

    def _put(self, frame: bytes) -> None:
        self._out.append(frame)
        self._out_bytes += len(frame)
        if self._out_bytes > WRITE_BUFFER_BYTES_MAX:
            self.flush()  # large replies are written early; a slow reader delays its own

    def flush(self) -> None:
        """Write all encoded replies in one write."""
        out = self._out
        if out and self._transport is not None:
            self._transport.write(out[0] if len(out) == 1 else b"".join(out))
        out.clear()
        self._out_bytes = 0

    def _mind_backlog(self) -> None:
        """Pause reading while requests are pending; close a finished connection."""
        transport = self._transport
        if transport is None or transport.is_closing() or self._listener.is_holding:
            return
        if self._reader.has_frame:
            self._is_paused = True
            transport.pause_reading()
        elif self._is_input_closed and self._awaited is None:
            self.flush()
            transport.close()
        elif self._is_paused:
            self._is_paused = False
            transport.resume_reading()

    def _refuse_bytes(self, error: DecodeError) -> None:
        """Close this connection, and no other, because its bytes are malformed."""
        peer = self._transport.get_extra_info("peername") if self._transport else None
        log.warning("%s: closing the connection from %s: %s", self._listener.name, peer, error)
        self.flush()
        self._reader = FrameReader()
        if self._transport is not None:
            self._transport.close()


def _unset_describe(request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
    raise Impossible("expected the handlers of the listener to be set before it reads a request")


def _unset_dispatch(request: Request, reply_to: Callable[[Reply], None]) -> None:
    raise Impossible("expected the handlers of the listener to be set before it reads a request")


def _spoken_by(kind: str) -> frozenset[tuple[int, int]]:
    """Returns every (key, version) that a listener of this kind handles."""
    return frozenset(
        (api.key, version)
        for api in APIS.values()
        if kind in api.listeners
        for version in range(api.min_version, api.max_version + 1)
    )
