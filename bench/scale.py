"""A large cluster: the duration of single steps of the active controller, and heartbeat latency.

A step is the work between two points at which a heartbeat can be handled: a request or a deadline.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from statistics import median

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import DecommissionBrokerRequest
from kraftsim.controller.node.loading import Loading
from kraftsim.controller.raft.snapshot import Reading
from kraftsim.controller.wire.records.snapshot_file import read_snapshot
from kraftsim.service.garbage_collection import bound_pauses

from .large_cluster.cluster import Cluster, begin_snapshot
from .large_cluster.latency import snapshot_latency
from .report import Row

BROKERS, BROKERS_MANY, BROKERS_FEW = 1_000, 10_000, 4
NAMES = 4_900  # topics per request: two records each, just under 10,000
STEP_GOAL = "<= 50 ms"
RUNS = 5


def scale() -> Iterable[Row]:
    """Yields the figures of large clusters."""
    bound_pauses()  # as in every service of kraftsim
    cluster = Cluster(BROKERS)
    yield _row("registration, 1,000 brokers: longest step", max(cluster.steps_ms), STEP_GOAL)
    created = cluster.fill()
    decided_ms, request_ms = zip(*created, strict=True)
    yield _row("CreateTopics, 5,000 partitions: median of 20", median(request_ms), "<= 150 ms")
    yield _row("the same: its longest step", max(decided_ms))
    yield from _fences(cluster)
    yield from _snapshot(cluster)
    yield from _names(cluster)
    yield _row("copy of the image, 1,000 brokers, 100,000 partitions", _copy_ms(cluster.image))
    yield from _outage(cluster)
    yield from _mass_fence()
    yield from _many_brokers()


def _row(name: str, milliseconds: float, goal: str = "") -> Row:
    return Row(name, f"{milliseconds:,.1f} ms", goal=goal)


def _fences(cluster: Cluster) -> Iterable[Row]:
    """Measures fences and unfences of brokers with 300 partitions each."""
    fences = [cluster.heartbeat(broker, want_fence=True) for broker in cluster.brokers[:20]]
    unfences = [cluster.heartbeat(broker) for broker in cluster.brokers[:20]]
    yield _row("fence of 1 of 1,000 brokers: longest of 20", max(fences), STEP_GOAL)
    yield _row("unfence of 1 of 1,000 brokers: longest of 20", max(unfences), STEP_GOAL)


def _outage(cluster: Cluster) -> Iterable[Row]:
    """Measures the simultaneous expiry of all leases, and the first brokers that return."""
    mark = cluster.node.log.end_offset
    cluster.forget()
    cluster.run_for(20_000)
    records = cluster.node.log.end_offset - mark
    record_us = sum(cluster.steps_ms) * 1000 / records
    yield _row("1,000 leases run out: longest step", max(cluster.steps_ms), STEP_GOAL)
    yield Row("the same: each of its records", f"{record_us:.1f} us")
    unfences = [cluster.heartbeat(broker) for broker in cluster.brokers[:5]]
    yield _row("unfence of the first 5 after it: longest", max(unfences), STEP_GOAL)


def _snapshot(cluster: Cluster) -> Iterable[Row]:
    before = cluster.node.quorum.snapshot
    begin_snapshot(cluster)
    cluster.forget()
    cluster.run_for(6_000)
    assert cluster.node.quorum.snapshot is not before, "expected a snapshot"
    yield _row("snapshot of 100,000 partitions: longest step", max(cluster.steps_ms), STEP_GOAL)
    yield _row("snapshot of 100,000 partitions: all steps", sum(cluster.steps_ms))
    yield from snapshot_latency(cluster)
    yield from _installation(cluster)


def _installation(cluster: Cluster) -> Iterable[Row]:
    """Measures a follower that reads and loads the snapshot of a large cluster."""
    snapshot = cluster.node.quorum.snapshot
    assert snapshot is not None, "expected a snapshot"
    reading = Reading(snapshot.snapshot_id, snapshot.data, iter(read_snapshot(snapshot.data)))
    read_ms = _steps_ms(reading.go_on)
    read, loading = replace(snapshot, batches=tuple(reading.batches)), Loading()
    loaded_ms = _steps_ms(lambda: loading.install(read))
    assert loading.image.topics == cluster.node.committed.topics
    longest_ms = max(*read_ms, *loaded_ms)
    yield _row("a follower installs that snapshot: longest step", longest_ms, STEP_GOAL)
    yield _row("a follower installs that snapshot: all steps", sum(read_ms) + sum(loaded_ms))


def _steps_ms(is_done: Callable[[], bool]) -> list[float]:
    """Returns the milliseconds of each step until a step returns True."""
    took_ms, ends = [], False
    while not ends:
        began = time.process_time()
        ends = is_done()
        took_ms.append((time.process_time() - began) * 1000)
    return took_ms


def _names(cluster: Cluster) -> Iterable[Row]:
    created = [cluster.created(cluster.creation([1] * NAMES, "a.name_")) for _ in range(4)]
    decided_ms, request_ms = zip(*created, strict=True)
    yield _row("CreateTopics, 4,900 names: longest of 4", max(request_ms), "<= 500 ms")
    yield _row("the same: its longest step", max(decided_ms))


def _copy_ms(image: Image) -> float:
    took_ms = []
    for _ in range(RUNS):
        began = time.process_time()
        image.copy()
        took_ms.append((time.process_time() - began) * 1000)
    return median(took_ms)


def _mass_fence() -> Iterable[Row]:
    """Measures one fence that changes 75,000 partitions; in Kafka it is one operation, too."""
    cluster = Cluster(BROKERS_FEW)
    cluster.fill()
    mark = cluster.node.log.end_offset
    cluster.forget()
    decided_ms = cluster.heartbeat(1, want_fence=True)
    records = cluster.node.log.end_offset - mark
    cluster.run_for(300)
    total_ms = sum(cluster.steps_ms)
    record_us = total_ms * 1000 / records
    yield _row(f"fence of {records:,} replicas: its step", decided_ms)
    yield _row("the same: longest step after it", max(cluster.steps_ms[1:], default=0.0))
    yield Row("the same: each partition change", f"{record_us:.1f} us")


def _many_brokers() -> Iterable[Row]:
    cluster = Cluster(BROKERS_MANY)
    yield _row("registration, 10,000 brokers: longest step", max(cluster.steps_ms), STEP_GOAL)
    cluster.fill()
    cluster.forget()
    for _ in range(10):
        for broker_id in cluster.brokers:
            cluster.heartbeat(broker_id)
        cluster.run_for(2_000)
    yield _row("leases of 10,000 brokers, 20 s: longest step", max(cluster.steps_ms), STEP_GOAL)
    took_ms = [
        cluster.submit(DecommissionBrokerRequest(broker_id=broker))
        for broker in cluster.brokers[:20]
    ]
    yield _row("decommission of 1 of 10,000: longest of 20", max(took_ms), STEP_GOAL)
