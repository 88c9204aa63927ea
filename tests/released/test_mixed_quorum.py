"""A voter of Kafka 3.9.1 beside controllers of kraftsim: it votes, fetches and leads."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from kraftsim.controller.core.rpc import (
    DescribeQuorumPartition,
    DescribeQuorumPartitionResult,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
)
from tests.free_ports import free_ports
from tests.interop.quorum_running import CLUSTER_ID
from tests.interop.running import LIMIT_S, _running, eventually
from tests.released.controller import Connection
from tests.released.node import end, format_storage, start_node
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released

RELEASE = RELEASES["3.9.1"]
LEVEL = "3.9-IV0"
THEIRS, OURS, LATER = 1, 2, 3
DESCRIBE_QUORUM = 55


def properties(folder: Path, node_id: int, ports: dict[int, int], **settings: int) -> str:
    """The file of a static voter; `settings` are of its quorum."""
    voters = ",".join(f"{voter_id}@127.0.0.1:{port}" for voter_id, port in ports.items())
    lines = [
        "process.roles=controller",
        f"node.id={node_id}",
        f"controller.quorum.voters={voters}",
        f"listeners=CONTROLLER://127.0.0.1:{ports[node_id]}",
        "controller.listener.names=CONTROLLER",
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT",
        f"log.dirs={folder / f'log-{node_id}'}",
        *(f"controller.quorum.{name}.timeout.ms={value}" for name, value in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def formatted(folder: Path, text: str, node_id: int) -> Path:
    """The file, whose log directory kraftsim has formatted."""
    folder.mkdir(exist_ok=True)
    config = folder / f"{node_id}.properties"
    config.write_text(text, "utf-8")
    words = ("storage", "format", "-t", CLUSTER_ID, "-c", str(config), "--release-version", LEVEL)
    subprocess.run(
        [sys.executable, "-m", "kraftsim", *words], check=True, timeout=LIMIT_S, capture_output=True
    )
    return config


@contextmanager
def kafka(folder: Path, text: str) -> Iterator[None]:
    """The process of the released controller."""
    config = folder / f"{THEIRS}.properties"
    config.write_text(text, "utf-8")
    format_storage(RELEASE, config, cluster_id=CLUSTER_ID, options=["--release-version", LEVEL])
    with (folder / "server.log").open("wb") as log:
        process = start_node(RELEASE, config, log)
    try:
        yield
    finally:
        end(process)


def described(port: int, version: int) -> DescribeQuorumPartitionResult:
    """The quorum as the controller at a port describes it; ConnectionError unless it leads."""
    topic = DescribeQuorumTopic(
        topic_name="__cluster_metadata", partitions=(DescribeQuorumPartition(partition_index=0),)
    )
    connection = Connection(port)
    response = connection.ask(DESCRIBE_QUORUM, version, DescribeQuorumRequest(topics=(topic,)))
    connection.close()
    assert isinstance(response, DescribeQuorumResponse)
    if not response.topics or response.topics[0].partitions[0].error_code:
        raise ConnectionError("it does not lead")
    return response.topics[0].partitions[0]


def followers(port: int) -> set[int]:
    """The voters that have the whole log of the leader at a port."""
    quorum = described(port, 2)
    return {
        voter.replica_id
        for voter in quorum.current_voters
        if quorum.high_watermark > 0 and voter.log_end_offset >= quorum.high_watermark
    }


@pytest.mark.slow
@pytest.mark.rule("10.2", "10.14", "10.31")
def test_a_voter_of_3_9_votes_fetches_and_leads(tmp_path: Path) -> None:
    ports = dict(zip((THEIRS, OURS, LATER), free_ports(3), strict=True))
    patient = properties(tmp_path, THEIRS, ports, election=600_000)
    with ExitStack() as running, kafka(tmp_path, patient):
        first = properties(tmp_path, OURS, ports)
        formatted(tmp_path, first, OURS)
        leader = running.enter_context(_running(tmp_path, ("controller", "run"), settings=first))
        eventually(lambda: followers(ports[OURS]), {THEIRS, OURS}, ignoring=OSError)

        later = properties(tmp_path, LATER, ports, fetch=600_000)
        formatted(tmp_path, later, LATER)
        running.enter_context(_running(tmp_path, ("controller", "run"), settings=later))
        eventually(lambda: followers(ports[OURS]), {THEIRS, OURS, LATER}, ignoring=OSError)
        leader.kill()
        leader.wait(LIMIT_S)

        eventually(lambda: followers(ports[THEIRS]), {THEIRS, LATER}, ignoring=OSError)
