"""Partitions that are no simple cut in two: the links that are closed among some nodes.

bridge            two halves, with only one node between them that reaches both
ring              every node receives from its two neighbours only
majorities-ring   every node receives from a majority, and no two from the same one
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
    """The name of a shape."""

    name: str

    @staticmethod
    def from_document(value: object, path: Path) -> "Shape":
        """Reads the name; raises Problem if it is unknown."""
        if value not in SHAPES:
            raise Problem(path, f"expected {nearest(str(value), SHAPES)}, got {value!r}")
        return Shape(str(value))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of the names."""
        return any_of({"enum": list(SHAPES)}, SWEPT)

    def to_document(self) -> object:
        """Returns the name."""
        return self.name

    def closed(self, order: Nodes) -> Ways:
        """Returns the links (sender, receiver) that are closed.

        The node in the middle of `order` is the bridge; a ring is in the order of `order`.
        """
        if self.name == "bridge":
            return _bridge(order)
        width = 3 if self.name == "ring" else len(order) // 2 + 1
        return _ring(order, width)


def _bridge(order: Nodes) -> Ways:
    half = len(order) // 2
    entry, other = order[:half], order[half + 1 :]
    return frozenset(way for a in entry for b in other for way in ((a, b), (b, a)))


def _ring(order: Nodes, width: int) -> Ways:
    """Closes every link but those from a window of `width` nodes around the receiver."""
    size = len(order)
    heard = {
        (order[(place + step - width // 2) % size], receiver)
        for place, receiver in enumerate(order)
        for step in range(width)
    }
    return frozenset((a, b) for a in order for b in order if (a, b) not in heard and a != b)
