"""What a generator knows of the sequence that it is drawing."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from kraftsim.controller.core.uuid import uuid_text
from tests.released.releases import Release

BROKERS = 4
TOPIC_NAMES = ("t.0", "t_0", "t1", "t2", "t3")


def named_uuid(name: str) -> str:
    """A uuid in text that can be told from others by its bytes."""
    return uuid_text(name.encode().rjust(16, b"."))


@dataclass(slots=True)
class Draft:
    """`first_id` is added to the ids of brokers and `prefix` to names of topics, so that sequences
    that run side by side share neither. Those draw nothing that could concern another sequence or
    make a released controller resign. `standing` are topics that probably exist, with the replicas
    of their partitions. Only a sequence that `changes_min_isr` does so, and fences no broker: a
    released controller that clears a nonempty ELR resigns later ("stale-elr")."""

    random: Random
    release: Release
    cluster_id: str
    number: int
    first_id: int = 1
    prefix: str = ""
    brokers: int = BROKERS
    incarnations: dict[int, int] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)  # name: number of partitions
    standing: dict[str, list[list[int]]] = field(default_factory=dict)
    is_side_by_side: bool = False
    has_deleted: bool = False
    level: int = 0  # metadata.version at the start; 0: the newest of the release
    has_changed_features: bool = False
    changes_min_isr: bool = False
    reassigned: set[str] = field(default_factory=set)  # topics
    configured: set[tuple[int, str]] = field(default_factory=set)  # resources of no topic
    limited: set[tuple[tuple[str, str | None], ...]] = field(default_factory=set)  # by quotas
    credentials: set[tuple[str, int]] = field(default_factory=set)  # users and mechanisms
    has_acls: bool = False
    has_second_voter: bool = False
    controllers: set[int] = field(default_factory=set)  # that have registered themselves

    def __post_init__(self) -> None:
        self.level = self.level or self.release.profile.metadata_version

    @property
    def starts_with_newest(self) -> bool:
        return self.level == self.release.profile.metadata_version

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one_of(self, *options: Any) -> Any:
        return self.random.choice(options)

    @property
    def ids(self) -> range:
        return range(self.first_id, self.first_id + self.brokers)

    def broker_id(self) -> int:
        """Mostly a broker that has registered; now and then one that has not."""
        if self.incarnations and not self.chance(0.06):
            return self.random.choice(sorted(self.incarnations))
        return self.random.choice(self.ids)

    def broker_ids(self, count: int) -> list[int]:
        ids = list(self.ids)
        self.random.shuffle(ids)
        return ids[:count]

    def topic_name(self) -> str:
        """Mostly a topic that was created."""
        if self.topics and not self.chance(0.08):
            return self.random.choice(sorted(self.topics))
        return self.prefix + self.one_of(*TOPIC_NAMES)

    def partition(self) -> tuple[str, int]:
        name = self.topic_name()
        return name, self.random.randrange(max(1, self.topics.get(name, 1)))

    def standing_partition(self) -> tuple[str, int] | None:
        """Mostly a partition that probably exists; None where there is none."""
        if not self.standing or self.chance(0.05):
            return None
        name = self.random.choice(sorted(self.standing))
        return name, self.random.randrange(len(self.standing[name]))

    def incarnation(self, broker_id: int) -> str:
        return named_uuid(f"inc{broker_id}-{self.incarnations.get(broker_id, 0)}")

    def directory(self, broker_id: int, number: int = 0) -> str:
        """Of this sequence alone: Kafka never forgets a directory's deleted topics."""
        return named_uuid(f"{self.number}d{broker_id}-{number}")

    def broker_epoch(self, broker_id: int) -> Any:
        """Mostly the newest epoch; sometimes an older one, another, or none."""
        if not self.chance(0.1):
            return {"$epoch": [broker_id, -1, 0]}
        return self.one_of(
            {"$epoch": [broker_id, -2, 0]},
            {"$epoch": [broker_id, -1, 1]},
            {"$epoch": [broker_id, -1, -1]},
            -1,
            0,
        )
