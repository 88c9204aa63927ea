"""What a generator knows of the sequence for a listener that it is drawing."""

from collections import defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.differential.sequence import Body

NAMES = ("a", "b", "c")


@dataclass(slots=True)
class Producer:
    """`sequences` are the next ones by topic and partition."""

    producer_id: Any
    epoch: int = 0
    sequences: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    sent: list[tuple[str, int, Body]] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """`topics` are the partitions of those that probably exist; `ends` guesses where logs end."""

    random: Random
    converts: bool
    topics: dict[str, int] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    ends: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    producers: list[Producer] = field(default_factory=list)
    ids_given: int = 0
    session: Body | None = None
    deleted: set[str] = field(default_factory=set)
    produced: tuple[int, int, tuple[str, int]] | None = None  # version, acks, partition
    fetched: tuple[int, Body, tuple[str, int]] | None = None  # version, request, partition
    has_quotas: bool = False
    has_follower: bool = False
    replicas: dict[str, list[int]] = field(default_factory=dict)  # if topics are placed
    stamps: bool = False  # a topic had LogAppendTime: two records may share a millisecond

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one_of(self, *options: Any) -> Any:
        return self.random.choice(options)

    def between(self, first: int, last: int) -> int:
        return self.random.randint(first, last)

    def name(self) -> str:
        if self.deleted and self.chance(0.08):
            return self.random.choice(sorted(self.deleted))
        if self.topics and not self.chance(0.06):
            return self.random.choice(sorted(self.topics))
        return self.one_of(*NAMES)

    def partition(self) -> tuple[str, int]:
        name = self.name()
        if self.chance(0.05):
            return name, self.one_of(-1, 7)
        return name, self.random.randrange(max(1, self.topics.get(name, 1)))

    def offset(self, at: tuple[str, int]) -> int:
        """Mostly one that the log has."""
        end = self.ends[at]
        if self.chance(0.15):
            return self.one_of(-1, end + 1, end + 100, 2**40)
        return self.between(0, end)

    def epoch(self) -> int:
        return -1 if self.chance(0.6) else self.one_of(0, 0, 1, 3)


def topic_id(draft: Draft, name: str) -> Body:
    """Mostly the newest id of a topic."""
    return {"$topic_id": [name, -2 if draft.chance(0.05) else -1]}


def named(draft: Draft, by_id: bool, field_name: str, name: str, **fields: Any) -> Body:
    """An element of a request that names its topic, or its id."""
    if by_id:
        return {"topicId": topic_id(draft, name), **fields}
    return {field_name: {"$name": name}, **fields}
