"""The image: the state of the cluster after replay of the metadata log from its first record.

`replay.apply` is the only code that changes hard state, so `replay(log) == image` always holds, for
this project's logs and for Kafka's. Soft state (the time of each broker's last contact) is in
`core/leases.py`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field, replace
from typing import TypeVar, cast

from sortedcontainers import SortedDict

from ..feature_levels import KRAFT_VERSION, METADATA_VERSION
from ..log import records as r
from ..uuid import Uuid
from ..value import slotted
from .broker import BrokerRegistration
from .name_collisions import NameCollisions
from .partition import Partition, PartitionKey, Topic
from .partition_index import PartitionIndex

Kept = TypeVar("Kept", bound=r.Record)
Key = tuple[Hashable, ...]
KEPT: Mapping[type[r.Record], tuple[str, ...]] = {
    r.AccessControlEntryRecord: ("id",),
    r.UserScramCredentialRecord: ("name", "mechanism"),
    r.DelegationTokenRecord: ("token_id",),
}
"""The records that an image keeps unchanged, with the fields of their key.

A later record with the same key replaces the earlier. A snapshot has the records in this order.
"""
REMOVED_BY: Mapping[type[r.Record], type[r.Record]] = {
    r.RemoveAccessControlEntryRecord: r.AccessControlEntryRecord,
    r.RemoveUserScramCredentialRecord: r.UserScramCredentialRecord,
    r.RemoveDelegationTokenRecord: r.DelegationTokenRecord,
}
"""The records that remove a kept record, which have the fields of its key."""


def _keeps_every(_resource_type: int, _name: str) -> bool:
    return True


def _none_kept() -> dict[type[r.Record], dict[Key, r.Record]]:
    return {kind: {} for kind in KEPT}


@slotted()
class Image:
    """The state of the cluster at one offset of the metadata log.

    `offset` is the offset of the last applied record (-1: none). `features_offset` is the offset of
    the last change of a feature level, or of the end of the transaction that contains it (rule
    5.53), `partitions_offset` that of the last change of a partition. `own_topics` are the ids of
    topics that no copy of this image shares. `is_settled` is true if the last unfence tried an
    election for every leaderless partition and no later record (feature level, configuration,
    directory) may have made a replica of another broker eligible.
    `kept_records` has the records of each class in KEPT by their key. `keeps_config` says of the
    type of a resource and the name of a configuration whether it is replayed (rule 7.9).
    """

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
    kept_records: dict[type[r.Record], dict[Key, r.Record]] = field(default_factory=_none_kept)
    open_transaction: str | None = None
    transaction_offset: int = -1
    index: PartitionIndex = field(default_factory=PartitionIndex, compare=False)
    names: NameCollisions = field(default_factory=NameCollisions, compare=False)
    own_topics: set[Uuid] = field(default_factory=set, compare=False)
    shares_brokers: bool = field(default_factory=bool, compare=False)
    is_settled: bool = field(default_factory=bool, compare=False)
    partitions_offset: int = field(default=-1, compare=False)
    keeps_config: Callable[[int, str], bool] = field(default=_keeps_every, compare=False)

    @property
    def metadata_version(self) -> int:
        """Returns the finalized metadata.version; 1 if none is finalized."""
        return self.features.get(METADATA_VERSION, 1)

    @property
    def finalized(self) -> dict[str, int]:
        """Returns every finalized feature, including the quorum's kraft.version if above 0."""
        levels = {name: level for name, level in self.features.items() if name != KRAFT_VERSION}
        return levels | ({KRAFT_VERSION: self.kraft_version} if self.kraft_version else {})

    def kept(self, kind: type[Kept]) -> Mapping[Key, Kept]:
        """Returns the records of a class in KEPT by their key."""
        return cast(Mapping[Key, Kept], self.kept_records[kind])

    def partition(self, key: PartitionKey) -> Partition:
        """Returns the partition; raises KeyError if it does not exist."""
        return self.topics[key[0]].partitions[key[1]]

    def own_topic(self, topic_id: Uuid) -> Topic:
        """Returns the topic for a change of its partitions; copies a shared topic first."""
        topic = self.topics[topic_id]
        if topic_id not in self.own_topics:
            topic = Topic(topic.name, topic_id, topic.partitions.copy())
            self.put_topic(topic)
        return topic

    def own_brokers(self) -> "SortedDict[int, BrokerRegistration]":
        """Returns the registrations for a change; copies shared registrations first."""
        if self.shares_brokers:
            self.brokers, self.shares_brokers = self.brokers.copy(), False
        return self.brokers

    def put_topic(self, topic: Topic) -> None:
        """Store a topic that no copy of this image shares."""
        self.topics[topic.topic_id] = topic
        self.own_topics.add(topic.topic_id)

    def is_active(self, broker_id: int) -> bool:
        """True if the broker is registered, unfenced and not in controlled shutdown (rule 4.1)."""
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.fenced and not broker.in_controlled_shutdown

    def copy(self) -> "Image":
        """Returns an independent copy.

        Both images share brokers, topics and index sets until either image changes them (copy on
        write), so a copy costs about as much as copying the tables of its dictionaries.
        """
        return replace(self.copy_of_records(), index=self.index.copy(), names=self.names.copy())

    def copy_of_records(self) -> "Image":
        """Returns an independent copy without indexes, which is enough to write a snapshot.

        The next large change of this image would have to copy most sets of a shared index.
        """
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
            kept_records={kind: kept.copy() for kind, kept in self.kept_records.items()},
            index=PartitionIndex(),
            names=NameCollisions(),
            own_topics=set(),
        )
