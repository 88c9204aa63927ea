"""The identity of a node: its kind and its number.

A number alone does not identify a node: a process of both roles (`process.roles=broker,controller`)
is a controller and a broker with the same number. Two nodes share a resource only if it is passed
to both explicitly, never because their numbers are equal.
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

NODE_ID_MAX = 2**31 - 1  # an int32 on the wire; Kafka takes no `node.id` below 0
NODES_CACHED = 16_384  # cache size; more nodes than that only cost time


class Kind(IntEnum):
    """The kind of a node.

    A CLONE is a second process of a broker, on a host of its own; OUTSIDE is a client; OWN runs
    code of a user.
    """

    BROKER = 0
    CONTROLLER = 1
    CLONE = 2
    OUTSIDE = 3
    OWN = 4


# Kinds that are compared for every message: Python 3.11 looks up a member of an enum slowly.
BROKER, CONTROLLER = Kind.BROKER, Kind.CONTROLLER


class NodeId(NamedTuple):
    """Key of everything that belongs to one node: clock, process, faults, entropy.

    Nodes sort by number.
    """

    number: int
    kind: Kind

    def __str__(self) -> str:
        return f"{self.kind.name.lower()} {self.number}"


@lru_cache(NODES_CACHED)
def broker_node(number: int) -> NodeId:
    """Returns the node of the broker with that id."""
    return NodeId(number, Kind.BROKER)


@lru_cache(NODES_CACHED)
def controller_node(number: int) -> NodeId:
    """Returns the node of the controller with that id."""
    return NodeId(number, Kind.CONTROLLER)


def numbers_of(nodes: Iterable[NodeId]) -> tuple[int, ...]:
    """Returns the distinct numbers of the nodes, in order, for scenarios and journal rows."""
    return tuple(dict.fromkeys(node.number for node in nodes))


def checked_id(label: str, number: object, highest: int = NODE_ID_MAX) -> int:
    """Returns `number` if it is a node id; `label` names the user's input in errors.

    Raises ValueError if it is not an integer from 0 to `highest`.
    """
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= highest:
        raise ValueError(f"{label}: expected an id of 0 to {highest}, got {number!r}")
    return number
