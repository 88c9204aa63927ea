"""What a web page, a stranger on the network and a slow client cannot do (docs/security.md)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.http import app, connections
from tests.kraftsim.conftest import Http

JSON = {"Content-Type": "application/json"}
KILL = "/sim/brokers/1/kill"


async def status(http: Http, method: str, path: str, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with http.session.request(method, http.url + path, headers=named) as response:
        return response.status


@pytest.mark.parametrize(
    "host", ["evil.example:8090", "evil.example", "", "localhost.evil.example"]
)
async def test_a_host_name_that_was_rebound_to_loopback_is_refused(http: Http, host: str) -> None:
    assert await status(http, "GET", "/v1/cluster", Host=host) == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8090", "[::1]:8090"])
async def test_loopback_has_several_names(http: Http, host: str) -> None:
    assert await status(http, "GET", "/v1/cluster", Host=host) == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
async def test_a_page_of_another_origin_drives_nothing(
    http: Http, kraft: Cluster, origin: str
) -> None:
    assert await status(http, "POST", KILL, Origin=origin, **JSON) == 403
    assert await status(http, "GET", "/v1/cluster", Origin=origin) == 403
    assert kraft.world.agents[1].is_alive


async def test_a_picture_in_a_page_moves_no_clock(http: Http, kraft: Cluster) -> None:
    """An <img> sends no Origin, but a GET of /v1/wait would move a virtual clock."""
    before_us = kraft.world.timeline.now_us
    path = "/v1/wait?broker=1&state=FENCED&timeout=1h"
    assert await status(http, "GET", path, Sec_Fetch_Site="cross-site") == 403
    assert kraft.world.timeline.now_us == before_us


async def test_the_own_page_of_the_service_may_drive_it(http: Http, kraft: Cluster) -> None:
    own = {"Origin": http.url, "Sec_Fetch_Site": "same-origin"}
    assert await status(http, "POST", KILL, **own, **JSON) == 200
    assert not kraft.world.agents[1].is_alive


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_what_a_form_can_send_changes_nothing(http: Http, kraft: Cluster, kind: str) -> None:
    sent = {"Content_Type": kind} if kind else {}
    assert await status(http, "POST", KILL, **sent) == 415
    assert kraft.world.agents[1].is_alive


@asynccontextmanager
async def serving(**options: str) -> AsyncIterator[tuple[Cluster, Http]]:
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, http_port=0, **options) as kraft,  # type: ignore[arg-type]
        ClientSession() as session,
    ):
        port = kraft.http_url.rpartition(":")[2]
        yield kraft, Http(session, f"http://127.0.0.1:{port}")


async def test_a_token_is_asked_for_where_one_is_set() -> None:
    async with serving(token="secret") as (_, http):
        assert await status(http, "GET", "/v1/cluster") == 401
        assert await status(http, "GET", "/v1/cluster", Authorization="Bearer wrong") == 401
        assert await status(http, "POST", KILL, **JSON) == 401
        assert await status(http, "GET", "/v1/cluster", Authorization="secret") == 401
        assert await status(http, "GET", "/v1/cluster", Authorization="bearer secret") == 200
        right = {"Authorization": "Bearer secret"}
        assert await status(http, "GET", "/v1/cluster", **right) == 200
        assert await status(http, "GET", "/v1/cluster", Host="any.example", **right) == 200
        assert await status(http, "GET", "/livez") == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org", ""])
def test_beyond_loopback_there_is_always_a_token(host: str) -> None:
    first, second = Cluster(host=host).http_token, Cluster(host=host).http_token
    assert first is not None
    assert len(first) > 30
    assert first != second


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_on_loopback_there_is_a_token_on_request_only(host: str) -> None:
    assert Cluster(host=host).http_token is None
    assert Cluster(host=host, token="t").http_token == "t"


async def received(kraft: Cluster, sent: bytes) -> bytes:
    """What the service sends until it ends the connection; nothing if it aborts it."""
    port = int(kraft.http_url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_headers_that_never_end_end_the_connection(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.05)
    assert await received(kraft, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n") == b""


async def test_a_kept_connection_without_requests_ends(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_S", 0.05)
    text = await received(kraft, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"alive" in text


@pytest.mark.slow
async def test_a_body_that_never_ends_is_refused(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "REQUEST_S", 0.05)
    text = await received(
        kraft,
        b"POST /sim/brokers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    )
    assert text.startswith(b"HTTP/1.1 408 ")


async def test_connections_have_a_bound_for_each_address(
    kraft: Cluster, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await status(http, "GET", "/livez") == 200  # stays open, and is served on
    monkeypatch.setattr(connections, "CONNECTIONS_PER_ADDRESS_MAX", 1)
    assert await received(kraft, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") == b""
    assert await status(http, "GET", "/livez") == 200


@pytest.mark.slow
async def test_a_client_that_reads_no_response_is_dropped(
    kraft: Cluster, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "STALLED_S", 0.05)
    response = await received(
        kraft, b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    requests = 20_000_000 // len(response)  # far more than the buffers of two sockets
    port = int(kraft.http_url.rpartition(":")[2])
    _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
    writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * requests)

    with pytest.raises(ConnectionError):
        await writes_until_refused(writer)


async def writes_until_refused(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"GET ")
        await writer.drain()
        await asyncio.sleep(0)
