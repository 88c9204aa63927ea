"""What heartbeats of 1,000 brokers feel of a snapshot: through sockets, from another process."""

import asyncio
import json
import sys
import time
from collections.abc import Iterable
from statistics import quantiles

from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.runtime import Runtime

from .heartbeats import heartbeat
from .report import Row
from .scale_cluster import Cluster, begin_snapshot

PER_SECOND = 500  # 1,000 brokers, each every two seconds
SECONDS = 20.0
SNAPSHOT_AFTER_S = 8.0


def snapshot_latency(cluster: Cluster) -> Iterable[Row]:
    idle, during = asyncio.run(_measured(cluster))
    yield Row(
        "heartbeats' p99 during a snapshot, against idle",
        f"{_p99_ms(during):.2f} ms",
        f"{_p99_ms(idle):.2f} ms",
        _p99_ms(during) / _p99_ms(idle),
        "<= 3",
    )


def _p99_ms(latencies: list[float]) -> float:
    return quantiles(latencies, n=100)[98] * 1000


async def _measured(cluster: Cluster) -> tuple[list[float], list[float]]:
    """Latencies in seconds: before the snapshot, and while it is written."""
    runtime = Runtime(cluster.timeline)
    listener = KafkaListener("controller", "controller-3000")
    listener.serve(runtime, lambda *_: None, cluster.hosted.submit)
    port = await listener.open("127.0.0.1", 0)
    runtime.leave()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.pulse", str(port), str(PER_SECOND), str(SECONDS)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    epochs = cluster.image.brokers.items()
    frames = [heartbeat(broker_id, broker.broker_epoch) for broker_id, broker in epochs]
    answer = asyncio.create_task(child.communicate("\n".join(f.hex() for f in frames).encode()))
    await asyncio.sleep(SNAPSHOT_AFTER_S)
    begin_s, end_s = await _snapshot(cluster)
    output, _ = await answer
    runtime.close()
    cluster.work_in_steps()
    listener.close()
    told: list[tuple[float, float]] = json.loads(output)
    idle = [latency for due_s, latency in told if due_s < begin_s]
    during = [latency for due_s, latency in told if begin_s <= due_s <= end_s]
    return idle, during


async def _snapshot(cluster: Cluster) -> tuple[float, float]:
    """When it began and when it ended, by the clock that the heartbeats are timed by."""
    written = asyncio.Event()
    cluster.hosted.step_listeners.append(
        lambda _, turn: None if turn.snapshot is None else written.set()
    )
    begin_snapshot(cluster)
    begin_s = time.perf_counter()
    await written.wait()
    return begin_s, time.perf_counter()
