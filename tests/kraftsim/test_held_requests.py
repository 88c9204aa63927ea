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
    "number": 1,
    "api": "UnregisterBroker",
    "direction": "request",
    "node": "controller-3000",
    "sender": None,
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
        shown = await kraft.clock.show()
        if shown["heldRequests"] and "their turn" not in str(shown["standsStill"]):
            return shown
        await asyncio.sleep(0)


async def test_the_clock_names_the_request_of_a_client_that_a_fault_holds(auto: Cluster) -> None:
    barrier = await fault_of(auto, "rpc.hold")
    async with unregistering(auto):
        shown = await clock_with_held_requests(auto)
        assert shown["heldRequests"] == [HELD | {"sinceMs": shown["nowMs"]}]
        assert str(shown["standsStill"]).startswith(
            "the fault barrier holds the request UnregisterBroker at controller-3000 "
            "until `fault remove barrier`"
        )

        await barrier.remove()
        assert (await auto.clock.show())["heldRequests"] == []


async def test_the_clock_names_the_request_of_http_that_a_fault_holds(auto: Cluster) -> None:
    barrier = await fault_of(auto, "rpc.hold", {"direction": "reply", "count": 1})
    async with ClientSession() as session:
        http = Http(session, auto.http_url)
        request = asyncio.ensure_future(http.post("/kafka/UnregisterBroker", {"brokerId": 9}))
        await clock_with_held_requests(auto)

        shown = (await http.get("/sim/clock")).document
        assert shown["heldRequests"] == [HELD | {"direction": "reply", "sinceMs": shown["nowMs"]}]
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
            assert shown["heldRequests"] == [
                HELD | {"sinceMs": shown["nowMs"], "untilMs": until_ms}
            ]
            assert f"until {until_ms / 1000:.3f} s; nobody else waits" in str(shown["standsStill"])

            assert (await kraft.clock.advance("2s"))["heldRequests"] == []


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
    words = ["1", "BrokerHeartbeat", "request", "controller-3000", "broker-1", "1"]
    assert held[2].split()[:6] == words


async def test_a_held_message_is_released_alone(auto: Cluster) -> None:
    barrier = await fault_of(auto, "rpc.hold")
    async with ClientSession() as session:
        http = Http(session, auto.http_url)
        first, second = (
            asyncio.ensure_future(http.post("/kafka/UnregisterBroker", {"brokerId": broker_id}))
            for broker_id in (8, 9)
        )
        while (listed := (await http.get("/sim/faults/held")).document)["count"] < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        numbers = {message["brokerId"]: message["number"] for message in listed["held"]}
        assert (listed["count"], sorted(numbers)) == (2, [8, 9])

        path = "/sim/faults/barrier/release"
        reply = await http.post(path, {"message": numbers[9]})
        assert reply.document == {"id": "barrier", "released": 1, "held": 1}
        assert (await second).status == 404
        assert not first.done()

        refused = await http.post(path, {"message": numbers[9]})
        assert refused.status == 400
        assert f"number of a held message ({numbers[8]})" in refused.document["message"]

        assert (await http.post(path)).document == {"id": "barrier", "released": 1, "held": 0}
        assert (await first).status == 404
        assert barrier.is_open


async def test_a_delayed_request_is_released_before_its_time() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        delay = await kraft.faults.add({"rpc.delay": {"api": "BrokerHeartbeat", "by": "60s"}})
        await delay.wait()
        (held,) = (await kraft.faults.held())["held"]
        assert (held["sender"], held["node"]) == ("broker-1", "controller-3000")

        assert await delay.release(held["number"]) == 1
        assert (await kraft.faults.held())["count"] == 0

        await delay.remove()
        await kraft.clock.advance("61s")  # the time of the delay ends without a message


async def test_a_message_of_a_link_is_released() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        words = {"from": 2, "to": "controllers", "message": "BrokerHeartbeat"}
        hold = await kraft.faults.add({"net.hold": words})
        await kraft.wait(broker=2, state="fenced", timeout="20s")
        held = await kraft.faults.held()
        assert {message["sender"] for message in held["held"]} == {"broker-2"}
        assert (await kraft.clock.show())["heldRequests"] == []  # those of listeners only

        assert await hold.release() == held["count"]
        await kraft.wait(broker=2, state="unfenced", timeout="1ms")
