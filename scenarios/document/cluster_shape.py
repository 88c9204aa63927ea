"""The controllers, brokers and topics of a cluster when a scenario begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from kraftsim.simulation.topology import BROKERS_MAX, LOG_DIRS_MAX, check_node_ids

from ..language.constraints import Between
from .node_profiles import NodeProfiles

CONTROLLERS_MAX = 9  # more voters than any cluster has
REPLICATION = 3
PARTITIONS_MAX = 10_000  # per topic; Kafka takes at most as many records in one operation


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    """A topic that exists when the scenario begins.

    `replication` defaults to 3, or to the number of brokers if there are fewer.
    """

    partitions: Annotated[int, Between(1, PARTITIONS_MAX)] = 1
    replication: Annotated[int, Between(1, BROKERS_MAX)] | None = None

    def replicas(self, brokers: int) -> int:
        """Returns the number of replicas of each partition in a cluster of `brokers` brokers."""
        return min(REPLICATION, brokers) if self.replication is None else self.replication


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterShape:
    """The cluster when the scenario begins.

    Ids of controllers begin at 3000, ids of brokers at 1; racks are assigned in turn.
    Each broker has `log_dirs` log directories. `profiles` are the releases of nodes that differ
    from `profile`, by id. `metadata_version` defaults to the newest version that the releases of
    all nodes support. At `kraft_version` 0 the voters are static, as in `controller.quorum.voters`,
    until the feature is raised (rule 7.8).
    """

    controllers: Annotated[int, Between(1, CONTROLLERS_MAX)] = 3
    brokers: Annotated[int, Between(1, BROKERS_MAX)] = 3
    racks: tuple[str, ...] = ()
    log_dirs: Annotated[int, Between(1, LOG_DIRS_MAX)] = 1
    topics: Mapping[str, TopicShape] = field(default_factory=dict)
    profiles: NodeProfiles = field(default_factory=NodeProfiles)
    metadata_version: int | None = None
    kraft_version: Annotated[int, Between(0, 1)] = 1

    def __post_init__(self) -> None:
        """Raises ValueError if `profiles` has the id of no node."""
        check_node_ids(self.profiles.names, self.brokers, self.controllers, "profiles")
