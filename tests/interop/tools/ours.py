"""`kraftsim up` as the cluster of the steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.interop.running import Service, kraftsim_up
from tests.interop.tools.cluster import (
    AUTHORIZER,
    BROKER_IDS,
    CLUSTER_ID,
    CONTROLLER_IDS,
    JOINING_ID,
    LEADER_ID,
    Addresses,
)

# A lease that a busy machine does not let run out; a broker that starts again waits for its end.
_LEASE = "broker.session.timeout.ms=6000\nbroker.heartbeat.interval.ms=500\n"
_OPTIONS = ("--profile", "kafka-4.3", "--controllers", "3", "--rack", "a", "--rack", "b")


class OurCluster:
    def __init__(self, service: Service) -> None:
        self._service = service
        self.addresses = Addresses(
            brokers={broker_id: service.broker_address(broker_id) for broker_id in BROKER_IDS},
            controllers=dict(zip(CONTROLLER_IDS, service.controller.split(","), strict=True)),
            directory_of_3002=service.directory_of(JOINING_ID),
            log_dirs={broker_id: service.log_dir_of(broker_id) for broker_id in BROKER_IDS},
        )

    def stop(self, broker_id: int) -> None:
        self._service.stop(broker_id)

    def start(self, broker_id: int) -> None:
        self._service.restart(broker_id)


@contextmanager
def our_cluster(folder: Path) -> Iterator[OurCluster]:
    options = (*_OPTIONS, "--cluster-id", CLUSTER_ID)
    with kraftsim_up(
        folder, *options, brokers=len(BROKER_IDS), settings=_LEASE + AUTHORIZER
    ) as service:
        service.make_leader(LEADER_ID)
        yield OurCluster(service)
