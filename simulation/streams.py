"""Entropy: one seed, split into named streams that are drawn independently.

A fault, a link or a node draws from a stream of its own, so that adding one moves nobody else's
draws. Without a seed every draw is the system's.
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
"""The numbers that topologies give to each kind. No two kinds share one."""


class Streams:
    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self._streams: dict[str, random.Random] = {}

    def of(self, name: str) -> random.Random:
        """The stream `name`: the same draws for the same seed and name, whatever else is drawn."""
        stream = self._streams.get(name)
        if stream is None:
            # A text seeds by its SHA-512, which no PYTHONHASHSEED changes.
            text = f"{self.seed}/{name}"
            stream = random.SystemRandom() if self.seed is None else random.Random(text)
            self._streams[name] = stream
        return stream

    def draw_of(self, name: str) -> Callable[[], float]:
        """The stream as what the pure core takes: a function of nothing, in [0, 1)."""
        return self.of(name).random


def stream_name(what: str, node: NodeId) -> str:
    """The stream of one node. A number of its kind's own range stands alone in the name, so that
    seeds repeat the runs that they are kept for; any other number stands with its kind."""
    is_usual = node.number in NUMBERED[node.kind]
    return f"{what}/{node.number}" if is_usual else f"{what}/{node}"
