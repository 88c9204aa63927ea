"""The servers that are measured: kraftsim, kfake, a released Kafka."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.rpc import MetadataRequest
from tests.free_ports import free_ports
from tests.released.java import java_command
from tests.released.node import end, format_storage
from tests.released.releases import NEWEST_WITH_TOOLS as RELEASE

from ..kfake.beside_kfake import running_kfake
from ..processes import CLUSTER_ID, up
from .client import LIMIT_S, Client

HEAP_MB = 1024
OF_TESTS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # flags for a quick start


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: a broker's port, and the process."""

    name: str
    port: int
    pid: int


@contextmanager
def kraftsim(*, brokers: int = 1, is_native: bool = False) -> Iterator[Server]:
    """Runs `kraftsim up`."""
    with up("--brokers", str(brokers), is_native=is_native) as (process, addresses):
        port = int(addresses["KRAFTSIM_BOOTSTRAP_SERVERS"].rpartition(":")[2])
        yield Server("kraftsim", port, process.pid)


@contextmanager
def kfake() -> Iterator[Server]:
    """Builds and runs kfake."""
    with running_kfake() as (process, said):
        yield Server("kfake", int(said["ADDRESS"].rpartition(":")[2]), process.pid)


@contextmanager
def kafka() -> Iterator[Server]:
    """Runs a released Kafka: one combined node, with its own heap and collector."""
    port, controller = free_ports(2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": 1,
            "log.segment.bytes": 1 << 26,
            "log.retention.bytes": 3 << 27,
            "log.retention.check.interval.ms": 1_500,
            "log.segment.delete.delay.ms": 500,
        }
        config = folder / "server.properties"
        config.write_text("".join(f"{k}={v}\n" for k, v in settings.items()), "utf-8")
        format_storage(RELEASE, config, cluster_id=CLUSTER_ID)
        java = java_command(RELEASE, folder, "kafka.Kafka", heap_mb=HEAP_MB)
        command = [*(word for word in java if word not in OF_TESTS), str(config)]
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _await(port)
            yield Server(f"Kafka {RELEASE.version}", port, process.pid)
        finally:
            end(process)


def _await(port: int) -> None:
    """Waits until the broker answers Metadata."""
    limit = time.monotonic() + 4 * LIMIT_S
    while True:
        try:
            client = Client(port)
            if client.ask(3, 9, MetadataRequest(topics=())).brokers:
                client.close()
                return
        except OSError:
            if time.monotonic() > limit:
                raise
        time.sleep(0.2)
