"""Client of a Kafka listener: one request in flight, on a connection that stays open.

If a request cannot be sent or its connection breaks, the callback gets None and the caller may
retry.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, cast

from ..core.errors import ErrorCode
from ..core.rpc import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    Request,
    Response,
    VoteRequest,
    VoteResponse,
)
from ..wire.apis.table import API_VERSIONS, APIS, api_of
from ..wire.errors import DecodeError
from ..wire.frame_reader import FrameReader
from ..wire.frames import FRAME_BYTES_MAX, decode_response, encode_request

log = logging.getLogger(__name__)

SILENT_ENDS_MAX = 3  # a controller that is killed also ends connections without a reply, but once
WAY_OUT = (
    "give the address of a Kafka listener, such as the CONTROLLER listener that `kraftsim up` "
    "prints as KRAFTSIM_BOOTSTRAP_CONTROLLERS"
)

_VERSIONS_REQUEST = ApiVersionsRequest(client_software_name="kraftsim", client_software_version="0")
_VERSIONS_VERSION = 3  # every release since 2.4 answers it
_PRE_VOTE_SINCE = 2  # version of Vote (KIP-996)
_VERSIONS_NUMBER = -1  # correlation id of a question for versions; requests have others

Address = tuple[str, int]
ReplyTo = Callable[[Response | None], None]
Deliver = Callable[[Callable[[], None]], None]
Decode = Callable[[int, int, bytes], tuple[int, Response]]
"""Decodes a response of an API in a version; returns its correlation id too."""


class _Awaited(NamedTuple):
    correlation_id: int
    api_key: int
    request: Request
    reply_to: ReplyTo
    version_max: int | None


class KafkaCaller:
    """Sends requests to one address at a time.

    `deliver(action)` must run the callback of a response, at a time when the caller may be entered.
    It connects at the first request, and again if the address changes. A peer that ends a
    connection without a reply may be of a release that lacks the newest version of the request:
    from then on each connection begins with the question which versions the peer has.
    `decode` decodes the responses: those of controllers, or of brokers.
    """

    def __init__(self, client_id: str, deliver: Deliver, decode: Decode = decode_response) -> None:
        self.client_id = client_id
        self._deliver, self._decode = deliver, decode
        self._correlation_id = 0
        self._awaited: _Awaited | None = None
        self._line: _Line | None = None
        self._asks_versions = False
        self._newest: Mapping[int, int] | None = {}  # of the peer, by key; None: not known yet
        self._silent_ends = 0  # connections in a row that the peer closed without a reply

    def send(
        self, address: Address, request: Request, reply_to: ReplyTo, version_max: int | None = None
    ) -> None:
        """Send a request, in `version_max` or an older version, and drop the previous one."""
        self._correlation_id = self._correlation_id + 1 & 0x7FFFFFFF
        key = api_of(request).key
        self._awaited = _Awaited(self._correlation_id, key, request, reply_to, version_max)
        if self._line is None or self._line.address != address:
            self._hang_up()
            self._line = _Line(self, address)
            self._newest = None if self._asks_versions else {}
            if self._asks_versions:
                question = (API_VERSIONS, _VERSIONS_VERSION, _VERSIONS_NUMBER, self.client_id)
                self._line.write(encode_request(*question, _VERSIONS_REQUEST))
        if self._newest is not None:
            self._write(self._line, self._awaited)

    def _write(self, line: "_Line", awaited: _Awaited) -> None:
        key, version = awaited.api_key, self._version(awaited)
        number, request = awaited.correlation_id, awaited.request
        if _is_pre_vote(request) and version < _PRE_VOTE_SINCE:
            # an older version has no such field: the peer would grant a vote
            asyncio.get_running_loop().call_soon(self._refuse_version, awaited)
            return
        line.write(encode_request(key, version, number, self.client_id, request))

    def _refuse_version(self, awaited: _Awaited) -> None:
        """Answer a request that the peer's versions cannot express, as Kafka's client does."""
        if awaited is self._awaited:
            self._awaited = None
            refusal = VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
            self._deliver(partial(awaited.reply_to, refusal))

    def _version(self, awaited: _Awaited) -> int:
        """Returns the newest version that both sides have; unless asked, the peer has every one."""
        key = awaited.api_key
        newest = 4 if key == API_VERSIONS else APIS[key].max_version
        if awaited.version_max is not None:
            newest = min(newest, awaited.version_max)
        return min(newest, (self._newest or {}).get(key, newest))

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
        number = int.from_bytes(frame[:4], signed=True)
        if number == _VERSIONS_NUMBER:
            self._learn_versions(line, awaited, frame)
        if number != awaited.correlation_id:
            return
        _, response = self._decode(awaited.api_key, self._version(awaited), frame)
        self._awaited = None
        self._deliver(partial(awaited.reply_to, response))

    def _learn_versions(self, line: "_Line", awaited: _Awaited, frame: bytes) -> None:
        _, response = decode_response(API_VERSIONS, _VERSIONS_VERSION, frame)
        listed = response.api_keys if isinstance(response, ApiVersionsResponse) else ()
        self._newest = {api.api_key: api.max_version for api in listed}
        self._write(line, awaited)

    def lost(self, line: "_Line") -> None:
        """Handle a connection that broke or could not be opened."""
        if line is not self._line:
            return
        self._line = None
        self._count_silent_end(line)
        self._asks_versions = self._asks_versions or line.is_silent
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


def _is_pre_vote(request: Request) -> bool:
    return isinstance(request, VoteRequest) and any(
        partition.pre_vote for topic in request.topics for partition in topic.partitions
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
