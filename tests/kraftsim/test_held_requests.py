"""The clock names the requests that faults hold or delay, which is why time stands still."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.api.documents import ClockDocument
from kraftsim.cli.main import main
from kraftsim.controller.core.rpc import UnregisterBrokerRequest
from kraftsim.controller.wire.apis.table import APIS
from tests.kraftsim.conftest import Http, Service
from tests.server.kafka_client import Client

UNREGISTER = 64
HELD = {
    "api": "UnregisterBroker",
    "direction": "request",
    "node": "controller-3000",
    "brokerId": 9,
    "faultId": "barrier",
    "untilMs": None,
}


@pytest.fixture
async def auto() -> AsyncIterator[Cluster]:
    ports = {"controller_port": 0, "http_port": 0}
    async with Cluster(brokers=1, clock="auto", seed=1, **ports) as kraft:
        yield kraft


async def fault_of(kraft: Cluster, verb: str, words: Mapping[str, object] | None = None) -> Any:
    fault = {verb: {"api": "UnregisterBroker", **(words or {})}, "id": "barrier"}
    return await kraft.faults.add(fault)


@asynccontextmanager
async def unregistering(kraft: Cluster) -> AsyncIterator[None]:
    """A client over a socket that waits for its reply during the block."""
    host, _, port = kraft.bootstrap_controllers.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    request = UnregisterBrokerRequest(broker_id=9)
    try:
        Client(reader, writer).send(UNREGISTER, APIS[UNREGISTER].max_version, request)
        yield
    finally:
        writer.close()


async def clock_with_held_requests(kraft: Cluster) -> ClockDocument:
    """Returns the clock once a fault holds a request; time does not pass meanwhile."""
    while True:
        shown = await kraft.clock()
        if shown["heldRequests"] and "their turn" not in str(shown["standsStill"]):
            return shown
        await asyncio.sleep(0)


async def test_the_clock_names_the_request_of_a_client_that_a_fault_holds(auto: Cluster) -> None:
    barrier = await fault_of(auto, "rpc.hold")
    async with unregistering(auto):
        shown = await clock_with_held_requests(auto)
        assert shown["heldRequests"] == [HELD]
        assert str(shown["standsStill"]).startswith(
            "the fault barrier holds the request UnregisterBroker at controller-3000 "
            "until `fault remove barrier`"
        )

        await barrier.remove()
        assert (await auto.clock())["heldRequests"] == []


async def test_the_clock_names_the_request_of_http_that_a_fault_holds(auto: Cluster) -> None:
    barrier = await fault_of(auto, "rpc.hold", {"direction": "reply", "count": 1})
    async with ClientSession() as session:
        http = Http(session, auto.http_url)
        request = asyncio.ensure_future(http.post("/kafka/UnregisterBroker", {"brokerId": 9}))
        await clock_with_held_requests(auto)

        shown = (await http.get("/sim/clock")).document
        assert shown["heldRequests"] == [HELD | {"direction": "reply"}]
        assert "the fault barrier holds the reply UnregisterBroker" in shown["standsStill"]

        await barrier.remove()
        assert (await request).status == 404


@pytest.mark.parametrize(
    ("verb", "words"), [("rpc.delay", {"by": "2s"}), ("rpc.reorder", {"within": "2s"})]
)
async def test_the_clock_says_until_when_a_request_is_delayed(
    verb: str, words: dict[str, object]
) -> None:
    virtual = Cluster(brokers=1, clock="virtual", seed=1, controller_port=0)
    async with virtual as kraft:
        await fault_of(kraft, verb, words)
        async with unregistering(kraft):
            shown = await clock_with_held_requests(kraft)
            until_ms = shown["nowMs"] + 2000
            assert shown["heldRequests"] == [HELD | {"untilMs": until_ms}]
            assert f"until {until_ms / 1000:.3f} s; nobody else waits" in str(shown["standsStill"])

            assert (await kraft.advance("2s"))["heldRequests"] == []


def test_a_shell_shows_the_requests_that_a_fault_holds(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(brokers=1)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    try:
        assert main(["fault", "add", "rpc.hold: {api: BrokerHeartbeat}"]) == 0
        run("fault wait rpc.hold-1")
        _, shown, _ = run("clock show")
    finally:
        service.close()

    held = shown[shown.index("heldRequests:") :].splitlines()
    assert held[2].split()[:4] == ["BrokerHeartbeat", "request", "controller-3000", "1"]
