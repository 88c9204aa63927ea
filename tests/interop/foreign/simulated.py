"""kraftsim as the foreign clients call it: three brokers, with the rules of 4.3."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.interop.foreign.state import Cluster
from tests.interop.running import LONG_LEASE, kraftsim_up

TARGET, GHOST = 2, 104


@contextmanager
def simulated_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster of `kraftsim up`; it ends with the block."""
    with kraftsim_up(folder, "--profile", "kafka-4.3", brokers=3, settings=LONG_LEASE) as kraft:
        port = int(kraft.controller.rpartition(":")[2])
        yield Cluster(kraft.bootstrap_servers, port, kraft.cluster_id, TARGET, GHOST)
