"""Who is there when a scenario begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from kraftsim.simulation.topology import BROKERS_MAX

from ..language.constraints import Between

CONTROLLERS_MAX = 9  # more voters than anybody runs
REPLICATION = 3
PARTITIONS_MAX = 10_000  # of one topic: as many records as Kafka takes in one operation


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    """`replication` is 3 unless it is given, or every broker where there are fewer."""

    partitions: Annotated[int, Between(1, PARTITIONS_MAX)] = 1
    replication: Annotated[int, Between(1, BROKERS_MAX)] | None = None

    def replicas(self, brokers: int) -> int:
        """Of each partition, among so many brokers."""
        return min(REPLICATION, brokers) if self.replication is None else self.replication


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterShape:
    """Ids run from 3000 and from 1; racks are given out in turn. `metadata_version` is what the
    cluster begins with; None: the newest that its release knows."""

    controllers: Annotated[int, Between(1, CONTROLLERS_MAX)] = 3
    brokers: Annotated[int, Between(1, BROKERS_MAX)] = 3
    racks: tuple[str, ...] = ()
    topics: Mapping[str, TopicShape] = field(default_factory=dict)
    metadata_version: int | None = None
