"""The cluster of the fixture `kraft_sync`. Its types are in blocking_cluster.pyi."""

import asyncio
from typing import Any

from ..api.cluster import Cluster
from ..errors import CommandError
from .blocking import Blocking


class BlockingCluster(Blocking):
    """A running cluster whose methods block: those of `Cluster`, without `await`.

    Its listeners respond while the test blocks in a Kafka client, because they run in another
    thread.
    """

    def __init__(self, cluster: Cluster, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(cluster, loop)
        self._is_ended = False

    def end(self) -> None:
        """Refuses every later call: the cluster may belong to another test by then."""
        self._is_ended = True

    def _wrapped(self, result: object) -> object:
        """Returns the result; a branch of the cluster blocks, too."""
        if isinstance(result, Cluster):
            return BlockingCluster(result, self._loop)
        return super()._wrapped(result)

    def __getattr__(self, name: str) -> Any:
        if self._is_ended and not name.startswith("_"):
            raise CommandError("the test of this cluster has ended: this call came late")
        return super().__getattr__(name)
