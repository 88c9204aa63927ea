"""A large cluster: how long one step of the active controller takes, and what heartbeats feel of it.

A step is all that happens between two chances of a heartbeat: a request, or a deadline.
"""

import random
import time
from collections.abc import Callable, Iterable
from statistics import median

from kraftsim.controller.clock import Clock
from kraftsim.controller.core.image import Image
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerListener,
    BrokerRegistrationRequest,
    CreatableTopic,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    Request,
)
from kraftsim.controller.hosted import HostedNode
from kraftsim.controller.node import Node
from kraftsim.controller.node_types import NodeConfig
from kraftsim.controller.timeline import Timeline
from kraftsim.snapshot_files import SNAPSHOT_FILES

from .processes import CLUSTER_ID
from .report import Row

BROKERS, BROKERS_MANY, BROKERS_FEW = 1_000, 10_000, 4
PARTITIONS, PARTITIONS_AT_ONCE, REPLICAS = 100_000, 5_000, 3
NAMES = 4_900  # of one request: with a record for topic and partition, just under 10,000
STEP_GOAL = "<= 50 ms"
RUNS = 5


def scale() -> Iterable[Row]:
    cluster = Cluster(BROKERS)
    yield _row("registration, 1,000 brokers: longest step", max(cluster.steps_ms), STEP_GOAL)
    created = cluster.fill()
    yield _row("CreateTopics, 5,000 partitions: median of 20", median(created), "<= 150 ms")
    yield from _fences(cluster)
    yield from _snapshot(cluster)
    yield from _names(cluster)
    yield _row("copy of the image, 1,000 brokers, 100,000 partitions", _copy_ms(cluster.image))
    yield from _outage(cluster)
    yield from _mass_fence()
    yield from _many_brokers()


