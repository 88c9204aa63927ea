"""The cluster of the fixture `kraft_sync`. Its types are in blocking_cluster.pyi."""

from ..api.cluster import Cluster
from .blocking import Blocking


class BlockingCluster(Blocking):
    """A running cluster whose methods block: those of `Cluster`, without `await`.

    Its listeners respond while the test blocks in a Kafka client, because they run in another
    thread.
    """

    def end(self) -> None:
        """Refuses every later call: the cluster may belong to another test by then."""
        self._ended.set()

    def _wrapped(self, result: object) -> object:
        """Returns the result; a branch of the cluster blocks, too."""
        if isinstance(result, Cluster):
            return BlockingCluster(result, self._loop, self._ended)
        return super()._wrapped(result)
