"""Draws the releases of the nodes of a mixed cluster, and what becomes of them.

At first every node supports the levels of the cluster. Updates of features are drawn as in any
swarm: a registered node that does not support a level blocks it. Installed releases may be older
than a finalized level: such a controller ends, and such a broker is refused, until the calm.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from kraftsim.controller.core.profile import PROFILES
from kraftsim.simulation.topology import broker_ids, controller_ids

from .lot import Words
from .shape import RELEASE_WEIGHTS, RELEASES
from .steps import at_ms_of, step_of

PART_OF_ANOTHER_RELEASE = 0.5  # of the nodes; some draw the release of their cluster
PART_OF_TWO_RELEASES = 0.5  # of the runs, as during an upgrade; others have up to four releases
PART_THAT_RESTARTS = 0.7  # of the nodes on which a release is installed; faults restart others, too
INSTALLS_MAX = 3  # on controllers in a run, and as many on brokers
UNREGISTRATIONS_MAX = 2  # of controllers in a run; one that runs registers again


def mixed_releases(document: Mapping[str, Any], stream: Random, run_ms: int) -> Words:
    """Returns the document of a drawn cluster with a drawn release of each node."""
    cluster: dict[str, Any] = document["cluster"]
    controllers = controller_ids(cluster["controllers"])
    nodes = (*controllers, *broker_ids(cluster["brokers"]))
    (second,) = stream.choices(RELEASES, RELEASE_WEIGHTS)
    are_two = stream.random() < PART_OF_TWO_RELEASES
    profiles = {
        node_id: second if are_two else stream.choices(RELEASES, RELEASE_WEIGHTS)[0]
        for node_id in nodes
        if stream.random() < PART_OF_ANOTHER_RELEASE
    }
    newest = min(
        PROFILES[profiles.get(node_id, document["profile"])].metadata_version for node_id in nodes
    )
    cluster = cluster | {"profiles": profiles}
    if "metadata_version" in cluster:
        level = cluster["metadata_version"]
        assert isinstance(level, int)
        cluster["metadata_version"] = min(level, newest)
    steps = [*document["do"]]
    steps += _installs(stream, "controller.install", controllers, run_ms)
    steps += _installs(stream, "broker.install", broker_ids(cluster["brokers"]), run_ms)
    steps += _unregistrations(stream, controllers, run_ms)
    return {**document, "cluster": cluster, "do": sorted(steps, key=at_ms_of)}


def _installs(stream: Random, verb: str, nodes: range, run_ms: int) -> Iterator[Words]:
    """Yields steps that install releases, older and newer ones, on nodes, and restart them."""
    for _ in range(stream.randint(0, INSTALLS_MAX)):
        at_ms, node_id = stream.randrange(run_ms), stream.choice(nodes)
        yield step_of(at_ms, verb, {"on": node_id, "release": stream.choice(RELEASES)})
        if stream.random() < PART_THAT_RESTARTS:
            yield step_of(at_ms + 1, "proc.restart", {"on": node_id})


def _unregistrations(stream: Random, controllers: range, run_ms: int) -> list[Words]:
    """Returns steps that unregister controllers; below 4.4-IV2 they are refused."""
    return [
        step_of(
            stream.randrange(run_ms), "controller.unregister", {"on": stream.choice(controllers)}
        )
        for _ in range(stream.randint(0, UNREGISTRATIONS_MAX))
    ]
