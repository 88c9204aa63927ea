"""Three released brokers with their controller, and three of ours, of one configuration."""

import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from kraftsim.testing.blocking_cluster import BlockingCluster
from tests.differential.pair import CLUSTER_ID, MEMORY
from tests.differential.replicas.settings import BROKER_IDS, PROFILE, SETTINGS
from tests.free_ports import free_port
from tests.released.broker import ReleasedBroker, released_broker
from tests.released.controller import released_controller
from tests.released.releases import Release


class Side(Protocol):
    """The brokers of a cluster as processes."""

    ports: Mapping[int, int]

    def now_s(self) -> float: ...
    def pass_time(self, seconds: float) -> None: ...
    def pause(self, broker_id: int) -> None: ...
    def resume(self, broker_id: int) -> None: ...
    def kill(self, broker_id: int) -> None: ...
    def end(self, broker_id: int) -> None:
        """SIGTERM; the broker may still shut down when this returns."""

    def start(self, broker_id: int) -> None: ...


class ReleasedSide:
    """Real processes, in real time."""

    def __init__(self, brokers: dict[int, ReleasedBroker], ports: dict[int, int]) -> None:
        self._brokers = brokers
        self.ports = ports

    def now_s(self) -> float:
        return time.monotonic()

    def pass_time(self, seconds: float) -> None:
        time.sleep(seconds)

    def pause(self, broker_id: int) -> None:
        self._brokers[broker_id].signal(signal.SIGSTOP)

    def resume(self, broker_id: int) -> None:
        self._brokers[broker_id].signal(signal.SIGCONT)

    def kill(self, broker_id: int) -> None:
        self._brokers[broker_id].kill()

    def end(self, broker_id: int) -> None:
        self._brokers[broker_id].signal(signal.SIGTERM)

    def start(self, broker_id: int) -> None:
        self._brokers[broker_id].await_end()
        self._brokers[broker_id].start()


class OurSide:
    """Simulated brokers, whose time passes only where the judge lets it pass."""

    def __init__(self, kraft: Any) -> None:
        self._kraft = kraft
        self._now_s = 0.0
        servers = kraft.bootstrap_servers.split(",")
        self.ports = {
            broker_id: int(server.rpartition(":")[2])
            for broker_id, server in zip(BROKER_IDS, servers, strict=True)
        }

    def delay_messages(self, low: str, high: str) -> None:
        """Delays each message between brokers and controllers from now on."""
        self._kraft.faults.add({"net.delay": {"low": low, "high": high}})

    def now_s(self) -> float:
        return self._now_s

    def pass_time(self, seconds: float) -> None:
        self._now_s += seconds
        self._kraft.clock.advance(seconds)

    def pause(self, broker_id: int) -> None:
        self._kraft.brokers.pause(broker_id)

    def resume(self, broker_id: int) -> None:
        self._kraft.brokers.resume(broker_id)

    def kill(self, broker_id: int) -> None:
        self._kraft.brokers.kill(broker_id)

    def end(self, broker_id: int) -> None:
        self._kraft.brokers.stop(broker_id)

    def start(self, broker_id: int) -> None:
        self._kraft.brokers.restart(broker_id)


@contextmanager
def our_sides() -> Iterator[dict[str, OurSide]]:
    """Our brokers twice: a follower copies at once, and reply by reply where the network delays."""
    with our_side() as prompt, our_side() as delayed:
        delayed.delay_messages("1ms", "3ms")
        yield {"without delays": prompt, "with delays": delayed}


@contextmanager
def our_side() -> Iterator[OurSide]:
    with BlockingCluster(
        brokers=len(BROKER_IDS),
        clock="virtual",
        seed=1,
        kafka_port=0,
        profile=PROFILE,
        settings=SETTINGS,
    ) as kraft:
        yield OurSide(kraft)


@contextmanager
def released_side(release: Release) -> Iterator[ReleasedSide]:
    place = MEMORY if MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(prefix="kraftsim-judge-", dir=place) as name,
        ExitStack() as running,
    ):
        folder = Path(name)
        controller = running.enter_context(
            released_controller(
                release, folder / "controller", cluster_id=CLUSTER_ID, settings=SETTINGS
            )
        )
        ports = {broker_id: free_port() for broker_id in BROKER_IDS}
        brokers = {
            broker_id: running.enter_context(
                released_broker(
                    release,
                    folder / str(broker_id),
                    _lines(broker_id, port, controller.port, folder / str(broker_id) / "data"),
                    cluster_id=CLUSTER_ID,
                )
            )
            for broker_id, port in ports.items()
        }
        try:
            yield ReleasedSide(brokers, ports)
        finally:  # a paused broker does not end, and the others would wait for its leaders
            for broker in brokers.values():
                broker.kill()


def _lines(broker_id: int, port: int, controller_port: int, data: Path) -> str:
    address = f"PLAINTEXT://127.0.0.1:{port}"
    properties = SETTINGS | {
        "process.roles": "broker",
        "node.id": str(broker_id),
        "listeners": address,
        "advertised.listeners": address,
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "log.dirs": str(data),
    }
    return "".join(f"{name}={value}\n" for name, value in properties.items())
