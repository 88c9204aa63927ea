"""The facts: every record of Kafka's metadata log that 3.9.1, 4.1.1, 4.3.1 or 4.4.0 writes.

Names and fields are Kafka's own (REC/*.json), in snake case. A record says what happened;
`Image.apply` is the only code that understands it. How each is spelled in bytes, and in which
version, is `wire/records/metadata_records.py` and `record_versions.py`.
"""

from ..uuid import Uuid
from ..value import value

NO_LEADER = -1
NO_LEADER_CHANGE = -2  # PartitionChangeRecord.leader: "stays as it is" (rule 4.2)

RECOVERED = 0
RECOVERING = 1
NO_RECOVERY_CHANGE = -1

FENCE, UNFENCE, NO_FENCING_CHANGE = 1, -1, 0
IN_CONTROLLED_SHUTDOWN, NO_SHUTDOWN_CHANGE = 1, 0

TOPIC_RESOURCE, BROKER_RESOURCE = 2, 4


@value
class Endpoint:
    name: str
    host: str
    port: int
    security_protocol: int = 0


@value
class FeatureRange:
    name: str
    min_supported_version: int
    max_supported_version: int


@value
class RegisterBrokerRecord:
    """`start_time_ms` is ours (KIP-436): a high tagged field that Kafka's readers skip."""

    broker_id: int
    is_migrating_zk_broker: bool = False
    incarnation_id: Uuid
    broker_epoch: int
    end_points: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    rack: str | None = None
    fenced: bool = True
    in_controlled_shutdown: bool = False
    log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None
    start_time_ms: int = 0


@value
class UnregisterBrokerRecord:
    broker_id: int
    broker_epoch: int


@value
class TopicRecord:
    name: str
    topic_id: Uuid


@value
class PartitionRecord:
    partition_id: int
    topic_id: Uuid
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    leader: int
    leader_recovery_state: int = RECOVERED
    leader_epoch: int = 0
    partition_epoch: int = 0
    directories: tuple[Uuid, ...] = ()
    eligible_leader_replicas: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None


@value
class ConfigRecord:
    resource_type: int
    resource_name: str
    name: str
    value: str | None


@value
class PartitionChangeRecord:
    """A field left at None (or at its "no change" number) stays as it is."""

    partition_id: int
    topic_id: Uuid
    isr: tuple[int, ...] | None = None
    leader: int = NO_LEADER_CHANGE
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    leader_recovery_state: int = NO_RECOVERY_CHANGE
    eligible_leader_replicas: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None
    directories: tuple[Uuid, ...] | None = None


@value
class FenceBrokerRecord:
    """The form before metadata.version 3.3-IV2 (rule 2.21)."""

    id: int
    epoch: int


@value
class UnfenceBrokerRecord:
    id: int
    epoch: int


@value
class RemoveTopicRecord:
    topic_id: Uuid


@value
class DelegationTokenRecord:
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp: int
    max_timestamp: int
    expiration_timestamp: int
    token_id: str


@value
class UserScramCredentialRecord:
    name: str
    mechanism: int
    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int


@value
class FeatureLevelRecord:
    name: str
    feature_level: int


@value
class QuotaEntity:
    entity_type: str
    entity_name: str | None


@value
class ClientQuotaRecord:
    entity: tuple[QuotaEntity, ...]
    key: str
    value: float
    remove: bool


@value
class ProducerIdsRecord:
    broker_id: int
    broker_epoch: int
    next_producer_id: int


@value
class BrokerRegistrationChangeRecord:
    broker_id: int
    broker_epoch: int
    fenced: int = NO_FENCING_CHANGE
    in_controlled_shutdown: int = NO_SHUTDOWN_CHANGE
    log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None


@value
class AccessControlEntryRecord:
    id: Uuid
    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int


@value
class RemoveAccessControlEntryRecord:
    id: Uuid


@value
class NoOpRecord:
    pass


@value
class ZkMigrationStateRecord:
    zk_migration_state: int


@value
class RemoveUserScramCredentialRecord:
    name: str
    mechanism: int


@value
class BeginTransactionRecord:
    name: str | None = None


@value
class EndTransactionRecord:
    pass


@value
class AbortTransactionRecord:
    reason: str | None = None


@value
class RemoveDelegationTokenRecord:
    token_id: str


@value
class RegisterControllerRecord:
    controller_id: int
    incarnation_id: Uuid
    zk_migration_ready: bool = False
    end_points: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]


@value
class UnregisterControllerRecord:
    controller_id: int


@value
class ClearElrRecord:
    topic_name: str


Record = (
    RegisterBrokerRecord
    | UnregisterBrokerRecord
    | TopicRecord
    | PartitionRecord
    | ConfigRecord
    | PartitionChangeRecord
    | FenceBrokerRecord
    | UnfenceBrokerRecord
    | RemoveTopicRecord
    | DelegationTokenRecord
    | UserScramCredentialRecord
    | FeatureLevelRecord
    | ClientQuotaRecord
    | ProducerIdsRecord
    | BrokerRegistrationChangeRecord
    | AccessControlEntryRecord
    | RemoveAccessControlEntryRecord
    | NoOpRecord
    | ZkMigrationStateRecord
    | RemoveUserScramCredentialRecord
    | BeginTransactionRecord
    | EndTransactionRecord
    | AbortTransactionRecord
    | RemoveDelegationTokenRecord
    | RegisterControllerRecord
    | UnregisterControllerRecord
    | ClearElrRecord
)
