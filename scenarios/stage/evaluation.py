"""What a condition becomes once somebody watches it."""

from collections.abc import Callable

from kraftsim.controller.core.node_id import NodeId

Holds = Callable[[], bool]


def every(nodes: tuple[NodeId, ...], holds: Callable[[NodeId], bool]) -> bool:
    """Of all of them, of which there must be one."""
    return bool(nodes) and all(holds(one) for one in nodes)
