"""Who a node is: its kind and its number. Two nodes are one only if both are equal.

A number alone names no node: a process of both roles (`process.roles=broker,controller`) is a
controller and a broker of one number. What two nodes share, they share because somebody gives it to
both, and never because their numbers are equal.
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

NODE_ID_MAX = 2**31 - 1  # an int32 on the wire; Kafka takes no `node.id` below 0
NODES_KEPT = 16_384  # more than a simulation has; one more costs time, and nothing else


class Kind(IntEnum):
    """A clone is a second process of a broker, on a host of its own; OUTSIDE are clients."""

    BROKER = 0
    CONTROLLER = 1
    CLONE = 2
    OUTSIDE = 3


class NodeId(NamedTuple):
    """The key of whatever belongs to one node: clock, process, faults, entropy. Ordered by number,
    as people list nodes."""

    number: int
    kind: Kind

    def __str__(self) -> str:
        return f"{self.kind.name.lower()} {self.number}"


@lru_cache(NODES_KEPT)
def broker_node(number: int) -> NodeId:
    return NodeId(number, Kind.BROKER)


@lru_cache(NODES_KEPT)
def controller_node(number: int) -> NodeId:
    return NodeId(number, Kind.CONTROLLER)


def numbers_of(nodes: Iterable[NodeId]) -> tuple[int, ...]:
    """As scenarios and rows of the journal name them; each number once."""
    return tuple(dict.fromkeys(node.number for node in nodes))


def checked_id(where: str, number: object, highest: int = NODE_ID_MAX) -> int:
    """The id that a user gives in `where`; ValueError for what cannot be one."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= highest:
        raise ValueError(f"{where}: expected an id of 0 to {highest}, got {number!r}")
    return number
