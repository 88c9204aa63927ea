"""A released cluster as the Java client calls it: one process that is broker and controller."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.free_ports import free_port
from tests.interop.foreign.programs import RECORDED
from tests.interop.foreign.state import Cluster
from tests.released.controller import NODE_ID, await_listener, released_controller
from tests.released.releases import RELEASES

RELEASED = "released-4.3.1"
RELEASED_FILE = RECORDED / f"{RELEASED}.json"
GHOST = 104
CLUSTER_ID = "callsOfForeignClientsA"
INTERNAL_TOPICS = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
}


@contextmanager
def released_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster of Kafka 4.3.1 with one node; it ends with the block."""
    port = free_port()
    with released_controller(
        RELEASES["4.3.1"],
        folder,
        cluster_id=CLUSTER_ID,
        settings=INTERNAL_TOPICS,
        client_port=port,
    ) as controller:
        await_listener(controller.process, port)
        yield Cluster(f"127.0.0.1:{port}", controller.port, CLUSTER_ID, NODE_ID, GHOST)
