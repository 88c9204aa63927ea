"""The own nodes of a cluster with sockets: `kraftsim up --node operator=my_operator.py:main`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kraftsim.scenarios.document.own_node import OwnNode
from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.running.own_code import SOURCES, name_nodes
from kraftsim.simulation.own_process import check_name
from kraftsim.simulation.world import World

from ..api.cluster import Cluster
from ..errors import UsageError
from ..files.own_files import source_of
from ..simulated_loop.failure import failure_text
from ..simulated_loop.real_clocks import chance_seeded
from .cluster import WorldCluster
from .host import CLOCKS, STREAM, HostedNodes
from .mains import main_of


class NodesOfService(HostedNodes):
    """Own nodes that begin once every broker of the cluster is unfenced."""

    async def _opened(self, cluster: WorldCluster) -> None:
        await cluster.until_ready()
        self.begin()


@contextmanager
def beside(kraft: Cluster, nodes: Mapping[str, OwnNode]) -> Iterator[None]:
    """Context manager: each world of the cluster, also after a reset, has these nodes."""
    if not nodes:
        yield
        return
    seed, service = kraft.options.seed or 0, kraft._live.service
    present = ExitStack()  # what the nodes of the present world end with

    def host(world: World) -> None:
        present.close()
        name_nodes(world, nodes)
        hosted = NodesOfService(world, nodes, service.data_plane)
        present.callback(hosted.close)

        def begin() -> None:
            assert service.recorder is not None, "the service serves the world"
            service.recorder.refuse("it has nodes of your own: a recording has no code")
            hosted.open()

        world.timeline.at(0, begin)  # once it has its brokers

    kraft.world_listeners.append(host)
    STREAM.seed(seed)
    CLOCKS.replace()
    try:
        with chance_seeded(seed):
            yield
    finally:
        present.close()
        CLOCKS.put_back()
        kraft.world_listeners.remove(host)


def nodes_of(texts: Sequence[str], *, is_allowed: bool) -> dict[str, OwnNode]:
    """Parses texts NAME=MODULE:FUNCTION, and looks for the functions.

    Raises UsageError for another text, a name that no node can have, and code that may not run or
    is not there.
    """
    nodes: dict[str, OwnNode] = {}
    for text in texts:
        name, equals, main = text.partition("=")
        try:
            if not equals or name in nodes:
                raise ValueError("expected NAME=MODULE:FUNCTION, each name once")
            check_name(name)
            node = nodes[name] = read(OwnNode, main)
        except ValueError as error:
            raise UsageError(f"--node {text}: {error}") from None
        if not is_allowed:
            raise UsageError(f"--node {text}: runs this code: read it, then add --allow-code")
        if node.file is not None:
            SOURCES[node.file] = source_of(Path(node.file))
        try:
            main_of(node)
        except Exception as error:  # whatever the code raises
            raise UsageError(f"--node {text}: {failure_text(error)}") from error
    return nodes
