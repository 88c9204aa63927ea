"""Random numbers: one seed, split into named streams that are drawn independently.

Each fault, link and node draws from its own stream, so that adding one does not change the draws of
the others. Without a seed the streams have one of the system's entropy: the system is asked once,
because each draw from it takes ten times as long as one from a generator.
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
ENTROPY_BITS = 128
REPEATED_MAX = 256  # draws that a copied stream repeats rather than copy a generator


class Stream:
    """A named stream, which makes its generator at the first draw.

    A stream that has drawn little is copied by its seed and the number of its draws, because the
    state of a generator has 625 numbers.
    """

    def __init__(self, seed: int, name: str, drawn: int = 0) -> None:
        self._seed, self._name = seed, name
        self._drawn = drawn  # numbers that `draw` has returned
        self._is_whole = False  # `generator` may have drawn more
        self._generator: random.Random | None = None

    def draw(self) -> float:
        """Draws a float in [0, 1)."""
        if self._generator is None:
            self._generator = self._begun()
        self._drawn += 1
        return self._generator.random()

    def generator(self) -> random.Random:
        """Returns the generator, for draws of other distributions."""
        if self._generator is None:
            self._generator = self._begun()
        self._is_whole = True
        return self._generator

    def copy(self, copied: Callable[[random.Random], random.Random]) -> "Stream":
        """Returns a stream that will draw the same numbers; `copied` copies a generator."""
        copy = Stream(self._seed, self._name, self._drawn)
        copy._is_whole = self._is_whole
        if self._generator is not None and (self._is_whole or self._drawn > REPEATED_MAX):
            copy._generator = copied(self._generator)
        return copy

    def _begun(self) -> random.Random:
        # A string seed is hashed with SHA-512, which does not depend on PYTHONHASHSEED.
        generator = random.Random(f"{self._seed}/{self._name}")
        for _ in range(self._drawn):
            generator.random()
        return generator


class Streams:
    """The named random streams of one seed; a `seed` of None means system entropy."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self._root = random.SystemRandom().getrandbits(ENTROPY_BITS) if seed is None else seed
        self._streams: dict[str, Stream] = {}

    def of(self, name: str) -> random.Random:
        """Returns the stream `name`; its draws depend only on the seed and the name."""
        return self._stream(name).generator()

    def draw_of(self, name: str) -> Callable[[], float]:
        """Returns a function that draws floats in [0, 1) from the stream `name`."""
        return self._stream(name).draw

    def _stream(self, name: str) -> Stream:
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = Stream(self._root, name)
        return stream


def stream_name(prefix: str, node: NodeId) -> str:
    """Returns the name of the random stream of one node.

    The name is `prefix/number` if the number is in the usual range of the node's kind, so that the
    seeds that tests pin repeat their runs. Any other number is named with its kind.
    """
    is_usual = node.number in NUMBERED[node.kind]
    return f"{prefix}/{node.number}" if is_usual else f"{prefix}/{node}"
