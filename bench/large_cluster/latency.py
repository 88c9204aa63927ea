"""The heartbeat latency of 1,000 brokers during a snapshot, measured from another process."""

import asyncio
import json
import sys
import time
from collections.abc import Iterable
from statistics import median, quantiles

from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.runtime import Runtime

from ..heartbeats import heartbeat
from ..report import Row
from .cluster import Cluster, begin_snapshot
from .pulse import WARM_UP_S

PER_SECOND = 500  # of 1,000 brokers, each every 2 s
IDLE_S = 2.0  # before each snapshot
ROUNDS = 7
SECONDS = 45.0  # duration of the generator, longer than all rounds


def snapshot_latency(cluster: Cluster) -> Iterable[Row]:
    """Yields the medians of several rounds, since other processes disturb single rounds."""
    rounds = asyncio.run(_measured(cluster))
    idle = median(_p99_ms(latencies) for latencies, _ in rounds)
    during = median(_p99_ms(latencies) for _, latencies in rounds)
    name = f"heartbeats' p99 during a snapshot, against idle: medians of {len(rounds)}"
    yield Row(name, f"{during:.2f} ms", f"{idle:.2f} ms", during / idle, "<= 3")


def _p99_ms(latencies: list[float]) -> float:
    return quantiles(latencies, n=100)[98] * 1000


async def _measured(cluster: Cluster) -> list[tuple[list[float], list[float]]]:
    """Returns the latencies of each round in seconds: before the snapshot and during it."""
    runtime = Runtime(cluster.timeline)
    listener = KafkaListener("controller", "controller-3000")
    listener.serve(runtime, lambda *_: None, cluster.hosted.submit, DEFAULT_PROFILE)
    port = await listener.open("127.0.0.1", 0)
    runtime.leave()
    child = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "bench.large_cluster.pulse",
            str(port),
            str(PER_SECOND),
            str(SECONDS),
        ),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    epochs = cluster.image.brokers.items()
    frames = [heartbeat(broker_id, broker.broker_epoch) for broker_id, broker in epochs]
    answer = asyncio.create_task(child.communicate("\n".join(f.hex() for f in frames).encode()))
    await asyncio.sleep(WARM_UP_S)
    times = []
    for _ in range(ROUNDS):
        idle_s = time.perf_counter()
        await asyncio.sleep(IDLE_S)
        times.append((idle_s, *await _snapshot(cluster)))
    output, _ = await answer
    runtime.close()
    cluster.work_in_steps()
    listener.close()
    replies: list[tuple[float, float]] = json.loads(output)
    return [
        (_within(replies, idle_s, begin_s), _within(replies, begin_s, end_s))
        for idle_s, begin_s, end_s in times
    ]


def _within(replies: list[tuple[float, float]], begin_s: float, end_s: float) -> list[float]:
    return [latency for due_s, latency in replies if begin_s <= due_s < end_s]


async def _snapshot(cluster: Cluster) -> tuple[float, float]:
    """Takes a snapshot; returns its begin and end in seconds of `perf_counter`."""
    written, listeners = asyncio.Event(), cluster.hosted.step_listeners
    listeners.append(lambda _, turn: None if turn.snapshot is None else written.set())
    begin_snapshot(cluster)
    begin_s = time.perf_counter()
    await written.wait()
    listeners.pop()
    return begin_s, time.perf_counter()
