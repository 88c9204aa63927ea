"""The settings of both brokers whose listeners are judged."""

from pathlib import Path

from tests.differential.settings import NEVER_MS, USUAL_SESSION_MS

LOG_DIRS = 2
RACK = "r1"
SOCKET_LIMIT = 1_200_000
OF_BOTH = {
    "broker.session.timeout.ms": str(USUAL_SESSION_MS),
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "socket.request.max.bytes": str(SOCKET_LIMIT),
}
OUR_OPTIONS = ("--log-dirs", str(LOG_DIRS), "--rack", RACK)
OUR_SETTINGS = "".join(f"{name}={value}\n" for name, value in OF_BOTH.items())


def released_settings(folder: Path, broker_id: int) -> dict[str, str]:
    """The properties of a released broker with LOG_DIRS log directories in a folder."""
    return {
        **OF_BOTH,
        "node.id": str(broker_id),
        "broker.rack": RACK,
        "log.dirs": ",".join(str(folder / f"data-{number}") for number in range(LOG_DIRS)),
        # Retention and the expiry of producers would come between two requests.
        "log.initial.task.delay.ms": str(NEVER_MS),
        "producer.id.expiration.check.interval.ms": str(NEVER_MS),
    }
