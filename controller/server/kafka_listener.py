"""The one Kafka listener: frames in, replies out, in order, for controllers and facades alike.

A connection answers its requests one at a time, as Kafka does: while a reply is awaited, what came
after it waits too, and no more is read: at most one read's worth of requests is held. Bad bytes
close their own connection and touch nothing else. All replies that one read made possible leave in
one write, unless they are too many.
"""

import asyncio
import logging
from collections import deque
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

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 10_000  # of one listener; one more is closed at once
BACKLOG = 4096  # connections not yet accepted: a fleet opens 3,000 at once; one lost costs seconds
WRITE_BUFFER_BYTES_MAX = 1024 * 1024  # of one connection; beyond it we stop answering it

Describe = Callable[[ApiVersionsRequest, int], ApiVersionsResponse]
Dispatch = Callable[[Request, Callable[[Reply], None]], None]


class KafkaListener:
    """`kind` ("controller" or "broker") says which APIs are offered. Nothing is read before `serve`
    says who decides: `describe(request, version)` answers ApiVersions, the one API whose answer
    depends on the version asked in; `dispatch(request, reply_to)` everything else."""

    def __init__(self, kind: str, name: str) -> None:
        self.name = name
        self.spoken = _spoken_by(kind)
        self.start_time_tag = False
        self.runtime: Runtime | None = None
        self.describe: Describe = _nobody_describes
        self.dispatch: Dispatch = _nobody_serves
        self.connections: set[KafkaConnection] = set()
        self.is_holding = True
        self._server: asyncio.Server | None = None
        self.turn: list[KafkaConnection] = []

    @property
    def is_open(self) -> bool:
        return self._server is not None

    def serve(self, runtime: Runtime, describe: Describe, dispatch: Dispatch) -> None:
        self.runtime, self.describe, self.dispatch = runtime, describe, dispatch
        self.hold(False)

    async def open(self, host: str, port: int) -> int:
        """Listen; the port that was got, where `port` is 0."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: KafkaConnection(self), host, port, backlog=BACKLOG
        )
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    def close(self) -> None:
        """Stop listening and drop every connection, as a process that dies does."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self.connections):
            connection.drop()

    def hold(self, holding: bool) -> None:
        """Hold: read nothing and answer nothing, as a process that is paused."""
        self.is_holding = holding
        for connection in list(self.connections):
            connection.hold(holding)

    def begin_turn(self, connection: "KafkaConnection") -> None:
        """The first connection of a turn begins it, the others join: what comes at one moment is
        answered at one time, and all of it is written at the turn's end, so that replies that leave
        together wake their readers once."""
        assert self.runtime is not None, "served before it is read from"
        self.runtime.enter()
        asyncio.get_running_loop().call_soon(self._end_turn)
        self.turn.append(connection)

    def _end_turn(self) -> None:
        turn, self.turn = self.turn, []
        assert self.runtime is not None, "served before it is read from"
        self.runtime.leave()
        for connection in turn:
            connection.flush()


