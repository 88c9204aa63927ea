"""Functions that evaluate a condition."""

from collections.abc import Callable

from kraftsim.controller.core.node_id import NodeId

Holds = Callable[[], bool]


def every(nodes: tuple[NodeId, ...], holds: Callable[[NodeId], bool]) -> bool:
    """Returns True if `nodes` is not empty and every node satisfies `holds`."""
    return bool(nodes) and all(holds(node) for node in nodes)
