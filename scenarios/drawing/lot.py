"""The random choices that a scenario document is drawn with."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
Words = dict[str, object]


class Lot:
    """Draws values from one random stream, for a cluster of a given shape.

    `release` is the profile of the controllers, `topics` are the names of the first topics.
    `are_voters_static` is True at kraft.version 0, where a voter has no directory id.
    """

    def __init__(
        self,
        stream: Random,
        release: str,
        controllers: Sequence[int],
        brokers: Sequence[int],
        topics: Sequence[str],
        *,
        are_voters_static: bool = False,
    ) -> None:
        self.stream, self.release = stream, release
        self.controllers, self.brokers, self.topics = controllers, brokers, topics
        self.are_voters_static = are_voters_static

    @property
    def nodes(self) -> Sequence[int]:
        """The ids of all controllers and brokers."""
        return (*self.controllers, *self.brokers)

    @property
    def votes_to_lose(self) -> int:
        """The number of voters that may lose their vote in a run: a minority.

        A static voter without its disk has the same vote again, and may vote twice in an epoch.
        """
        return 0 if self.are_voters_static else (len(self.controllers) - 1) // 2

    def chance(self, p: float) -> bool:
        """Returns True with probability `p`."""
        return self.stream.random() < p

    def one_of(self, values: Sequence[T]) -> T:
        """Returns one of `values`."""
        return self.stream.choice(values)

    def some_of(self, values: Sequence[T]) -> list[T]:
        """Returns a random part of `values`: at least one of them, and usually a few."""
        return self.stream.sample(values, self.stream.randint(1, min(len(values), 3)))

    def time(self, least_ms: int, most_ms: int) -> str:
        """Returns a duration of a file, log-uniform between two bounds in milliseconds."""
        return f"{log_uniform_ms(self.stream, least_ms, most_ms)}ms"

    def range(self, low_ms: int, high_ms: int) -> Words:
        """Returns the words `low` and `high` of a delay."""
        low, high = sorted(log_uniform_ms(self.stream, low_ms, high_ms) for _ in range(2))
        return {"low": f"{low}ms", "high": f"{high}ms"}


def log_uniform_ms(stream: Random, least_ms: int, most_ms: int) -> int:
    """Returns a number of milliseconds from `least_ms` to `most_ms`, each scale equally likely."""
    factor: float = (most_ms / least_ms) ** stream.random()
    return round(least_ms * factor)
