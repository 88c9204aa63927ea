"""Quorums of three controller processes, of kraftsim and of released Kafka, for benchmarks."""

import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
)
from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.free_ports import free_ports
from tests.released.controller import end
from tests.released.java import java_command, run_tool
from tests.released.releases import NEWEST_WITH_TOOLS as RELEASE

from . import load
from .heartbeats import heartbeat, registration
from .processes import CLUSTER_ID, announced, running

IDS = (3000, 3001, 3002)
HEAP_MB = 256
DESCRIBE = encode_request(
    55,
    2,
    1,
    "bench",
    DescribeQuorumRequest(
        topics=(
            DescribeQuorumTopic(
                topic_name=METADATA_TOPIC,
                partitions=(DescribeQuorumPartition(partition_index=0),),
            ),
        )
    ),
)


@dataclass
class Processes:
    """A running quorum.

    `start` starts the voter of an id; it is None if a killed voter cannot return.
    """

    ports: dict[int, int]
    running: dict[int, subprocess.Popen[str]]
    start: Callable[[int], subprocess.Popen[str]] | None = field(default=None)

    def registered_at_the_leader(self) -> tuple[int, int]:
        """Registers broker 1 at the leader; returns the leader's id and the broker's epoch."""
        while True:
            for node_id, port in self.ports.items():
                reply = load.request(port, registration(1))
                if reply is not None:
                    _, response = decode_response(62, 4, reply)
                    assert isinstance(response, BrokerRegistrationResponse)
                    if response.error_code == 0:
                        return node_id, response.broker_epoch
            time.sleep(0.05)

    def failover_s(self) -> float:
        """Returns the seconds from kill -9 of the leader until another voter takes a heartbeat."""
        leader, epoch = self.registered_at_the_leader()
        self.running[leader].send_signal(signal.SIGKILL)
        began = time.perf_counter()
        followers = [port for node_id, port in self.ports.items() if node_id != leader]
        while not any(_accepts(port, epoch) for port in followers):
            time.sleep(0.01)
        took = time.perf_counter() - began
        self.running[leader].wait()
        if self.start is not None:
            self.running[leader] = self.start(leader)
            self.await_followers()
        return took

    def await_followers(self) -> None:
        """Waits until every voter has almost all of the leader's log."""
        while not any(map(_is_followed_by_all, self.ports.values())):
            time.sleep(0.1)


@contextmanager
def kraftsim_processes(*, is_native: bool = False) -> Iterator[Processes]:
    """Runs three controllers of kraftsim."""
    ports, voters = _voters()
    with ExitStack() as stack:
        processes = {}
        for node_id in IDS:
            words = ("controller", "run", "--node-id", str(node_id), "--voters", voters)
            words = ("-m", "kraftsim", *words, "--cluster-id", CLUSTER_ID)
            process = running(*words, is_native=is_native)
            processes[node_id] = stack.enter_context(process)
        for process in processes.values():
            announced(process)
        yield Processes(ports, processes)


@contextmanager
def released() -> Iterator[Processes]:
    """Runs three controllers of released Kafka."""
    ports, voters = _voters()
    with TemporaryDirectory() as folder:
        start = partial(_start, Path(folder))
        for node_id in IDS:
            _format(Path(folder) / str(node_id), node_id, ports, voters)
        processes = Processes(ports, {node_id: start(node_id) for node_id in IDS}, start)
        try:
            processes.registered_at_the_leader()
            processes.await_followers()
            yield processes
        finally:
            for process in processes.running.values():
                end(process)


def _voters() -> tuple[dict[int, int], str]:
    ports = dict(zip(IDS, free_ports(len(IDS)), strict=True))
    directories = {node_id: uuid_text(secrets.token_bytes(16)) for node_id in IDS}
    return ports, ",".join(
        f"{node_id}@127.0.0.1:{ports[node_id]}:{directories[node_id]}" for node_id in IDS
    )


def _format(folder: Path, node_id: int, ports: dict[int, int], voters: str) -> None:
    folder.mkdir()
    address = f"CONTROLLER://127.0.0.1:{ports[node_id]}"
    settings = {
        "process.roles": "controller",
        "node.id": node_id,
        "listeners": address,
        "advertised.listeners": address,
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
        "controller.quorum.bootstrap.servers": ",".join(f"127.0.0.1:{p}" for p in ports.values()),
        "log.dirs": folder / "data",
    }
    config = folder / "controller.properties"
    config.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), "utf-8")
    words = ("format", "-t", CLUSTER_ID, "-c", str(config), "--initial-controllers", voters)
    run_tool(RELEASE, folder, "kafka.tools.StorageTool", words)


def _start(folder: Path, node_id: int) -> subprocess.Popen[str]:
    home = folder / str(node_id)
    command = java_command(RELEASE, home, "kafka.Kafka", heap_mb=HEAP_MB)
    with (home / "server.log").open("ab") as log:
        command.append(str(home / "controller.properties"))
        return subprocess.Popen(command, stdout=log, stderr=log, text=True)


def _accepts(port: int, epoch: int) -> bool:
    reply = load.request(port, heartbeat(1, epoch))
    if reply is None:
        return False
    _, response = decode_response(63, 1, reply)
    return isinstance(response, BrokerHeartbeatResponse) and response.error_code == 0


def _is_followed_by_all(port: int) -> bool:
    reply = load.request(port, DESCRIBE)
    if reply is None:
        return False
    _, response = decode_response(55, 2, reply)
    assert isinstance(response, DescribeQuorumResponse)
    described = response.topics[0].partitions[0]
    ends = [voter.log_end_offset for voter in described.current_voters]
    return not described.error_code and len(ends) == len(IDS) and min(ends) + 5 > max(ends)
