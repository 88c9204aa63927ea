"""Controllers that run from property files of Kafka whose log directories are formatted."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kraftsim.controller.core.rpc import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
)
from tests.interop.quorum_running import CLUSTER_ID, ask
from tests.interop.running import LIMIT_S, _running, eventually

pytestmark = pytest.mark.interop
CONTROLLER_ENDPOINTS = 2  # of DescribeCluster


def properties(folder: Path, node_id: int, servers: str) -> str:
    """The file of a controller that binds any free port."""
    return (
        f"process.roles=controller\nnode.id={node_id}\n"
        f"controller.quorum.bootstrap.servers={servers}\n"
        "listeners=CONTROLLER://127.0.0.1:0\ncontroller.listener.names=CONTROLLER\n"
        f"log.dirs={folder / f'log-{node_id}'}\n"
    )


@contextmanager
def controller(folder: Path, text: str, *format_options: str) -> Iterator[int]:
    """Formats the directory of the file, runs its controller, and yields the port it printed."""
    config = folder / "format.properties"
    config.write_text(text, "utf-8")
    words = ("storage", "format", "-t", CLUSTER_ID, "-c", str(config), *format_options)
    subprocess.run(
        [sys.executable, "-m", "kraftsim", *words], check=True, timeout=LIMIT_S, capture_output=True
    )
    with _running(folder, ("controller", "run"), settings=text) as process:
        assert process.stdout is not None, "piped"
        printed = process.stdout.readline()
        assert printed.startswith("KRAFTSIM_BOOTSTRAP_CONTROLLERS=127.0.0.1:"), printed
        yield int(printed.rpartition(":")[2])


def registered(port: int) -> dict[int, int]:
    """The ports of the controllers, by id, as the controller at a port describes them."""
    response = ask(port, DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINTS))
    assert isinstance(response, DescribeClusterResponse)
    return {node.broker_id: node.port for node in response.brokers}


def test_a_listener_of_port_0_is_printed_and_registered_with_the_port_it_bound(
    tmp_path: Path,
) -> None:
    with controller(tmp_path, properties(tmp_path, 3000, "127.0.0.1:9093"), "-s") as port:
        assert port != 0
        eventually(lambda: registered(port), {3000: port}, ignoring=OSError)


@pytest.mark.rule("10.37")
def test_a_node_without_initial_controllers_finds_the_quorum_by_its_bootstrap_servers(
    tmp_path: Path,
) -> None:
    for name in ("leader", "joining"):
        (tmp_path / name).mkdir()
    first = properties(tmp_path, 3000, "127.0.0.1:9093")
    with controller(tmp_path / "leader", first, "-s") as port:
        joining = properties(tmp_path, 3001, f"127.0.0.1:{port}")
        joining += (
            "controller.quorum.auto.join.enable=true\ncontroller.quorum.fetch.timeout.ms=500\n"
        )
        with controller(tmp_path / "joining", joining, "-N") as joined:
            eventually(lambda: registered(port), {3000: port, 3001: joined}, ignoring=OSError)
            eventually(lambda: voters(port), {3000, 3001}, ignoring=OSError)


def voters(port: int) -> set[int]:
    """The ids of the voters, as the leader at a port describes them."""
    partition = DescribeQuorumPartition(partition_index=0)
    topic = DescribeQuorumTopic(topic_name="__cluster_metadata", partitions=(partition,))
    response = ask(port, DescribeQuorumRequest(topics=(topic,)))
    assert isinstance(response, DescribeQuorumResponse)
    return {voter.replica_id for voter in response.topics[0].partitions[0].current_voters}
