"""Released processes as the cluster of the steps: three controllers and three brokers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

from tests.free_ports import free_port
from tests.interop.tools.cluster import (
    AUTHORIZER,
    BROKER_IDS,
    CLUSTER_ID,
    CONTROLLER_IDS,
    JOINING_ID,
    LEADER_ID,
    RACKS,
    Addresses,
)
from tests.interop.tools.play import MAIN_CLASSES
from tests.released.broker import ReleasedBroker, released_broker
from tests.released.releases import Release
from tests.released.run_tools import Printed, Tools

_START_LIMIT_S = 180.0


class ReleasedCluster:
    def __init__(self, addresses: Addresses, brokers: dict[int, ReleasedBroker]) -> None:
        self.addresses = addresses
        self._brokers = brokers

    def stop(self, broker_id: int) -> None:
        self._brokers[broker_id].end()

    def start(self, broker_id: int) -> None:
        self._brokers[broker_id].start()


@contextmanager
def released_cluster(release: Release, folder: Path, tools: Tools) -> Iterator[ReleasedCluster]:
    """The first controller is a quorum of its own, which the others join."""
    controllers = {node_id: _free_address() for node_id in CONTROLLER_IDS}
    brokers = {node_id: _free_address() for node_id in BROKER_IDS}
    leader = controllers[LEADER_ID]
    with ExitStack() as running:

        def node(node_id: int, properties: str, *options: str) -> ReleasedBroker:
            started = released_broker(
                release,
                folder / str(node_id),
                properties + _common(node_id, leader, folder),
                cluster_id=CLUSTER_ID,
                options=options,
            )
            return running.enter_context(started)

        for node_id, address in controllers.items():
            option = "--standalone" if node_id == LEADER_ID else "--no-initial-controllers"
            node(node_id, _of_controller(address), option)
        for node_id in CONTROLLER_IDS[1:]:
            _join(tools, folder / str(node_id) / "server.properties", leader)
        nodes = {
            node_id: node(node_id, _of_broker(node_id, brokers[node_id])) for node_id in brokers
        }
        _await_brokers(tools, leader)
        directory = _directory_id(folder / str(JOINING_ID) / "data" / "meta.properties")
        log_dirs = {node_id: str(folder / str(node_id) / "data") for node_id in brokers}
        yield ReleasedCluster(Addresses(brokers, controllers, directory, log_dirs), nodes)


def _join(tools: Tools, config: Path, leader: str) -> None:
    """Makes the observer a voter, once it has caught up with the leader."""
    words = ["--bootstrap-controller", leader, "--command-config", str(config), "add-controller"]
    _ask_until(tools, words, lambda printed: printed.exit_code == 0)


def _await_brokers(tools: Tools, leader: str) -> None:
    """Returns when all brokers fetch the metadata."""
    words = ["--bootstrap-controller", leader, "describe", "--replication"]
    _ask_until(tools, words, lambda printed: printed.stdout.count("Observer") == len(BROKER_IDS))


def _ask_until(tools: Tools, words: list[str], is_good: Callable[[Printed], bool]) -> None:
    deadline = monotonic() + _START_LIMIT_S
    while not is_good(printed := tools.run(MAIN_CLASSES["metadata-quorum"], words)):
        if monotonic() > deadline:
            raise TimeoutError(f"{words}: {printed}")


def _directory_id(meta: Path) -> str:
    pairs = (line.split("=", 1) for line in meta.read_text("utf-8").splitlines() if "=" in line)
    return dict(pairs)["directory.id"]


def _free_address() -> str:
    return f"127.0.0.1:{free_port()}"


def _common(node_id: int, leader: str, folder: Path) -> str:
    return (
        f"node.id={node_id}\n"
        f"log.dirs={folder / str(node_id) / 'data'}\n"
        f"controller.quorum.bootstrap.servers={leader}\n"
        "controller.listener.names=CONTROLLER\n"
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\n"
        f"{AUTHORIZER}super.users=User:ANONYMOUS\n"  # everybody is allowed everything, as by ours
    )


def _of_controller(address: str) -> str:
    return (
        "process.roles=controller\n"
        f"listeners=CONTROLLER://{address}\n"
        f"advertised.listeners=CONTROLLER://{address}\n"
    )


def _of_broker(node_id: int, address: str) -> str:
    return (
        "process.roles=broker\n"
        f"broker.rack={RACKS[node_id]}\n"
        f"listeners=PLAINTEXT://{address}\n"
        f"advertised.listeners=PLAINTEXT://{address}\n"
    )
