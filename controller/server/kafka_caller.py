"""Client of a Kafka listener: one request in flight, on a connection that stays open.

If a request cannot be sent or its connection breaks, the callback gets None and the caller may
retry.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, cast

from ..core.rpc import Request, Response
from ..wire.apis.table import API_VERSIONS, APIS
from ..wire.errors import DecodeError
from ..wire.frames import FRAME_BYTES_MAX, FrameReader, decode_response, encode_request

log = logging.getLogger(__name__)

SILENT_ENDS_MAX = 3  # a controller that is killed also ends connections without a reply, but once
WAY_OUT = (
    "give the address of a Kafka listener, such as the CONTROLLER listener that `kraftsim up` "
    "prints as KRAFTSIM_BOOTSTRAP_CONTROLLERS"
)

_KEYS = {api.request.model: api.key for api in APIS.values()}

Address = tuple[str, int]
ReplyTo = Callable[[Response | None], None]
Deliver = Callable[[Callable[[], None]], None]


class _Awaited(NamedTuple):
    correlation_id: int
    api_key: int
    api_version: int
    reply_to: ReplyTo


class KafkaCaller:
    """Sends requests to one address at a time.

    `deliver(action)` must run the callback of a response, at a time when the caller may be entered.
    It connects at the first request, and again if the address changes.
    """

    def __init__(self, client_id: str, deliver: Deliver) -> None:
        self.client_id = client_id
        self._deliver = deliver
        self._correlation_id = 0
        self._awaited: _Awaited | None = None
        self._line: _Line | None = None
        self._silent_ends = 0  # connections in a row that the peer closed without a reply

    def send(self, address: Address, request: Request, reply_to: ReplyTo) -> None:
        """Send a request and drop the previous one.

        The version is the highest that peers of every profile support.
        """
        key = _KEYS[type(request)]
        version = 4 if key == API_VERSIONS else APIS[key].max_version
        self._correlation_id = self._correlation_id + 1 & 0x7FFFFFFF
        number = self._correlation_id
        self._awaited = _Awaited(number, key, version, reply_to)
        if self._line is None or self._line.address != address:
            self._hang_up()
            self._line = _Line(self, address)
        self._line.write(encode_request(key, version, number, self.client_id, request))

    def drop(self) -> None:
        """Drop the request in flight and close the connection."""
        self._awaited = None
        self._hang_up()

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def answered(self, line: "_Line", frame: bytes) -> None:
        """Deliver a response; the response to a dropped request is ignored."""
        awaited = self._awaited
        if line is not self._line or awaited is None:
            return
        if int.from_bytes(frame[:4], signed=True) != awaited.correlation_id:
            return
        _, response = decode_response(awaited.api_key, awaited.api_version, frame)
        self._awaited = None
        self._deliver(partial(awaited.reply_to, response))

    def lost(self, line: "_Line") -> None:
        """Handle a connection that broke or could not be opened."""
        if line is not self._line:
            return
        self._line = None
        self._count_silent_end(line)
        awaited, self._awaited = self._awaited, None
        if awaited is not None:
            self._deliver(partial(awaited.reply_to, None))

    def _count_silent_end(self, line: "_Line") -> None:
        """Warns if SILENT_ENDS_MAX connections in a row ended without a reply."""
        self._silent_ends = self._silent_ends + 1 if line.is_silent else 0
        if self._silent_ends == SILENT_ENDS_MAX:
            log.warning(
                "%s:%d closes connections without a reply to a Kafka request: %s",
                *line.address,
                WAY_OUT,
            )


class _Line(asyncio.Protocol):
    """A connection to one address, from the attempt to its end.

    `is_silent` is true if the connection was made and no byte came.
    """

    def __init__(self, caller: KafkaCaller, address: Address) -> None:
        self.address = address
        self._caller = caller
        self._reader = FrameReader(FRAME_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._newest = b""
        self.is_silent = False
        self._opening = asyncio.ensure_future(self._open())

    def write(self, frame: bytes) -> None:
        self._newest = frame
        if self._transport is not None:
            self._transport.write(frame)

    def close(self) -> None:
        self._opening.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def _open(self) -> None:
        """Connect, then send the latest request; earlier ones are dropped."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self, *self.address)
        except OSError as error:
            log.debug("%s: no connection to %s: %s", self._caller.client_id, self.address, error)
            self._caller.lost(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's does not inherit it
        self.is_silent = True
        if self._newest:
            self._transport.write(self._newest)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._caller.lost(self)

    def data_received(self, data: bytes) -> None:
        self.is_silent = False
        try:
            self._reader.feed(data)
            while (frame := self._reader.take()) is not None:
                self._caller.answered(self, frame)
        except DecodeError as error:
            log.warning("%s:%d: closing: %s; %s", *self.address, error, WAY_OUT)
            if self._transport is not None:
                self._transport.abort()
