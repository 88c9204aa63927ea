"""Heartbeats over sockets: against an echo server with the same frames, and with many brokers."""

import socket
from collections.abc import Iterator
from statistics import median

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationResponse,
)
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.registrations import first_registration
from tools import native

from . import load
from .processes import CLUSTER_ID, controller_port, properties, running, up
from .report import Row

RUNS, SECONDS = 5, 2.0


def heartbeats() -> list[Row]:
    """Compares kraftsim with an echo server that gets the same frames, in turn.

    The ratio is the median over pairs of runs. kraftsim runs interpreted, then compiled.
    """
    native.main()
    return [*_beside_echo(is_native=False), *_beside_echo(is_native=True)]


def _beside_echo(*, is_native: bool) -> Iterator[Row]:
    suffix = ", native" if is_native else ""
    service = up("--brokers", "0", is_native=is_native)
    with running("-m", "bench.echo") as echo, service as (server, addresses):
        assert echo.stdout is not None
        echo_port, port = int(echo.stdout.readline()), controller_port(addresses)
        frames = [heartbeat(broker_id, epoch) for broker_id, epoch in register(port, range(1, 65))]
        for connections in (1, 16, 64):
            pairs = [
                (
                    load.run(echo_port, frames[:connections], echo.pid, seconds=SECONDS),
                    load.run(port, frames[:connections], server.pid, seconds=SECONDS),
                )
                for _ in range(RUNS)
            ]
            yield from _compared(connections, suffix, pairs)


def _compared(
    connections: int, suffix: str, pairs: list[tuple[load.Result, load.Result]]
) -> list[Row]:
    name = f"heartbeats, {connections} connection{'s' if connections > 1 else ''}{suffix}"
    per_second = median(us.per_second for _, us in pairs)
    cpu_us = median(us.cpu_us for _, us in pairs)
    p50_us = median(us.p50_us for _, us in pairs)
    goal = "floor 0.65, target 0.75" if suffix else "floor 0.5, target 0.7"
    if connections == 1:
        goal = "p50 <= 100 us"
    return [
        Row(
            name,
            f"{per_second:,.0f}/s, p50 {p50_us:.0f} us",
            f"{median(peer.per_second for peer, _ in pairs):,.0f}/s",
            median(us.per_second / peer.per_second for peer, us in pairs),
            goal,
        ),
        Row(
            f"{name}: server's CPU each",
            f"{cpu_us:.1f} us",
            f"{median(peer.cpu_us for peer, _ in pairs):.1f} us",
            median(peer.cpu_us / us.cpu_us for peer, us in pairs),
            "",
        ),
    ]


def many_brokers() -> list[Row]:
    """Compares the cost of a heartbeat with 10 registered brokers and with 10,000."""
    costs = {}
    with properties(broker_session_timeout_ms=600_000) as config:
        for count in (10, 10_000):
            with up("--brokers", "0", "--config", config) as (server, addresses):
                port = controller_port(addresses)
                registered = register(port, range(1, count + 1))
                frames = [heartbeat(broker_id, epoch) for broker_id, epoch in registered[:10]]
                results = [load.run(port, frames, server.pid, seconds=SECONDS) for _ in range(RUNS)]
                costs[count] = median(result.cpu_us for result in results)
    return [
        Row(
            "heartbeat's CPU among 10,000 brokers, against 10",
            f"{costs[10_000]:.1f} us",
            f"{costs[10]:.1f} us",
            costs[10_000] / costs[10],
            "<= 1.5",
        )
    ]


def register(port: int, broker_ids: range) -> list[tuple[int, int]]:
    """Registers the brokers over one connection and returns (id, epoch) of each."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        return [(broker_id, _registered(connection, broker_id)) for broker_id in broker_ids]


def registration(broker_id: int) -> bytes:
    """Returns the frame of a registration request."""
    request = first_registration(broker_id, CLUSTER_ID)
    return encode_request(62, 4, broker_id, "bench", request)


def _registered(connection: socket.socket, broker_id: int) -> int:
    connection.sendall(registration(broker_id))
    data = b""
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
        data += connection.recv(4096)
    _, response = decode_response(62, 4, data[4:])
    assert isinstance(response, BrokerRegistrationResponse), response
    if response.error_code:
        raise RuntimeError(f"expected a registration, got {response}")
    return response.broker_epoch


def heartbeat(broker_id: int, epoch: int) -> bytes:
    """Returns the frame of a heartbeat request."""
    request = BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=epoch,
        current_metadata_offset=1 << 40,
        want_fence=False,
        want_shut_down=False,
    )
    return encode_request(63, 1, 7, "bench", request)
