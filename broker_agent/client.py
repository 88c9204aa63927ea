"""Kafka connections of one simulated broker to its controller, one for each conversation.

A request that cannot be sent, or whose connection breaks, is answered with None: the agent retries.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import cast

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frames import FrameReader, decode_response, encode_request

from .conversation import Channel, Send
from .hosted_agent import Reply

log = logging.getLogger(__name__)

FETCH, ALTER_PARTITION, REGISTRATION, HEARTBEAT = 1, 56, 62, 63
VERSIONS = {
    "FetchRequest": (FETCH, 18),
    "AlterPartitionRequest": (ALTER_PARTITION, 3),
    "BrokerRegistrationRequest": (REGISTRATION, 4),
    "BrokerHeartbeatRequest": (HEARTBEAT, 2),
}
ReplyTo = Callable[[Reply], None]


class BrokerClient:
    """`on_batches` sees every batch of metadata that came, before the agent hears of it."""

    def __init__(self, broker_id: int, host: str, port: int, deliver: Callable[..., None]) -> None:
        self._channels = {
            channel: _Connection(f"{channel.value}-{broker_id}", host, port, deliver)
            for channel in Channel
        }

    def send(self, send: Send, reply_to: ReplyTo) -> None:
        key, version = VERSIONS[type(send.request).__name__]
        self._channels[send.channel].send(key, version, send.request, reply_to)

    def close(self) -> None:
        for connection in self._channels.values():
            connection.drop()


class _Connection(asyncio.Protocol):
    """Opened when first needed; one request in flight, as the agent promises."""

    def __init__(self, client_id: str, host: str, port: int, deliver: Callable[..., None]) -> None:
        self._client_id, self._host, self._port = client_id, host, port
        self._deliver = deliver
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._correlation_id = 0
        self._frame = b""
        self._awaited: tuple[int, int, int, ReplyTo] | None = None

    def send(self, key: int, version: int, request: Request, reply_to: ReplyTo) -> None:
        self._correlation_id = self._correlation_id + 1 & 0x7FFFFFFF
        number = self._correlation_id
        self._frame = encode_request(key, version, number, self._client_id, request)
        self._awaited = (number, key, version, reply_to)
        if self._transport is not None:
            self._transport.write(self._frame)
        elif self._opening is None:
            self._opening = asyncio.ensure_future(self._open())

    def drop(self) -> None:
        self._awaited = None
        if self._opening is not None:
            self._opening.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def _open(self) -> None:
        """Connect, then send the newest request: an older one is given up by now."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self, self._host, self._port)
        except OSError as error:
            log.debug("%s: no connection: %s", self._client_id, error)
        finally:
            self._opening = None
        if self._transport is not None:
            self._transport.write(self._frame)
        else:
            self._lost()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's own is none by inheritance
        self._transport = transport
        self._reader = FrameReader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._lost()

    def data_received(self, data: bytes) -> None:
        try:
            for frame in self._reader.feed(data):
                self._answered(frame)
        except DecodeError as error:
            log.warning("%s: closing: %s", self._client_id, error)
            if self._transport is not None:
                self._transport.abort()

    def _answered(self, frame: bytes) -> None:
        """A late answer, to a request that was given up, is nobody's."""
        if self._awaited is None or int.from_bytes(frame[:4], signed=True) != self._awaited[0]:
            return
        _, key, version, reply_to = self._awaited
        _, response = decode_response(key, version, frame)
        self._awaited = None
        self._deliver(partial(reply_to, response))

    def _lost(self) -> None:
        if self._awaited is not None:
            *_, reply_to = self._awaited
            self._awaited = None
            self._deliver(partial(reply_to, None))
