"""Shapes of network partitions in which some links among the nodes stay open.

bridge            two halves; only one node between them exchanges messages with both
ring              every node receives only from its two neighbours
majorities-ring   every node receives from a majority, each node from a different majority
"""

from dataclasses import dataclass

from kraftsim.controller.core.node_id import NodeId

from ..language.reading import Path, Problem
from ..language.schema import SWEPT, Schema, SchemaOf, any_of
from ..language.suggestions import nearest

SHAPES = ("bridge", "ring", "majorities-ring")
Nodes = tuple[NodeId, ...]
Ways = frozenset[tuple[NodeId, NodeId]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of a network partition: bridge, ring or majorities-ring."""

    name: str

    @staticmethod
    def from_document(value: object, path: Path) -> "Shape":
        """Reads the name of a shape; raises Problem if the name is unknown."""
        if value not in SHAPES:
            raise Problem(path, f"expected {nearest(str(value), SHAPES)}, got {value!r}")
        return Shape(str(value))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of the names of shapes."""
        return any_of({"enum": list(SHAPES)}, SWEPT)

    def to_document(self) -> object:
        """Returns the name of the shape, as in the file."""
        return self.name

    def closed(self, order: Nodes) -> Ways:
        """Returns the closed links (sender, receiver) among the nodes `order`.

        The bridge is the node in the middle of `order`; neighbours in a ring are neighbours in
        `order`, and its first and last node are neighbours, too.
        """
        if self.name == "bridge":
            return _bridge(order)
        width = 3 if self.name == "ring" else len(order) // 2 + 1
        return _ring(order, width)


def _bridge(order: Nodes) -> Ways:
    half = len(order) // 2
    entry, exit_ = order[:half], order[half + 1 :]
    return frozenset(way for a in entry for b in exit_ for way in ((a, b), (b, a)))


def _ring(order: Nodes, width: int) -> Ways:
    """Returns all links except those from the `width` nodes around each receiver in the ring."""
    size = len(order)
    open_links = {
        (order[(index + step - width // 2) % size], receiver)
        for index, receiver in enumerate(order)
        for step in range(width)
    }
    return frozenset((a, b) for a in order for b in order if (a, b) not in open_links and a != b)