class KafkaConnection(asyncio.Protocol):
    def __init__(self, listener: KafkaListener) -> None:
        self._listener = listener
        self._reader = FrameReader()
        self._frames: deque[bytes] = deque()
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._exchange: Exchange | None = None
        self._awaited: tuple[Exchange, bytes, Request] | None = None
        self._is_working = False
        self._cannot_write = False
        self._is_paused = False
        self._has_said_all = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's own is none by inheritance
        if len(self._listener.connections) >= CONNECTIONS_MAX:
            log.warning("%s: more than %d connections", self._listener.name, CONNECTIONS_MAX)
            transport.abort()
            return
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES_MAX)
        self._transport = transport
        self._listener.connections.add(self)
        self.hold(self._listener.is_holding)

    def connection_lost(self, exc: Exception | None) -> None:
        self._listener.connections.discard(self)
        self._transport = None
        self._frames.clear()

    def eof_received(self) -> bool:
        """A client that has said all it will still gets the answers it waits for, then the end."""
        self._has_said_all = True
        self._mind_backlog()
        return True

    def pause_writing(self) -> None:
        self._cannot_write = True

    def resume_writing(self) -> None:
        self._cannot_write = False
        self._work()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def hold(self, holding: bool) -> None:
        if self._transport is None:
            return
        if holding:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()
            self._work_soon()

    def data_received(self, data: bytes) -> None:
        try:
            self._frames += self._reader.feed(data)
        except DecodeError as error:
            self._refuse_bytes(error)
            return
        self._work()

    def _work(self) -> None:
        """Answer what has come, until a reply must be awaited or the client does not read."""
        listener, frames = self._listener, self._frames
        if self._is_working or self._transport is None or listener.runtime is None:
            return
        self._is_working = True
        if listener.turn:
            listener.turn.append(self)
        else:
            listener.begin_turn(self)
        try:
            while frames and not (self._awaited or self._cannot_write or listener.is_holding):
                frame = frames.popleft()
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
        if frames or self._is_paused or self._has_said_all:
            self._mind_backlog()

    def _work_soon(self) -> None:
        """From within a step of the simulation: its timeline must not be entered twice."""
        asyncio.get_running_loop().call_soon(self._work)

    def _begin(self, frame: bytes) -> Exchange | None:
        """Another API, version or client id than the last frame's; None if that was all of it."""
        header = read_request_header(frame)
        listener = self._listener
        if header[:2] not in listener.spoken:
            self._refuse_version(frame, header)
            return None
        self._exchange = Exchange(header, frame, start_time_tag=listener.start_time_tag)
        return self._exchange

    def _refuse_version(self, frame: bytes, header: RequestHeader) -> None:
        """An unknown version of ApiVersions has an answer (5.47); anything else ends the
        connection."""
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
        """Spell the reply; it leaves with the others of this read, or by itself if it was late."""
        awaited = self._awaited
        if awaited is None or self._transport is None:
            return  # the connection ended while it was waited for
        self._awaited = None
        exchange, correlation_id, request = awaited
        response = response_to(request, reply, exchange.version)
        self._put(exchange.spell(correlation_id, response))
        if not self._is_working:
            self._work_soon()

    def _put(self, frame: bytes) -> None:
        self._out.append(frame)
        self._out_bytes += len(frame)
        if self._out_bytes > WRITE_BUFFER_BYTES_MAX:
            self.flush()  # who asks for much at once is written to sooner, and held up if it lags

    def flush(self) -> None:
        """Write what is ready, in one write."""
        out = self._out
        if out and self._transport is not None:
            self._transport.write(out[0] if len(out) == 1 else b"".join(out))
        out.clear()
        self._out_bytes = 0

    def _mind_backlog(self) -> None:
        """Read no more before what was read is answered; let go who has said and heard all."""
        transport = self._transport
        if transport is None or transport.is_closing() or self._listener.is_holding:
            return
        if self._frames:
            self._is_paused = True
            transport.pause_reading()
        elif self._has_said_all and self._awaited is None:
            self.flush()
            transport.close()
        elif self._is_paused:
            self._is_paused = False
            transport.resume_reading()

    def _refuse_bytes(self, error: DecodeError) -> None:
        """Bad bytes: this connection ends, and nothing else."""
        peer = self._transport.get_extra_info("peername") if self._transport else None
        log.warning("%s: closing the connection from %s: %s", self._listener.name, peer, error)
        self.flush()
        self._frames.clear()
        if self._transport is not None:
            self._transport.close()


def _nobody_describes(request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
    raise Impossible("nothing is read before it is served")


def _nobody_serves(request: Request, reply_to: Callable[[Reply], None]) -> None:
    raise Impossible("nothing is read before it is served")


def _spoken_by(kind: str) -> frozenset[tuple[int, int]]:
    """Every (key, version) that a listener of this kind answers."""
    return frozenset(
        (api.key, version)
        for api in APIS.values()
        if kind in api.listeners
        for version in range(api.min_version, api.max_version + 1)
    )
