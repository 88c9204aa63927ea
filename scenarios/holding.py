"""What a condition becomes once somebody watches it."""

from collections.abc import Callable

Holds = Callable[[], bool]


def every(nodes: tuple[int, ...], holds: Callable[[int], bool]) -> bool:
    """Of all of them, of which there must be one."""
    return bool(nodes) and all(holds(one) for one in nodes)
