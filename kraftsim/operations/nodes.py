"""The rows of the table of operations about nodes that run a user's code."""

from typing import TYPE_CHECKING

from ..api.states import NodeDocument, NodeList
from .operation import Operation

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def list_nodes(kraft: "Cluster") -> NodeList:
    """List the nodes of your own: state of the process, rack, and what the code has raised."""
    return {"nodes": [*await kraft.nodes.list()]}


async def show_node(kraft: "Cluster", name: str) -> NodeDocument:
    """Show a node of your own: state of the process, rack, and what the code has raised."""
    return await kraft.nodes.show(name)


def _on_node(verb: str, summary: str) -> Operation:
    async def run(kraft: "Cluster", name: str) -> NodeDocument:
        await getattr(kraft.nodes, verb)(name)
        return await kraft.nodes.show(name)

    run.__name__, run.__doc__ = f"{verb}_node", summary
    return Operation("POST", f"/sim/nodes/{{name}}/{verb}", ("node", verb), run, changes=True)


NODE_OPERATIONS: tuple[Operation, ...] = (
    Operation("GET", "/v1/nodes", ("node", "list"), list_nodes),
    Operation("GET", "/v1/nodes/{name}", ("node", "show"), show_node),
    _on_node("stop", "Stop a node (SIGTERM): its coroutine is cancelled, and may clean up."),
    _on_node("kill", "Kill a node (SIGKILL): nothing of it is called, its connections are reset."),
    _on_node("pause", "Pause a node (SIGSTOP): it does nothing, and its time goes on."),
    _on_node("resume", "Resume a paused node (SIGCONT)."),
    _on_node("restart", "Kill the process of a node if it runs, and start another one."),
)
