"""The image: what the metadata log, folded from its first record, says is true.

`replay.apply` is the only code that changes hard state, so `replay(log) == image` always holds, for
our logs and for Kafka's. Guesses (who was heard of, and when) are not in here: see `leases.py`.
"""

from dataclasses import dataclass, field, replace

from sortedcontainers import SortedDict

from ..feature_levels import KRAFT_VERSION, METADATA_VERSION
from ..log import records as r
from ..uuid import Uuid
from .broker import BrokerRegistration
from .name_collisions import NameCollisions
from .partition import Partition, PartitionKey, Topic
from .partition_index import PartitionIndex


@dataclass(slots=True)
class Image:
    """`offset` is that of the last record applied (-1: none); `features_offset` that of the last
    change of a feature level, or of the end of the transaction that it stands in (rule 5.53).
    `own_topics` are the ids of the topics that no copy of this image has. `is_settled`: the last
    unfence tried every leaderless partition, and no record has come since that may make another
    broker's replica eligible: no feature level, configuration or directory."""

    offset: int = -1
    epoch: int = 0
    brokers: "SortedDict[int, BrokerRegistration]" = field(default_factory=SortedDict)
    controllers: "SortedDict[int, r.RegisterControllerRecord]" = field(default_factory=SortedDict)
    topics: dict[Uuid, Topic] = field(default_factory=dict)
    topic_ids: dict[str, Uuid] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    features_offset: int = -1
    kraft_version: int = 0
    configs: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    directories: dict[Uuid, int] = field(default_factory=dict)
    next_producer_id: int = 0
    client_quotas: dict[tuple[r.QuotaEntity, ...], dict[str, float]] = field(default_factory=dict)
    scram_credentials: dict[tuple[str, int], r.UserScramCredentialRecord] = field(
        default_factory=dict
    )
    access_controls: dict[Uuid, r.AccessControlEntryRecord] = field(default_factory=dict)
    delegation_tokens: dict[str, r.DelegationTokenRecord] = field(default_factory=dict)
    open_transaction: str | None = None
    transaction_offset: int = -1
    index: PartitionIndex = field(default_factory=PartitionIndex, compare=False)
    names: NameCollisions = field(default_factory=NameCollisions, compare=False)
    own_topics: set[Uuid] = field(default_factory=set, compare=False)
    shares_brokers: bool = field(default_factory=bool, compare=False)
    is_settled: bool = field(default_factory=bool, compare=False)

    @property
    def metadata_version(self) -> int:
        return self.features.get(METADATA_VERSION, 1)

    @property
    def finalized(self) -> dict[str, int]:
        """Every finalized feature, kraft.version of the quorum among them once it is above 0."""
        levels = {name: level for name, level in self.features.items() if name != KRAFT_VERSION}
        return levels | ({KRAFT_VERSION: self.kraft_version} if self.kraft_version else {})

    def partition(self, key: PartitionKey) -> Partition:
        return self.topics[key[0]].partitions[key[1]]

    def own_topic(self, topic_id: Uuid) -> Topic:
        """The topic, for a change of its partitions: one that a copy shares is copied first."""
        topic = self.topics[topic_id]
        if topic_id not in self.own_topics:
            topic = Topic(topic.name, topic_id, topic.partitions.copy())
            self.put_topic(topic)
        return topic

    def own_brokers(self) -> "SortedDict[int, BrokerRegistration]":
        """The registrations, for a change: those that a copy shares are copied first."""
        if self.shares_brokers:
            self.brokers, self.shares_brokers = self.brokers.copy(), False
        return self.brokers

    def put_topic(self, topic: Topic) -> None:
        self.topics[topic.topic_id] = topic
        self.own_topics.add(topic.topic_id)

    def is_active(self, broker_id: int) -> bool:
        """Registered, not fenced, not in controlled shutdown (rule 4.1)."""
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.fenced and not broker.in_controlled_shutdown

    def copy(self) -> "Image":
        """A twin that goes its own way. Both share brokers, topics and index sets; who changes one
        copies it first, so a copy costs about as much as its dictionaries' tables."""
        self.own_topics, self.shares_brokers = set(), True
        return replace(
            self,
            controllers=self.controllers.copy(),
            topics=self.topics.copy(),
            topic_ids=self.topic_ids.copy(),
            features=self.features.copy(),
            configs=self.configs.copy(),
            directories=self.directories.copy(),
            client_quotas=self.client_quotas.copy(),
            scram_credentials=self.scram_credentials.copy(),
            access_controls=self.access_controls.copy(),
            delegation_tokens=self.delegation_tokens.copy(),
            index=self.index.copy(),
            names=self.names.copy(),
            own_topics=set(),
        )
