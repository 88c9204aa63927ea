"""Controllers that run from property files of Kafka whose log directories are formatted."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kraftsim.controller.core.rpc import DescribeClusterRequest, DescribeClusterResponse
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
