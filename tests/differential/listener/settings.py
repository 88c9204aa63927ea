"""The settings of both brokers whose listeners are judged, and of a broker that follows."""

from pathlib import Path

from tests.differential.settings import NEVER_MS, USUAL_SESSION_MS

BROKER_ID, FOLLOWER_ID = 1, 2
LOG_DIRS = 2
RACKS = {BROKER_ID: "r1", FOLLOWER_ID: "r2"}
SOCKET_LIMIT = 1_200_000
OF_BOTH = {
    "broker.session.timeout.ms": str(USUAL_SESSION_MS),
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "socket.request.max.bytes": str(SOCKET_LIMIT),
}
OUR_OPTIONS = (
    "--log-dirs",
    str(LOG_DIRS),
    "--rack",
    RACKS[BROKER_ID],
    "--rack",
    RACKS[FOLLOWER_ID],
)
OUR_SETTINGS = "".join(f"{name}={value}\n" for name, value in OF_BOTH.items())


def released_settings(folder: Path, broker_id: int) -> dict[str, str]:
    """The properties of a released broker with LOG_DIRS log directories in a folder."""
    return {
        **OF_BOTH,
        "node.id": str(broker_id),
        "broker.rack": RACKS[broker_id],
        "log.dirs": ",".join(str(folder / f"data-{number}") for number in range(LOG_DIRS)),
        # Retention and the expiry of producers would come between two requests.
        "log.initial.task.delay.ms": str(NEVER_MS),
        "producer.id.expiration.check.interval.ms": str(NEVER_MS),
    }


def follower_settings(folder: Path, controller_port: int, port: int) -> dict[str, str]:
    """The properties of a released broker that only follows."""
    address = f"PLAINTEXT://127.0.0.1:{port}"
    return released_settings(folder, FOLLOWER_ID) | {
        "process.roles": "broker",
        "listeners": address,
        "advertised.listeners": address,
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    }
