"""What replicas cost: acks=all with three in the process beside acks=1 with one."""

from collections.abc import Iterator
from itertools import repeat
from statistics import median

from ..report import Row
from .client import topic
from .data_plane import RUNS, SECONDS, produce_frame, pulse_beside, stored_bytes
from .generator import check_first, run
from .servers import Server, kraftsim

ALL, ONE = -1, 1  # acks
REPLICAS = 3
CONNECTIONS = 16


def replication() -> Iterator[Row]:
    """Measures Produce, memory and the latency of heartbeats with three replicas."""
    with kraftsim(brokers=REPLICAS) as server:
        yield _acknowledged(server)
    further = (stored_bytes(replicas=REPLICAS) - stored_bytes(replicas=1)) / (REPLICAS - 1)
    yield Row("RSS of a batch at a further replica", f"{further:.0f} B", goal="<= 24 B")
    yield _beside_load()


def _acknowledged(server: Server) -> Row:
    """Compares the processor time of a Produce of 1 kB, in turns; the ratio is that of pairs."""
    pairs = [
        (_cpu_us(server, f"one-{number}", 1, ONE), _cpu_us(server, f"all-{number}", REPLICAS, ALL))
        for number in range(RUNS)
    ]
    one, of_all = (median(costs) for costs in zip(*pairs, strict=True))
    return Row(
        "Produce 1 kB, acks=all, three replicas, CPU each",
        f"{of_all:.1f} us",
        f"one, acks=1 {one:.1f} us",
        median(alone / shared for alone, shared in pairs),
        "0.6, 0.9",
    )


def _beside_load() -> Row:
    """Measures heartbeats beside either load, in turns: other work on the machine delays both."""
    pairs = [
        (pulse_beside(replicas=1, acks=ONE), pulse_beside(replicas=REPLICAS, acks=ALL))
        for _ in range(RUNS)
    ]
    one_ms, all_ms = (median(delays) for delays in zip(*pairs, strict=True))
    return Row(
        "a heartbeat beside acks=all, three replicas, p99",
        f"{all_ms:.1f} ms",
        f"one, acks=1 {one_ms:.1f} ms",
        median(shared / alone for alone, shared in pairs),
        "20 ms",
    )


def _cpu_us(server: Server, name: str, replicas: int, acks: int) -> float:
    frame = produce_frame(name, 1, acks)
    with topic(server.port, name, replicas=replicas) as port:
        check_first(port, frame)
        frames = [repeat(frame)] * CONNECTIONS
        return run(port, server.pid, frames, seconds=SECONDS).cpu_us