class Cluster:
    """One active controller in virtual time. `steps_ms` is what each step took since `forget`."""

    def __init__(self, brokers: int) -> None:
        self.timeline = Timeline(wall_start_ms=1_700_000_000_000)
        config = NodeConfig(
            node_id=3000,
            cluster_id=CLUSTER_ID,
            host="127.0.0.1",
            port=9990,
            directory_id=b"\x01" * 16,
        )
        self.node = Node(
            config,
            profile=KAFKA_4_3,
            settings=KAFKA_4_3.settings,
            random=random.Random(1).random,
            snapshot_format=SNAPSHOT_FILES,
        )
        self.hosted = HostedNode(self.node, Clock(self.timeline), lambda *_: None)
        self.steps_ms: list[float] = []
        self._topics = 0
        self.hosted.start()
        self.brokers = range(1, brokers + 1)
        for broker_id in self.brokers:
            self.submit(registration(broker_id))
        for broker_id in self.brokers:
            self.heartbeat(broker_id)

    @property
    def image(self) -> Image:
        return self.node.latest

    def submit(self, request: Request) -> float:
        """Milliseconds of the step."""
        return self._timed(lambda: self.hosted.submit(request, lambda _: None))

    def heartbeat(self, broker_id: int, **fields: bool) -> float:
        request = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=self.image.brokers[broker_id].broker_epoch,
            current_metadata_offset=self.node.log.end_offset,
            **({"want_fence": False, "want_shut_down": False} | fields),
        )
        return self.submit(request)

    def fill(self) -> list[float]:
        """Creates all partitions, so many at once; milliseconds of each request."""
        return [
            self.submit(self.creation([PARTITIONS_AT_ONCE]))
            for _ in range(PARTITIONS // PARTITIONS_AT_ONCE)
        ]

    def creation(self, counts: Iterable[int], name: str = "orders") -> CreateTopicsRequest:
        topics = []
        for count in counts:
            self._topics += 1
            topics.append(
                CreatableTopic(
                    name=f"{name}{self._topics}",
                    num_partitions=count,
                    replication_factor=REPLICAS,
                )
            )
        return CreateTopicsRequest(topics=tuple(topics))

    def run_for(self, milliseconds: int) -> None:
        """Let time pass, step by step."""
        end_us = self.timeline.now_us + milliseconds * 1000
        while self.timeline.due_us <= end_us:
            due_us = self.timeline.due_us
            self._timed(lambda at_us=due_us: self.timeline.run_until(at_us))
        self.timeline.run_until(end_us)

    def forget(self) -> None:
        self.steps_ms.clear()

    def _timed(self, step: Callable[[], object]) -> float:
        began = time.process_time()
        step()
        self.steps_ms.append((time.process_time() - began) * 1000)
        return self.steps_ms[-1]


def registration(broker_id: int) -> BrokerRegistrationRequest:
    return BrokerRegistrationRequest(
        broker_id=broker_id,
        cluster_id=CLUSTER_ID,
        incarnation_id=broker_id.to_bytes(16, "big"),
        listeners=(BrokerListener(name="PLAINTEXT", host="127.0.0.1", port=9092),),
        features=tuple(
            BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
            for name, low, high in KAFKA_4_3.supported_features
        ),
        log_dirs=((broker_id + (1 << 100)).to_bytes(16, "big"),),
        rack=f"rack-{broker_id % 3}",
    )


def _row(name: str, milliseconds: float, goal: str = "") -> Row:
    return Row(name, f"{milliseconds:,.1f} ms", goal=goal)


def _fences(cluster: Cluster) -> Iterable[Row]:
    """Brokers with 300 partitions each."""
    fences = [cluster.heartbeat(one, want_fence=True) for one in cluster.brokers[:20]]
    unfences = [cluster.heartbeat(one) for one in cluster.brokers[:20]]
    yield _row("fence of 1 of 1,000 brokers: longest of 20", max(fences), STEP_GOAL)
    yield _row("unfence of 1 of 1,000 brokers: longest of 20", max(unfences), STEP_GOAL)


def _outage(cluster: Cluster) -> Iterable[Row]:
    """Every lease runs out at once; then the first brokers come back."""
    mark = cluster.node.log.end_offset
    cluster.forget()
    cluster.run_for(20_000)
    records = cluster.node.log.end_offset - mark
    each_us = sum(cluster.steps_ms) * 1000 / records
    yield _row("1,000 leases run out: longest step", max(cluster.steps_ms), STEP_GOAL)
    yield Row("the same: each of its records", f"{each_us:.1f} us")
    unfences = [cluster.heartbeat(one) for one in cluster.brokers[:5]]
    yield _row("unfence of the first 5 after it: longest", max(unfences), STEP_GOAL)


def _snapshot(cluster: Cluster) -> Iterable[Row]:
    interval_ms = cluster.node.settings.metadata_log_max_snapshot_interval_ms
    cluster.node._snapshotting._last_ms = cluster.timeline.now_ms - interval_ms
    before = cluster.node.quorum.snapshot
    cluster.forget()
    cluster.run_for(6_000)
    assert cluster.node.quorum.snapshot is not before, "expected a snapshot"
    yield _row("snapshot of 100,000 partitions: longest step", max(cluster.steps_ms), STEP_GOAL)
    yield _row("snapshot of 100,000 partitions: all steps", sum(cluster.steps_ms))


def _names(cluster: Cluster) -> Iterable[Row]:
    took_ms = [cluster.submit(cluster.creation([1] * NAMES, "a.name_")) for _ in range(4)]
    yield _row("CreateTopics, 4,900 names: longest of 4", max(took_ms), "<= 500 ms")


def _copy_ms(image: Image) -> float:
    took_ms = []
    for _ in range(RUNS):
        began = time.process_time()
        image.copy()
        took_ms.append((time.process_time() - began) * 1000)
    return median(took_ms)


def _mass_fence() -> Iterable[Row]:
    """One decision of 75,000 partitions, which is one operation in Kafka, too."""
    cluster = Cluster(BROKERS_FEW)
    cluster.fill()
    mark = cluster.node.log.end_offset
    cluster.forget()
    decided_ms = cluster.heartbeat(1, want_fence=True)
    records = cluster.node.log.end_offset - mark
    cluster.run_for(300)
    all_ms = sum(cluster.steps_ms)
    each_us = all_ms * 1000 / records
    yield _row(f"fence of {records:,} replicas: its step", decided_ms)
    yield _row("the same: longest step after it", max(cluster.steps_ms[1:], default=0.0))
    yield Row("the same: each partition change", f"{each_us:.1f} us")


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
        cluster.submit(DecommissionBrokerRequest(broker_id=one)) for one in cluster.brokers[:20]
    ]
    yield _row("decommission of 1 of 10,000: longest of 20", max(took_ms), STEP_GOAL)
