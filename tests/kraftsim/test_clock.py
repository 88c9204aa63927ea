"""The clock of a running cluster: moved, paused, held, and moving for those who wait."""

import asyncio
import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from kraftsim.errors import CommandError
from kraftsim.service.clock import clock_control
from tests.kraftsim.conftest import Http, Service
from tests.kraftsim.loop_passes import others_run, passes_during
from tests.limits import LIMIT_S

METADATA_REQUEST = struct.pack(">ihhih", 14, 3, 1, 7, -1) + struct.pack(">i", -1)


async def now_ms(kraft: Cluster) -> int:
    return (await kraft.clock.show())["nowMs"]


@pytest.fixture
async def auto() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=2, controllers=3, clock="auto", seed=1, kafka_port=0, http_port=0
    ) as cluster:
        yield cluster


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service(brokers=2)
    yield service
    service.close()


@asynccontextmanager
async def connected(
    kraft: Cluster,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = kraft.bootstrap_servers.split(",")[0].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    yield reader, writer
    writer.close()
    await writer.wait_closed()


async def test_a_virtual_clock_stands_still_and_says_what_moves_it(kraft: Cluster) -> None:
    shown = await kraft.clock.show()

    assert (shown["clock"], shown["speed"]) == ("virtual", 0.0)
    assert "`clock advance`" in str(shown["standsStill"])


async def test_advance_moves_time_by_exactly_its_duration(kraft: Cluster) -> None:
    before = await now_ms(kraft)

    assert (await kraft.clock.advance("90s"))["nowMs"] == before + 90_000


async def test_an_advance_behind_a_lock_logs_who_holds_the_clock(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(clock_control, "HELD_SAID_S", 0.0)
    await kraft.clock.lock("worker")
    moving = asyncio.ensure_future(kraft.clock.advance("1s"))
    while not caplog.messages:  # noqa: ASYNC110  # a log has no event of its lines
        await asyncio.sleep(0)
    await kraft.clock.unlock("worker")
    await moving

    assert caplog.messages[0].startswith(
        "advance waits, because time stands still: locks are held by worker ("
    )
    assert len(caplog.messages) == 1


@pytest.mark.slow
def test_a_shell_says_who_holds_the_clock_while_it_waits(service: Service) -> None:
    service.do(service.kraft.clock.lock("worker"))
    words = ("clock", "advance", "--by", "1s", "--url", service.kraft.http_url)
    command = [sys.executable, "-m", "kraftsim", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        notice = process.stderr.readline()
        service.do(service.kraft.clock.unlock("worker"))

    assert notice.startswith("kraftsim: time stands still: locks are held by worker (")
    assert process.returncode == 0


@pytest.mark.slow
async def test_others_are_served_while_time_jumps_far() -> None:
    async with Cluster(brokers=100, clock="virtual", seed=1) as kraft:
        _, passes = await passes_during(kraft.clock.advance("40s"))

    assert passes >= 10


async def test_owners_of_locks_have_a_bound(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.service.clock.clock_locks.LOCKS_MAX", 2)
    await kraft.clock.lock("first")
    await kraft.clock.lock("second")
    await kraft.clock.lock("second")

    with pytest.raises(CommandError, match="expected at most 2 owners of locks"):
        await kraft.clock.lock("third")


async def test_run_until_returns_the_next_event_of_its_kind_and_broker(kraft: Cluster) -> None:
    await kraft.brokers.kill(1)
    await kraft.clock.advance("1s")
    await kraft.brokers.kill(2)

    event = await kraft.clock.run_until("broker_fenced", broker=2)

    assert (event["kind"], event["brokerId"]) == ("broker_fenced", 2)
    assert "fenced" in kraft.brokers.states_of(1)


async def test_run_until_refuses_an_unknown_kind_and_gives_up_in_time(kraft: Cluster) -> None:
    with pytest.raises(CommandError, match="kind: expected 'broker_fenced'"):
        await kraft.clock.run_until("broker_fence")
    with pytest.raises(TimeoutError, match="expected an event broker_fenced within 1m"):
        await kraft.clock.run_until("broker_fenced", timeout="1m")


async def test_a_paused_clock_is_moved_by_advance_and_by_nothing_else(kraft: Cluster) -> None:
    await kraft.clock.pause()
    await kraft.brokers.kill(2)

    with pytest.raises(TimeoutError, match="time stood still: the clock is paused"):
        await kraft.wait(2, "fenced", "20ms")
    await kraft.clock.advance("11s")
    assert "fenced" in kraft.brokers.states_of(2)

    await kraft.brokers.restart(2)
    await kraft.clock.resume()
    await kraft.wait(2, "unfenced")


async def test_a_real_clock_can_be_paused_advanced_and_resumed() -> None:
    async with Cluster(brokers=2, seed=1) as kraft:
        await kraft.clock.pause()
        await kraft.brokers.kill(2)
        shown = await kraft.clock.advance("11s")

        assert "fenced" in kraft.brokers.states_of(2)
        assert shown["wallMs"] <= time.time() * 1000
        assert (await kraft.clock.resume())["speed"] == 1.0


@pytest.mark.rule("6.36")
async def test_no_timestamp_of_a_fast_clock_lies_in_the_future() -> None:
    async with Cluster(brokers=1, seed=1) as kraft:
        await kraft.clock.speed("1000")
        await kraft.clock.sleep("30s")

        quorum = await kraft.quorum.show()
        assert all(v["lastFetchTimestamp"] <= time.time() * 1000 for v in quorum["voters"])


async def test_what_was_read_once_keeps_its_time_when_the_wall_clock_is_set_back() -> None:
    async with Cluster(brokers=1, seed=1) as kraft:
        before = await kraft.events.list()
        await kraft.clock.pause()
        await kraft.clock.advance("1m")
        await kraft.clock.advance("1m")
        await kraft.brokers.kill(1)

        later = await kraft.events.list()
        assert later[: len(before)] == before
        assert later[-1]["timeMs"] == (await kraft.clock.show())["wallMs"]


async def test_a_wait_ends_with_an_event_that_comes_due_while_it_looks() -> None:
    async with Cluster(brokers=1, seed=1) as kraft:
        world = kraft.world
        agent = world.agents[1]

        def is_dead() -> bool:
            was_dead = not agent.is_alive
            world.timeline.at(world.timeline.now_us, agent.kill)
            return was_dead

        await kraft._live.clock.until(is_dead, 20_000_000, "the broker dead")
        # it did not wait for the next event, the fence
        assert "unfenced" in kraft.brokers.states_of(1)


async def test_a_lock_holds_the_clock_until_it_was_let_go_as_often(kraft: Cluster) -> None:
    before = await now_ms(kraft)
    await kraft.clock.lock("worker")
    await kraft.clock.lock("worker")
    moving = asyncio.ensure_future(kraft.clock.advance("1s"))

    await kraft.clock.unlock("worker")
    shown = await kraft.clock.show()
    assert (shown["nowMs"], [lock["count"] for lock in shown["locks"]]) == (before, [1])
    assert "worker" in str(shown["standsStill"])

    await kraft.clock.unlock("worker")
    assert (await moving)["nowMs"] == before + 1000


async def test_a_lock_expires_in_real_time(kraft: Cluster) -> None:
    await kraft.clock.lock("gone", expiry="10ms")

    await kraft.clock.advance("1s")

    with pytest.raises(CommandError, match="expected one that holds a lock"):
        await kraft.clock.unlock("gone")


@pytest.mark.parametrize(
    ("owner", "expiry", "reason"),
    [(" ", "1s", "owner: expected a name"), ("me", "2h", "at most 1h"), ("me", "0s", "than 0")],
)
async def test_a_lock_has_an_owner_and_an_end(
    kraft: Cluster, owner: str, expiry: str, reason: str
) -> None:
    with pytest.raises(CommandError, match=reason):
        await kraft.clock.lock(owner, expiry)


async def test_a_clock_that_was_sped_up_stands_again_with_the_factor_0(auto: Cluster) -> None:
    await auto.clock.speed(100)
    await auto.clock.speed(0)
    before = await auto.clock.show()
    await auto.wait(leader="any")

    assert (before["speed"], before["paused"]) == (0.0, False)
    assert "nobody waits" in str(before["standsStill"])
    assert (await auto.clock.advance("90s"))["nowMs"] >= before["nowMs"] + 90_000


async def test_a_clock_that_stands_again_moves_for_a_client_that_waits(auto: Cluster) -> None:
    await auto.faults.add({"rpc.delay": {"api": "Metadata", "by": "10s"}})
    await auto.clock.speed(0.001)
    async with connected(auto) as (reader, writer):
        writer.write(METADATA_REQUEST)
        while not (await auto.clock.show())["heldRequests"]:
            await others_run()
        await auto.clock.speed("0")

        assert await asyncio.wait_for(reader.readexactly(4), LIMIT_S)


async def test_a_clock_that_never_stood_takes_no_factor_0() -> None:
    async with Cluster(brokers=1, clock=10, seed=1) as kraft:
        with pytest.raises(CommandError, match="got 0; to stop the clock, pause it"):
            await kraft.clock.speed(0)


@pytest.mark.parametrize("factor", ["-0.5", "-1", "fast", "1001", "nan"])
async def test_a_speed_is_a_number_above_nought(kraft: Cluster, factor: str) -> None:
    with pytest.raises(CommandError, match=r"factor: expected a number from 0.001 to 1000"):
        await kraft.clock.speed(factor)


async def test_auto_moves_for_a_request_that_waits_for_a_leader(auto: Cluster) -> None:
    await auto.controllers.kill(auto.quorum.leader()["leaderId"])

    await auto.topics.create("orders", partitions=1, replication_factor=1)

    assert [topic["name"] for topic in await auto.topics.list()] == ["orders"]


async def test_auto_gives_up_on_a_quorum_that_is_lost(auto: Cluster) -> None:
    for node_id in list(auto.world.controllers)[:2]:
        await auto.controllers.kill(node_id)

    with pytest.raises(ApiError):
        await auto.topics.create("orders", partitions=1, replication_factor=1)


async def test_auto_stands_still_for_a_client_that_has_its_response(auto: Cluster) -> None:
    before = await now_ms(auto)
    async with connected(auto) as (reader, writer):
        writer.write(METADATA_REQUEST)
        await reader.readexactly(int.from_bytes(await reader.readexactly(4)))

        assert await now_ms(auto) == before


async def test_time_never_passes_while_a_request_is_half_sent(auto: Cluster) -> None:
    before = await now_ms(auto)
    async with connected(auto) as (reader, writer):
        writer.write(METADATA_REQUEST[:9])
        moving = asyncio.ensure_future(auto.clock.advance("11s"))
        while "9 bytes of a request" not in str((shown := await auto.clock.show())["standsStill"]):
            await others_run()  # the clock announces nothing

        assert shown["nowMs"] == before
        assert [waiter["waitsFor"] for waiter in shown["waiters"]] == ["advance by 11 s"]

        writer.write(METADATA_REQUEST[9:])
        await reader.readexactly(4)
        assert (await moving)["nowMs"] == before + 11_000


async def test_requests_that_have_arrived_are_handled_before_the_next_timer(auto: Cluster) -> None:
    """Every response shows the cluster as it was when its request came, however far time jumps."""
    host, port = auto.bootstrap_servers.split(",")[0].split(":")
    with socket.create_connection((host, int(port))) as client:
        await auto.clock.advance("1s")  # the service has accepted the connection
        noted = auto._live.service.requests.next_number
        for sent in range(1, 6):
            client.sendall(METADATA_REQUEST)
            await auto.clock.advance("1ms")
            assert auto._live.service.requests.next_number == noted + sent


async def test_the_clock_is_moved_over_http_while_kafka_clients_are_connected(
    auto: Cluster,
) -> None:
    await auto.brokers.kill(2)
    async with connected(auto), ClientSession() as session:
        http = Http(session, auto.http_url)
        before = (await http.get("/sim/clock")).document["nowMs"]
        moved = (await http.post("/sim/clock/advance", {"by": "11s"})).document["nowMs"]
        broker = (await http.get("/v1/brokers/2")).document
        by_number = (await http.post("/sim/clock/advance", {"by": 1.5})).document["nowMs"]
        speed = (await http.post("/sim/clock/speed", {"factor": 2})).document["speed"]

    assert (moved, by_number, speed) == (before + 11_000, before + 12_500, 2.0)
    assert broker["fenced"] is True


def test_the_command_line_moves_the_clock(service: Service, run: Any) -> None:
    url = f"--url {service.kraft.http_url}"
    assert run(f"broker kill 2 {url}")[0] == 0

    code, out, _ = run(f"clock run-until --kind broker_fenced --json {url}")

    assert (code, json.loads(out)["brokerId"]) == (0, 2)
