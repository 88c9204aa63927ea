"""The image: what the metadata log, folded from its first record, says is true.

`apply` is the only code that changes hard state, so `replay(log) == image` always holds, for our
logs and for Kafka's. Guesses (who was heard of, and when) are not in here: see `leases.py`.
"""

from dataclasses import dataclass, field, replace

from sortedcontainers import SortedDict

from . import records as r
from .batch import ControlRecord, KRaftVersion
from .errors import Impossible
from .features import KRAFT_VERSION, METADATA_VERSION
from .partition import Partition, PartitionKey, Topic
from .partition_index import PartitionIndex
from .registration import BrokerRegistration
from .replay import APPLIERS
from .uuid import Uuid


@dataclass(slots=True)
class Image:
    """`offset` is that of the last record applied (-1: none); `features_offset` that of the last
    change of a feature level, or of the end of the transaction that it stands in (rule 5.53)."""

    offset: int = -1
    epoch: int = 0
    brokers: "SortedDict[int, BrokerRegistration]" = field(default_factory=SortedDict)
    controllers: "SortedDict[int, r.RegisterControllerRecord]" = field(default_factory=SortedDict)
    topics: dict[Uuid, Topic] = field(default_factory=dict)
    topic_ids: "SortedDict[str, Uuid]" = field(default_factory=SortedDict)
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

    def is_active(self, broker_id: int) -> bool:
        """Registered, not fenced, not in controlled shutdown (rule 4.1)."""
        broker = self.brokers.get(broker_id)
        return broker is not None and not broker.fenced and not broker.in_controlled_shutdown

    def apply(
        self, record: r.Record, *, offset: int, epoch: int = 0, timestamp_ms: int = 0
    ) -> None:
        if offset <= self.offset:
            raise Impossible(f"record {offset} after {self.offset}")
        APPLIERS[type(record)](self, record, offset, timestamp_ms)
        self.offset = offset
        self.epoch = epoch

    def apply_control(self, record: ControlRecord, *, offset: int, epoch: int) -> None:
        """Control records are the quorum's; only the level of kraft.version concerns us (1.7)."""
        if isinstance(record, KRaftVersion):
            self.kraft_version = record.kraft_version
        self.offset, self.epoch = offset, epoch

    def copy(self) -> "Image":
        """A twin that goes its own way; the values in it are immutable and shared."""
        return replace(
            self,
            brokers=self.brokers.copy(),
            controllers=self.controllers.copy(),
            topics={
                k: Topic(t.name, t.topic_id, dict(t.partitions)) for k, t in self.topics.items()
            },
            topic_ids=self.topic_ids.copy(),
            features=dict(self.features),
            configs={k: dict(v) for k, v in self.configs.items()},
            directories=dict(self.directories),
            client_quotas={k: dict(v) for k, v in self.client_quotas.items()},
            scram_credentials=dict(self.scram_credentials),
            access_controls=dict(self.access_controls),
            delegation_tokens=dict(self.delegation_tokens),
            index=self.index.copy(),
        )
