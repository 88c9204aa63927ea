"""The backend of integration tests: starts, resets, lapsed leases, a virtual hour, HTTP."""

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from statistics import median
from urllib.request import Request, urlopen

from kraftsim import Cluster
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.simulation.clients.listeners import Listeners
from kraftsim.simulation.world import World
from kraftsim.testing.blocking import call_in, loop_in_thread
from tests.batches import batch
from tests.free_ports import free_port

from .processes import elapsed_ms, running, up
from .report import Row
from .starts import BARE_SERVER, until_answered

RUNS = 41
HTTP_REQUESTS = 3_000
PARTITIONS, BATCHES, BATCH_BYTES = 10, 15_000, 16_384
MOTO_SERVER = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '{port}'])"
GET = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def backend() -> Iterator[Row]:
    """Measures what a test of a user waits for."""
    yield _usable_by_a_client()
    yield Row("reset in process", _text(asyncio.run(_resets())), goal="<= 2 ms")
    ours = _http_resets()
    peer, ratio = "", None
    if find_spec("moto"):
        moto = _moto_resets()
        peer, ratio = f"moto {median(moto):.2f} ms", median(ours) / median(moto)
    yield Row("reset over HTTP", _text(ours), peer, ratio, "<= 5 ms")
    lapse = "a 9 s lease lapses, is seen, the broker recovers"
    yield Row(lapse, _text(asyncio.run(_lapses())), goal="<= 20 ms")
    yield Row("the same, a Kafka client connected", _text(_lapses_with_client()), goal="<= 20 ms")
    gone_back, branched = asyncio.run(_snapshots())
    yield Row("1,000 brokers: snapshot and restore", _text(gone_back), goal="<= 100 ms")
    yield Row("1,000 brokers: branch", _text(branched), goal="<= 50 ms")
    with_data, _ = asyncio.run(_snapshots(BATCHES))
    peer, ratio = (
        f"without messages {median(gone_back):.2f} ms",
        median(with_data) / median(gone_back),
    )
    row = "1,000 brokers with 250 MB of messages: snapshot and restore"
    yield Row(row, _text(with_data), peer, ratio, "<= 1.1")
    yield Row("100 brokers for a virtual hour", f"{asyncio.run(_hour_s()):.1f} s", goal="<= 20 s")
    yield _beside_bare_handler()


def _text(times_ms: list[float]) -> str:
    return f"{median(times_ms):.2f} ms (best {min(times_ms):.2f})"


def _usable_by_a_client() -> Row:
    """Measures three brokers from nothing to librdkafka's metadata, beside its own mock cluster."""
    ours, mock = [], []
    for _ in range(RUNS):
        began = time.perf_counter()
        _listed({"test.mock.num.brokers": 3})
        mock.append(elapsed_ms(began))
        began = time.perf_counter()
        with loop_in_thread() as loop:
            cluster = Cluster(brokers=3, clock="auto", kafka_port=0)
            call_in(loop, cluster.start())
            _listed({"bootstrap.servers": cluster.bootstrap_servers})
            ours.append(elapsed_ms(began))
            call_in(loop, cluster.close())
    peer, ratio = f"mock {median(mock):.1f} ms", median(ours) / median(mock)
    return Row("3 brokers, listed by librdkafka", f"{median(ours):.1f} ms", peer, ratio)


def _listed(settings: dict[str, str | int]) -> None:
    from confluent_kafka.admin import AdminClient

    listed = AdminClient(settings).list_topics(timeout=10)
    assert len(listed.brokers) == 3, listed.brokers


async def _each(action: Callable[[], Awaitable[object]]) -> list[float]:
    """Returns the times of RUNS calls in milliseconds."""
    times_ms = []
    for _ in range(RUNS):
        began = time.perf_counter()
        await action()
        times_ms.append(elapsed_ms(began))
    return times_ms


async def _resets() -> list[float]:
    async with Cluster(brokers=3, clock="auto", seed=1) as kraft:
        return await _each(kraft.reset)


def _http_resets() -> list[float]:
    with up("--clock", "auto", "--kafka-port", "0") as (_, addresses):
        return _posts(f"{addresses['KRAFTSIM_HTTP']}/sim/reset", b"{}")


