"""What the rules look up: the state that the log says, and the settings of the cluster.

Nothing here comes from the controllers' own state, nor from the modules that decide.
"""

from collections.abc import Callable
from typing import NamedTuple

from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import Uuid

from ..oracles import log_configs
from ..oracles.mentions import Mentions
from ..oracles.shadow import Fact, Key, Shadow

METADATA_VERSION = "metadata.version"
LEAVING_FROM = 7  # metadata.version 3.3-IV3: records have controlled shutdowns
SHRINKS_KEEP_EPOCHS_FROM = 12  # 3.6-IV0
DIRECTORIES_FROM = 17  # 3.7-IV2
ELR_FROM = 23  # 4.0-IV1
MUTATION_RATE = "controller_mutation_rate"
# Reserved ids of directories (rule 1.15).
MIGRATING, UNASSIGNED, LOST = bytes(16), bytes(15) + b"\x01", bytes(15) + b"\x02"


class View(NamedTuple):
    """The committed state when the active controller `node_id` has nothing uncommitted."""

    shadow: Shadow
    mentions: Mentions
    node_id: int
    cluster_id: str
    profile: Profile
    settings: Settings
    epochs: range
    """The possible epochs of a new incarnation: the next offset, or an offset of the control
    records at the log's end, which a controller does not count (rule 1.25)."""
    has_session: Callable[[Fact], bool | None] = lambda _: None
    """Returns True if a registered broker has a valid session; None: unknown (rule 1.12)."""
    static_voters: frozenset[int] = frozenset()
    """The ids in the active controller's `controller.quorum.voters`."""

    @property
    def level(self) -> int:
        """The finalized metadata.version, as a number."""
        return int(self.finalized.get(METADATA_VERSION, 1))

    @property
    def finalized(self) -> Fact:
        """The finalized levels of features."""
        return self.shadow.facts.get(("Features",), {})

    @property
    def has_elr(self) -> bool:
        """True if partitions have an ELR (rule 4.23)."""
        return log_configs.has_elr(self.shadow) and self.level >= ELR_FROM

    @property
    def has_directories(self) -> bool:
        """True if records name the directories of replicas (rule 4.38)."""
        return self.level >= DIRECTORIES_FROM

    @property
    def limits_mutations(self) -> bool:
        """True if a quota may limit how many partitions somebody creates or deletes (KIP-599)."""
        return any(MUTATION_RATE in quotas for quotas in self.shadow.of("Quota").values())

    @property
    def brokers(self) -> list[Fact]:
        """The registered brokers, by id."""
        found = self.shadow.of("Broker").values()
        return sorted(found, key=lambda broker: int(broker["broker_id"]))

    def brokers_that(self, chosen: Callable[[Fact], bool]) -> list[Fact]:
        """Returns the registered brokers that are `chosen`, by id."""
        return [broker for broker in self.brokers if chosen(broker)]

    @property
    def topics(self) -> list[tuple[Uuid, Fact]]:
        """The topics with their ids, by name."""
        found = ((bytes(key[1]), fact) for key, fact in self.shadow.of("Topic").items())  # type: ignore[call-overload]  # an id
        return sorted(found, key=lambda entry: str(entry[1]["name"]))

    @property
    def partitions(self) -> list[tuple[Key, Fact]]:
        """The partitions, by topic id and number."""
        return sorted(self.shadow.of("Partition").items())

    def topic_of(self, key: Key) -> str:
        """Returns the name of a partition's topic."""
        return str(self.shadow.facts["Topic", key[1]]["name"])

    def min_isr(self, topic_id: object) -> int:
        """Returns the effective min ISR, which partition 0 stands for (rule 4.24)."""
        name = str(self.shadow.facts["Topic", topic_id]["name"])
        replicas = len(self.shadow.facts["Partition", topic_id, 0]["replicas"])
        value, default = self._config(name, log_configs.MIN_ISR), self.settings.min_insync_replicas
        return min(replicas, default if value is None else log_configs.number(value, default))

    def allows_unclean(self, topic: str) -> bool:
        """Returns True if unclean elections are enabled for a topic (rule 4.5)."""
        value = self._config(topic, log_configs.UNCLEAN)
        default = self.settings.unclean_leader_election_enable
        return default if value is None else value.lower() == "true"

    def _config(self, topic: str, name: str) -> str | None:
        """Returns the value for a topic: its own, or else that of the node, or of the cluster."""
        return next(iter(log_configs.values_of(self.shadow, topic, name, [self.node_id])), None)

    def is_active(self, broker_id: int) -> bool:
        """Returns True if a broker is registered, unfenced and not shutting down (rule 4.1)."""
        return self.shadow.is_active(broker_id)

    def is_online(self, partition: Fact, replica: int) -> bool:
        """Returns True if the replica's directory is online, or not known (rule 4.4)."""
        broker = self.shadow.broker(replica)
        if broker is None or replica not in partition["replicas"]:
            return False
        places = dict(zip(partition["replicas"], partition["directories"], strict=False))
        directory = places.get(replica, UNASSIGNED)
        if directory in (*broker["log_dirs"], UNASSIGNED, MIGRATING):
            return True
        return directory != LOST and not broker["log_dirs"]

    def new_directory(self, broker_id: int) -> Uuid:
        """Returns the directory of a new replica (rule 4.39)."""
        directories = (self.shadow.broker(broker_id) or {"log_dirs": (0, 0)})["log_dirs"]
        if not directories:
            return MIGRATING
        return bytes(directories[0]) if len(directories) == 1 else UNASSIGNED

    def led_by(self, broker_id: int) -> set[Key]:
        """Returns the partitions that the broker leads as a member of their ISR (rule 2.14)."""
        return self.mentions.of("leader", broker_id) & self.mentions.of("isr", broker_id)

    def leaderless(self) -> list[Key]:
        """Returns the partitions without a leader."""
        return sorted(self.mentions.of("leader", NO_LEADER))
