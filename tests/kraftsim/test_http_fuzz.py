"""Whatever a client sends to the HTTP service, it is answered in our form and the others too."""

import asyncio
import json
import os
import re
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim import Cluster
from kraftsim.http.connections import HttpConnection
from tests.kraftsim.hostile_http import requests, streams
from tests.server.wires import Wire
from tests.wire.hostile_frames import pieces

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "200"))
PASSES = 100  # of the event loop
LIMIT_S = 20  # a request that waits longer is not answered
GET = b"GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n"
STATUS = re.compile(rb"^HTTP/1\.[01] (\d{3}) ", re.MULTILINE)
ALWAYS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


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
        self._wire = AwaitedWire()
        server: Any = kraft._service.http
        self._served: HttpConnection = server._connections.new()
        self._served.connection_made(self._wire)

    async def send(self, sent: list[bytes]) -> None:
        for piece in sent:
            await self._until_read()
            if not self._wire.closing:
                self._served.data_received(piece)
        await self._passes()

    async def _until_read(self) -> None:
        for _ in range(PASSES):
            if self._wire.reading or self._wire.closing:
                return
            await asyncio.sleep(0)

    async def _passes(self) -> None:
        for _ in range(PASSES):
            await asyncio.sleep(0)

    async def is_answered(self) -> None:
        """Returns once a response is complete."""
        async with asyncio.timeout(LIMIT_S):
            while not self.responses():
                await self._wire.was_written.wait()
                self._wire.was_written.clear()

    async def end(self) -> None:
        self._served.connection_lost(None)
        await self._passes()

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status in STATUS.findall(bytes(self._wire.written))]

    def responses(self) -> list[tuple[int, str, bytes]]:
        """Status, media type and body of each response that is complete."""
        stream, found = BytesIO(bytes(self._wire.written)), []
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


async def answered(
    sent: list[bytes], *, is_well_formed: bool = False
) -> tuple[list[int], list[tuple[int, str, bytes]]]:
    """Returns the statuses and the complete responses to these bytes of one connection.

    Waits for a response if `is_well_formed`.
    """
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    async with Cluster(brokers=2, clock="virtual", seed=1, http_port=0) as kraft:
        friend, client = Client(kraft), Client(kraft)
        await client.send(sent)
        if is_well_formed:
            await client.is_answered()
        await friend.send([GET])
        assert friend.statuses == [200]
        await client.end()
        await friend.send([GET])
        assert friend.statuses == [200, 200]
    assert faults == []
    return client.statuses, client.responses()


def expect_our_errors(responses: list[tuple[int, str, bytes]]) -> None:
    for status, media_type, body in responses:
        if status >= 400:
            assert media_type == "application/json"
            assert json.loads(body).keys() >= {"errorCode", "error", "message"} or status == 503


@ALWAYS
@given(data=st.data())
def test_any_bytes_are_answered_in_our_form_and_others_are_served(data: st.DataObject) -> None:
    stream = data.draw(streams())
    statuses, responses = asyncio.run(answered(data.draw(pieces(stream))))

    assert 500 not in statuses
    if b"HEAD" not in stream:  # whose responses have no bodies
        expect_our_errors(responses)


@ALWAYS
@given(data=st.data())
def test_a_well_formed_request_is_answered_whatever_its_values(data: st.DataObject) -> None:
    request = data.draw(requests())
    sent = data.draw(pieces(request))
    statuses, responses = asyncio.run(answered(sent, is_well_formed=True))

    assert 500 not in statuses
    assert len(responses) == 1
    expect_our_errors(responses)
