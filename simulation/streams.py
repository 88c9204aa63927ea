"""Random numbers: one seed, split into named streams that are drawn independently.

Each fault, link and node draws from its own stream, so that adding one does not change the draws of
the others. Without a seed the streams use the system's entropy.
"""

import random
from collections.abc import Callable

from kraftsim.controller.core.node_id import NODE_ID_MAX, Kind, NodeId

from .topology import FIRST_CLONE_ID, FIRST_CONTROLLER_ID

NUMBERED = {
    Kind.BROKER: range(FIRST_CONTROLLER_ID),
    Kind.CONTROLLER: range(FIRST_CONTROLLER_ID, FIRST_CLONE_ID),
    Kind.CLONE: range(FIRST_CLONE_ID, NODE_ID_MAX),
}
"""The range of ids that topologies give to each kind; the ranges do not overlap."""


class Streams:
    """The named random streams of one seed; a `seed` of None means system entropy."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self._streams: dict[str, random.Random] = {}

    def of(self, name: str) -> random.Random:
        """Returns the stream `name`; its draws depend only on the seed and the name."""
        stream = self._streams.get(name)
        if stream is None:
            # A string seed is hashed with SHA-512, which does not depend on PYTHONHASHSEED.
            text = f"{self.seed}/{name}"
            stream = random.SystemRandom() if self.seed is None else random.Random(text)
            self._streams[name] = stream
        return stream

    def draw_of(self, name: str) -> Callable[[], float]:
        """Returns a function that draws floats in [0, 1) from the stream `name`."""
        return self.of(name).random


def stream_name(prefix: str, node: NodeId) -> str:
    """Returns the name of the random stream of one node.

    The name is `prefix/number` if the number is in the usual range of the node's kind, so that the
    seeds that tests pin repeat their runs. Any other number is named with its kind.
    """
    is_usual = node.number in NUMBERED[node.kind]
    return f"{prefix}/{node.number}" if is_usual else f"{prefix}/{node}"