def _moto_resets() -> list[float]:
    """Measures resets of moto's server, the fake AWS that tests know, with one bucket in it."""
    port = free_port()
    with running("-c", MOTO_SERVER.format(port=port)):
        until_answered(port, GET % b"/moto-api/")
        bucket = Request(f"http://127.0.0.1:{port}/bench", method="PUT")
        with urlopen(bucket) as response:
            response.read()
        return _posts(f"http://127.0.0.1:{port}/moto-api/reset", b"")


def _posts(url: str, body: bytes) -> list[float]:
    """Returns the times of RUNS requests in milliseconds, each on a connection of its own."""
    request, times_ms = Request(url, body, {"Content-Type": "application/json"}), []
    for _ in range(RUNS):
        began = time.perf_counter()
        with urlopen(request) as response:
            json.load(response)
        times_ms.append(elapsed_ms(began))
    return times_ms


async def _lapse(kraft: Cluster) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")
    await kraft.brokers.restart(2)
    await kraft.wait(2, "unfenced")


async def _lapses() -> list[float]:
    async with Cluster(brokers=3, clock="auto", seed=1) as kraft:
        return await _each(lambda: _lapse(kraft))


async def _snapshots(batches: int = 0) -> tuple[list[float], list[float]]:
    """Measures snapshots of a large cluster: saved and restored, and as branches.

    `batches` are written before to PARTITIONS partitions, each with three replicas.
    """
    async with Cluster(brokers=1000, clock="auto", seed=1) as kraft:
        if batches:
            await kraft.topics.create("t", partitions=PARTITIONS, replication_factor=3)
            await kraft.clock.advance("2s")
            _write(kraft.world, batches)

        async def go_back() -> None:
            await kraft.snapshots.save("now")
            await kraft.snapshots.restore("now")
            await kraft.snapshots.remove("now")

        async def branch() -> None:
            async with kraft.branch():
                pass

        return await _each(go_back), await _each(branch)


def _write(world: World, batches: int) -> None:
    """Writes batches to the leaders of the topic `t`, one partition after the other."""
    listeners, image = Listeners(world), world.committed
    topic = image.topics[image.topic_ids["t"]]
    for number in range(batches):
        index = number % PARTITIONS
        records = batch(bytes(BATCH_BYTES), at_ms=world.timeline.wall_ms)
        data = PartitionProduceData(index=index, records=records)
        written = TopicProduceData(name="t", topic_id=topic.topic_id, partition_data=(data,))
        request = ProduceRequest(
            acks=1, timeout_ms=1000, requester=Requester(version=13), topic_data=(written,)
        )
        messages = listeners.find(topic.partitions[index].leader)
        assert messages is not None, "expected a running leader"
        messages.produce(request, lambda _: None)


def _lapses_with_client() -> list[float]:
    with loop_in_thread() as loop:
        cluster = Cluster(brokers=3, clock="auto", seed=1, kafka_port=0)
        call_in(loop, cluster.start())
        host, port = cluster.bootstrap_servers.split(",")[0].split(":")
        with closing(socket.create_connection((host, int(port)))):
            times_ms = call_in(loop, _each(lambda: _lapse(cluster)))
        call_in(loop, cluster.close())
    return times_ms


async def _hour_s() -> float:
    async with Cluster(brokers=100, clock="virtual", seed=1) as kraft:
        began = time.perf_counter()
        await kraft.clock.advance("1h")
        return time.perf_counter() - began


def _beside_bare_handler() -> Row:
    """Measures GET requests one after the other, beside a bare handler of aiohttp."""
    bare_port = free_port()
    ours, bare = [], []
    with (
        up("--kafka-port", "0") as (_, addresses),
        running("-c", BARE_SERVER.format(port=bare_port)),
    ):
        until_answered(bare_port, GET % b"/")
        port = int(addresses["KRAFTSIM_HTTP"].rpartition(":")[2])
        for _ in range(5):
            ours.append(_requests_per_s(port, b"/livez"))
            bare.append(_requests_per_s(bare_port, b"/"))
    ratio = median(a / b for a, b in zip(ours, bare, strict=True))
    figure, peer = f"{median(ours):,.0f}/s", f"aiohttp {median(bare):,.0f}/s"
    return Row("GET /livez over one connection", figure, peer, ratio, ">= 0.7")


def _requests_per_s(port: int, path: bytes) -> float:
    request = GET % path
    with socket.create_connection(("127.0.0.1", port)) as connection:
        began = time.perf_counter()
        for _ in range(HTTP_REQUESTS):
            connection.sendall(request)
            connection.recv(65536)
        return HTTP_REQUESTS / (time.perf_counter() - began)
