"""The time from a start to the first response, and the memory of a process."""

import asyncio
import socket
import time
from collections.abc import Iterator
from statistics import median

from kraftsim.controller.core.rpc import ApiVersionsRequest
from kraftsim.controller.wire.frames import encode_request
from tests.free_ports import free_ports

from . import load
from .processes import (
    CLUSTER_ID,
    announced,
    controller_port,
    elapsed_ms,
    properties,
    running,
    up,
)
from .report import Row

RUNS = 7
AGENTS, AGENTS_MANY = 1_000, 5_000
FIRST_AGENT = "10001"  # above the ids of controllers
_ASK = encode_request(
    18, 4, 1, "bench", ApiVersionsRequest(client_software_name="bench", client_software_version="1")
)


# The smallest server of aiohttp, which kraftsim's HTTP service uses too.
BARE_SERVER = """
from aiohttp import web
application = web.Application()
application.router.add_get("/", lambda request: web.Response())
web.run_app(application, host="127.0.0.1", port={port}, print=None)
"""
_GET = b"GET / HTTP/1.0\r\n\r\n"


def start() -> list[Row]:
    """Measures `kraftsim up` with three brokers, beside the start of a bare aiohttp server."""
    first, bare, ratios, ready, memory = [], [], [], [], []
    port, bare_port = free_ports(2)
    options = ("--controller-port", str(port), "--kafka-port", "0", "--http-port", "0")
    for _ in range(RUNS):
        began = time.perf_counter()
        with running("-c", BARE_SERVER.format(port=bare_port)):
            until_answered(bare_port, _GET)
            bare.append(elapsed_ms(began))
        began = time.perf_counter()
        with running("-m", "kraftsim", "up", *options) as process:
            until_answered(port, _ASK)
            first.append(elapsed_ms(began))
            announced(process)
            ready.append(elapsed_ms(began))
            memory.append(load.rss_mb(process.pid))
        ratios.append(first[-1] / bare[-1])
    return [
        Row(
            "start to first ApiVersions reply",
            f"{median(first):.0f} ms",
            f"aiohttp {median(bare):.0f} ms",
            median(ratios),
            "<= 0.75",
        ),
        Row("start to ready, with HTTP", f"{median(ready):.0f} ms", goal="<= 700 ms"),
        Row("memory of up with 3 brokers", f"{median(memory):.0f} MB", goal="<= 80 MB"),
        _help(),
    ]


def _help() -> Row:
    """Measures `kraftsim --help` beside the import of argparse."""
    ours, peer, ratios = [], [], []
    for _ in range(3 * RUNS):
        peer.append(_duration_ms("-c", "import argparse"))
        ours.append(_duration_ms("-m", "kraftsim", "--help"))
        ratios.append(ours[-1] / peer[-1])
    peer_text = f"argparse {median(peer):.0f} ms"
    return Row("kraftsim --help", f"{median(ours):.0f} ms", peer_text, median(ratios), "<= 2")


def _duration_ms(*words: str) -> float:
    began = time.perf_counter()
    with running(*words) as process:
        process.communicate()
    return elapsed_ms(began)


def until_answered(port: int, request: bytes) -> None:
    """Waits until a server at the port of loopback responds to the request."""
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(request)
                if connection.recv(4096):
                    return
        except OSError:
            time.sleep(0.002)


def agents() -> Iterator[Row]:
    """Measures agents over sockets: the time until all are unfenced, and the memory."""
    fleets = [_fleet(AGENTS) for _ in range(3)]
    took, weight, memory = (median(figures) for figures in zip(*fleets, strict=True))
    yield Row("1,000 agents registered and unfenced", f"{took:.1f} s", goal="<= 5 s")
    yield Row("1,000 agents: growth of up", f"{weight:.0f} MB", goal="<= 150 MB with theirs")
    yield Row("1,000 agents: their own process", f"{memory:.0f} MB")
    took, *_ = _fleet(AGENTS_MANY)
    yield Row("5,000 agents registered and unfenced", f"{took:.1f} s", goal="<= 20 s")


def _fleet(count: int) -> tuple[float, float, float]:
    """Starts agents; returns the seconds until all are unfenced, the growth of up, their memory.

    They do not give up after a minute, as Kafka's brokers would on a slow machine.
    """
    with (
        up("--brokers", "0") as (server, addresses),
        properties(initial_broker_registration_timeout_ms=600_000) as config,
    ):
        before = load.rss_mb(server.pid)
        address = f"127.0.0.1:{controller_port(addresses)}"
        words = ("--controller", address, "--cluster-id", CLUSTER_ID, "--count", str(count))
        began = time.perf_counter()
        with running(
            "-m", "kraftsim", "agent", *words, "--first-id", FIRST_AGENT, "--config", config
        ) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line.startswith("KRAFTSIM_AGENTS_RUNNING="):
                raise RuntimeError(f"expected KRAFTSIM_AGENTS_RUNNING, got {line!r}")
            took_s = elapsed_ms(began) / 1000
            return took_s, load.rss_mb(server.pid) - before, load.rss_mb(process.pid)


def in_process() -> list[Row]:
    """Measures the time from the call of `Cluster` to three usable brokers.

    There are no sockets, and time is real.
    """
    from kraftsim import Cluster

    async def once() -> float:
        began = time.perf_counter()
        async with Cluster(brokers=3):
            return elapsed_ms(began)

    async def several() -> list[float]:
        return [await once() for _ in range(21)]

    return [
        Row(
            "in process: call to 3 usable brokers",
            f"{median(asyncio.run(several())):.1f} ms",
            goal="<= 5 ms",
        )
    ]
