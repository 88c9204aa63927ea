"""A connection to a Kafka listener: it negotiates versions, and many requests may be in flight."""

import asyncio
import os
from typing import cast

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.server.kafka_caller import Address
from kraftsim.controller.wire.apis.table import API_VERSIONS, Api, api_of
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frame_reader import FrameReader
from kraftsim.controller.wire.frames import decode_response, encode_request

from .errors import AdminError, NoResponse

RESPONSE_BYTES_MAX = 16 * 1024 * 1024  # DescribeCluster of 10,000 brokers takes some 0.5 MB
CLIENT_ID = "kraftsim-admin"
VERSIONS_REQUEST = rpc.ApiVersionsRequest(
    client_software_name=CLIENT_ID, client_software_version="1"
)
FIRST_VERSION = 4  # of ApiVersions, which Kafka has since 3.9; an older server names its own


class Connection(asyncio.Protocol):
    """A connection from the attempt to its end; `open_connection` makes one.

    `name` is the address as text.
    """

    def __init__(self, address: Address) -> None:
        self.name = text_of(address)
        self._reader = FrameReader(RESPONSE_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._end = "the connection is not open"
        self._correlation_id = 0
        self._awaited: dict[int, asyncio.Future[bytes]] = {}
        self._versions: dict[int, rpc.ApiVersion] = {}
        self._is_retired = False

    @property
    def is_open(self) -> bool:
        """True if a request can be sent."""
        return self._transport is not None and not self._is_retired

    async def negotiate(self) -> None:
        """Learns the versions that the server supports; raises NoResponse or AdminError."""
        response = await self._versions_in(FIRST_VERSION)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            newest = max((api.max_version for api in response.api_keys), default=0)
            response = await self._versions_in(max(0, min(newest, FIRST_VERSION)))
        if response.error_code:
            raise AdminError(response.error_code, f"{self.name} refused ApiVersions")
        self._versions = {api.api_key: api for api in response.api_keys}

    async def request(self, request: rpc.Request, min_version: int = 0) -> rpc.Response:
        """Sends a request in the newest version that both sides support; returns the response.

        Raises AdminError with UNSUPPORTED_VERSION if that is below `min_version`, NoResponse if the
        connection ends first or the response is malformed.
        """
        api = api_of(request)
        version = self._version(api, min_version)
        return self._decoded(api.key, version, await self._frame(api.key, version, request))

    def retire(self) -> None:
        """Closes the connection once no request is in flight; accepts no further request."""
        self._is_retired = True
        if not self._awaited:
            self.close()

    def close(self) -> None:
        """Closes the connection at once; requests in flight raise NoResponse."""
        if self._transport is not None:
            self._transport.abort()
            self._ended("the connection was closed")

    def _version(self, api: Api, min_version: int) -> int:
        lowest = max(api.min_version, min_version)
        theirs = self._versions.get(api.key)
        if theirs is None:
            text = f"{self.name} does not support {api.name}"
            raise AdminError(ErrorCode.UNSUPPORTED_VERSION, text)
        version = min(theirs.max_version, api.max_version)
        if version < max(lowest, theirs.min_version):
            text = (
                f"{self.name} supports {api.name} {theirs.min_version} to {theirs.max_version}, "
                f"expected a version of {lowest} to {api.max_version}"
            )
            raise AdminError(ErrorCode.UNSUPPORTED_VERSION, text)
        return version

    async def _versions_in(self, version: int) -> rpc.ApiVersionsResponse:
        """Sends ApiVersions; a server that lacks the version responds in version 0."""
        frame = await self._frame(API_VERSIONS, version, VERSIONS_REQUEST)
        is_lacking = frame[4:6] == ErrorCode.UNSUPPORTED_VERSION.to_bytes(2)
        response = self._decoded(API_VERSIONS, 0 if is_lacking else version, frame)
        return cast(rpc.ApiVersionsResponse, response)

    async def _frame(self, key: int, version: int, request: rpc.Request) -> bytes:
        if self._transport is None:
            raise NoResponse(self._end, was_sent=False)
        self._correlation_id = number = self._correlation_id + 1 & 0x7FFFFFFF
        self._transport.write(encode_request(key, version, number, CLIENT_ID, request))
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._awaited[number] = answered
        try:
            return await answered
        finally:
            self._awaited.pop(number, None)
            if self._is_retired:
                self.retire()

    def _decoded(self, key: int, version: int, frame: bytes) -> rpc.Response:
        try:
            return decode_response(key, version, frame)[1]
        except DecodeError as error:
            raise NoResponse(f"malformed response: {error}", was_sent=True) from None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's does not inherit it

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
            while (frame := self._reader.take()) is not None:
                self._answered(frame)
        except DecodeError as error:
            if self._transport is not None:
                self._transport.abort()
            self._ended(str(error))

    def _answered(self, frame: bytes) -> None:
        """Ends the wait for a response; ignores the response to a request that timed out."""
        answered = self._awaited.pop(int.from_bytes(frame[:4], signed=True), None)
        if answered is not None and not answered.done():
            answered.set_result(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        part = "in the middle of a response" if self._reader.data else "before the response"
        self._ended(f"the server closed the connection {part}")

    def _ended(self, reason: str) -> None:
        """Ends the wait for every response; the first reason holds."""
        if self._transport is None:
            return
        self._transport, self._end = None, reason
        for answered in self._awaited.values():
            if not answered.done():
                answered.set_exception(NoResponse(reason, was_sent=True))


def text_of(address: Address) -> str:
    """Returns `host:port`."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _text_of_failure(error: OSError) -> str:
    """Returns the system's text of an error; asyncio's repeats the address."""
    number = error.errno or 0  # None for several addresses, below 0 for a name that is unknown
    return os.strerror(number) if number > 0 else error.strerror or str(error)


async def open_connection(address: Address) -> Connection:
    """Connects and negotiates; raises NoResponse if there is no Kafka listener."""
    loop = asyncio.get_running_loop()
    try:
        _, connection = await loop.create_connection(lambda: Connection(address), *address)
    except OSError as error:
        raise NoResponse(_text_of_failure(error), was_sent=False) from None
    except (OverflowError, ValueError) as error:  # a controller may advertise any port and host
        raise NoResponse(str(error), was_sent=False) from None
    try:
        await connection.negotiate()
    except BaseException:
        connection.close()
        raise
    return connection
