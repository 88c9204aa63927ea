"""What a second of a server's processor gives to producers and consumers, in turns with peers."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, cycle, islice, repeat
from statistics import median, quantiles

from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.controller.wire.frames import encode_request
from tests.batches import batch
from tools import native

from ..heartbeats import heartbeat, register
from ..load import rss_mb
from ..processes import controller_port, up
from ..report import Row
from .client import topic
from .generator import Load, check_first, run, tail
from .servers import Server, kafka, kfake, kraftsim

RUNS, SECONDS = 5, 1.2
STORED_BATCHES = 100_000
VALUE = bytes(range(32, 96)) * 16  # 1 kB
BYTES_MAX = 1 << 20
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Case:
    """A load: `goals` are the floor and the goal of the ratio to kfake, then to Kafka."""

    name: str
    load: Callable[[Server, str, int], Load]
    goals: tuple[str, str] = ("", "")


def produce_frame(name: str, records: int, acks: int = 1) -> bytes:
    """Returns a Produce request (version 9) with one batch of records of 1 kB."""
    part = PartitionProduceData(index=0, records=batch(*(VALUE,) * records, at_ms=_now_ms()))
    data = TopicProduceData(name=name, partition_data=(part,))
    request = ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=(data,))
    return encode_request(0, 9, 7, "bench", request)


def fetch_frame(name: str, offset: int, bytes_max: int, wait_ms: int = 0) -> bytes:
    """Returns a Fetch request (version 12) of a consumer without a session."""
    part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=bytes_max)
    request = FetchRequest(
        max_wait_ms=wait_ms,
        min_bytes=1,
        max_bytes=50 * MIB,
        session_epoch=-1,
        topics=(FetchTopic(topic=name, partitions=(part,)),),
    )
    return encode_request(1, 12, 7, "bench", request)


def _now_ms() -> int:
    import time

    return time.time_ns() // 1_000_000


def _produced(connections: int, records: int) -> Callable[[Server, str, int], Load]:
    def load(server: Server, name: str, port: int) -> Load:
        frame = produce_frame(name, records)
        check_first(port, frame)
        return run(port, server.pid, [repeat(frame)] * connections, seconds=SECONDS)

    return load


def _fetched(
    connections: int, records: int, batches: int, bytes_max: int
) -> Callable[[Server, str, int], Load]:
    def load(server: Server, name: str, port: int) -> Load:
        frame = produce_frame(name, records)
        check_first(port, frame)
        run(port, server.pid, [repeat(frame)], requests=batches)
        a_reply = max(bytes_max // len(frame), 1)
        offsets = range(0, (batches - a_reply) * records, a_reply * records)
        fetches = [fetch_frame(name, offset, bytes_max) for offset in offsets]
        return run(port, server.pid, [cycle(fetches)] * connections, seconds=SECONDS)

    return load


def _tailed(connections: int) -> Callable[[Server, str, int], Load]:
    def load(server: Server, name: str, port: int) -> Load:
        frame = produce_frame(name, 1)
        check_first(port, frame)
        fetches = (fetch_frame(name, offset, BYTES_MAX, wait_ms=30_000) for offset in count(1))
        kept = list(islice(fetches, 50_000))
        polls = [iter(kept) for _ in range(connections)]
        return tail(port, server.pid, frame, polls, seconds=SECONDS)

    return load


CASES = (
    Case("Produce 1 kB, 16 connections", _produced(16, 1), ("0.7, 1.0", "1.6, 2.3")),
    Case("Produce 64 kB of 64 records", _produced(4, 64), ("2.0, 3.5", "")),
    Case("Produce 1 MB of 1,000 records", _produced(2, 1000), ("1.5, 4.0", "")),
    Case("Fetch 1 MB", _fetched(4, 64, 480, BYTES_MAX), ("3.0, 6.0", "")),
    Case("Fetch 1 kB, 16 connections", _fetched(16, 1, 2_000, 1), ("0.7, 1.0", "1.6, 2.3")),
    Case("tail, 16 long polls", _tailed(16), ("1.0, 1.8", "")),
)


def data_plane() -> Iterator[Row]:
    """Compares kraftsim, interpreted and compiled, with kfake and a released Kafka in turns."""
    with ExitStack() as stack:
        servers = [stack.enter_context(start()) for start in (kraftsim, kfake, kafka)]
        native.main()
        servers.append(stack.enter_context(kraftsim(is_native=True)))
        for case in CASES:
            yield from _compared(case, servers)
    bytes_each = stored_bytes(replicas=1)
    yield Row("RSS of a stored batch beyond its bytes", f"{bytes_each:.0f} B", goal="120, 70")
    p99_ms = pulse_beside(replicas=1, acks=1)
    yield Row("a heartbeat beside full load, p99", f"{p99_ms:.1f} ms", goal="20 ms, 5 ms")


def _compared(case: Case, servers: list[Server]) -> Iterator[Row]:
    """Loads the servers in turns; the ratio is the median over the rounds."""
    loads: dict[int, list[float]] = {server.pid: [] for server in servers}
    for number in range(RUNS):
        for server in servers:
            name = f"t-{number}-{abs(hash(case.name)) % 1000}"
            with topic(server.port, name) as port:
                loads[server.pid].append(case.load(server, name, port).cpu_us)
    us, *peers, compiled = (loads[server.pid] for server in servers)
    for peer, costs, goal in zip(servers[1:], peers, case.goals, strict=False):
        yield _row(f"{case.name}, CPU each", us, peer.name, costs, goal)
        yield _row(f"{case.name}, native, CPU each", compiled, peer.name, costs, "")


def _row(name: str, us: list[float], peer: str, costs: list[float], goal: str) -> Row:
    ratio = median(theirs / ours for ours, theirs in zip(us, costs, strict=True))
    return Row(name, f"{median(us):.1f} us", f"{peer} {median(costs):.1f} us", ratio, goal)


def stored_bytes(*, replicas: int) -> float:
    """Returns the memory of a batch that is stored by so many brokers, beyond its bytes."""
    with (
        kraftsim(brokers=replicas) as server,
        topic(server.port, "stored", replicas=replicas) as port,
    ):
        frame = produce_frame("stored", 1)
        check_first(port, frame)
        run(port, server.pid, [repeat(frame)] * 4, requests=1_000)
        before = rss_mb(server.pid)
        run(port, server.pid, [repeat(frame)] * 4, requests=STORED_BATCHES)
        grown = (rss_mb(server.pid) - before) * MIB / STORED_BATCHES
    return grown - len(batch(VALUE))


def pulse_beside(*, replicas: int, acks: int) -> float:
    """Returns the p99, in ms, of heartbeats to a controller beside 16 connections that produce."""
    with up("--brokers", str(replicas)) as (process, addresses):
        port = int(addresses["KRAFTSIM_BOOTSTRAP_SERVERS"].rpartition(":")[2])
        control = controller_port(addresses)
        frames = [heartbeat(*registered) for registered in register(control, range(100, 116))]
        words = ("-m", "bench.large_cluster.pulse", str(control), "100", "5")
        with topic(port, "beside", replicas=replicas) as leader:
            frame = produce_frame("beside", 1, acks)
            check_first(leader, frame)
            pulse = subprocess.Popen(
                [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            assert pulse.stdin is not None
            pulse.stdin.write("".join(f"{frame.hex()}\n" for frame in frames))
            pulse.stdin.close()
            run(leader, process.pid, [repeat(frame)] * 16, seconds=5.0)
            assert pulse.stdout is not None
            latencies = [took for _, took in json.loads(pulse.stdout.read())]
            pulse.wait()
    return quantiles(latencies, n=100)[98] * 1e3
