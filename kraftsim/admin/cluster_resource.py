"""The cluster that a client talks to, and who is told its id (KIP-78).

Kafka's clients tell their interceptors, serializers and metric reporters that implement
ClusterResourceListener; `Admin` tells one function.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("kraftsim.admin")


@dataclass(frozen=True, slots=True)
class ClusterResource:
    """The id of a cluster; None if the server sent none, as a server before Kafka 0.10.1."""

    cluster_id: str | None


ClusterResourceListener = Callable[[ClusterResource], None]


class ClusterResources:
    """Passes the cluster of each response to `listener`.

    Logs the id of the first response, and warns of a response without an id and of another id:
    then the addresses lead to two clusters.
    """

    def __init__(self, listener: ClusterResourceListener | None) -> None:
        self._listener = listener
        self._last: ClusterResource | None = None

    def update(self, cluster_id: str | None) -> None:
        """Takes the cluster id of a response."""
        resource, last = ClusterResource(cluster_id or None), self._last
        if resource != last:
            _log_change(resource, last)
        self._last = resource
        if self._listener is not None:
            self._listener(resource)


def _log_change(resource: ClusterResource, last: ClusterResource | None) -> None:
    if resource.cluster_id is None:
        log.warning("the server sent no cluster id: it is probably older than Kafka 0.10.1")
    elif last is None or last.cluster_id is None:
        log.info("cluster id: %s", resource.cluster_id)
    else:
        log.warning(
            "the cluster id changed from %s to %s: the addresses lead to another cluster",
            last.cluster_id,
            resource.cluster_id,
        )
