"""Takes the recording of a cluster that runs."""

from dataclasses import asdict
from importlib.metadata import version

from kraftsim.simulation.topology import Topology

from ..errors import CommandError
from ..recording.journal_marks import marks_of
from ..recording.recording import Recording
from .cluster import Cluster

NOT_REPLAYED = ("http_port", "token")  # a replay serves nobody, and a token is secret


def recording_of(cluster: Cluster) -> Recording:
    """Returns the inputs of the cluster since its start or its last reset, for a replay.

    The loop of the cluster may run in another thread meanwhile. Raises CommandError if a replay is
    not possible: without a seed, or if there are too many inputs.
    """
    recorder, world = cluster._live.recorder, cluster.world
    inputs, rows = list(recorder.inputs), world.journal.since(0)
    if recorder.refusal is not None:
        raise CommandError(recorder.refusal)
    options = {**asdict(cluster.options), "cluster_id": cluster.cluster_id}
    return Recording(
        version=version("kraftsim"),
        options={name: value for name, value in options.items() if name not in NOT_REPLAYED},
        ports=_ports(world.topology),
        gaps=list(recorder.gaps),
        inputs=inputs,
        end_us=world.timeline.now_us,
        events=marks_of(rows),
    )


def _ports(topology: Topology) -> dict[str, int]:
    """Returns the ports at which the cluster was started, by the names of the listeners."""
    return {f"controller-{spec.node_id}": spec.port for spec in topology.controllers} | {
        f"broker-{spec.broker_id}": spec.port for spec in topology.brokers
    }
