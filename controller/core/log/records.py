"""Every record of Kafka's metadata log that 3.9.1, 4.1.1, 4.3.1 or 4.4.0 writes.

Names and fields are Kafka's own (REC/*.json), in snake case. `image/replay.py` applies records to
an image. `wire/records/metadata_records.py` encodes them; `record_versions.py` has their versions.
"""

from ..uuid import Uuid
from ..value import value

NO_LEADER = -1
NO_LEADER_CHANGE = -2  # PartitionChangeRecord.leader: no change (rule 4.2)

RECOVERED = 0
RECOVERING = 1
NO_RECOVERY_CHANGE = -1

FENCE, UNFENCE, NO_FENCING_CHANGE = 1, -1, 0
IN_CONTROLLED_SHUTDOWN, NO_SHUTDOWN_CHANGE = 1, 0

TOPIC_RESOURCE, BROKER_RESOURCE = 2, 4


@value
class Endpoint:
    """A listener of a broker or controller."""

    name: str
    host: str
    port: int
    security_protocol: int = 0


@value
class FeatureRange:
    """The levels of a feature that a node supports, both ends included."""

    name: str
    min_supported_version: int
    max_supported_version: int


@value
class RegisterBrokerRecord:
    """Registers a broker, or amends its registration.

    `start_time_ms` is an extension of this project (KIP-436): a high tagged field that Kafka's
    readers skip.
    """

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
    """Removes a broker's registration."""

    broker_id: int
    broker_epoch: int


@value
class TopicRecord:
    """Creates a topic."""

    name: str
    topic_id: Uuid


@value
class PartitionRecord:
    """Creates a partition."""

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
    """Sets a configuration of a topic or broker; a `value` of None removes it."""

    resource_type: int
    resource_name: str
    name: str
    value: str | None


@value
class PartitionChangeRecord:
    """Changes a partition; a field that is None (or its "no change" number) keeps its value."""

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
    """Fences a broker, before metadata.version 3.3-IV2 (rule 2.21)."""

    id: int
    epoch: int


@value
class UnfenceBrokerRecord:
    """Unfences a broker, before metadata.version 3.3-IV2."""

    id: int
    epoch: int


@value
class RemoveTopicRecord:
    """Deletes a topic."""

    topic_id: Uuid


@value
class DelegationTokenRecord:
    """Creates or renews a delegation token; timestamps are in milliseconds."""

    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp: int
    max_timestamp: int
    expiration_timestamp: int
    token_id: str


@value
class UserScramCredentialRecord:
    """Sets a user's SCRAM credential."""

    name: str
    mechanism: int
    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int


@value
class FeatureLevelRecord:
    """Finalizes a feature at a level; 0 removes it."""

    name: str
    feature_level: int


@value
class QuotaEntity:
    """An entity that a client quota applies to; a name of None is the default entity."""

    entity_type: str
    entity_name: str | None


@value
class ClientQuotaRecord:
    """Sets or removes a client quota."""

    entity: tuple[QuotaEntity, ...]
    key: str
    value: float
    remove: bool


@value
class ProducerIdsRecord:
    """Grants a broker a block of producer ids, which ends before `next_producer_id`."""

    broker_id: int
    broker_epoch: int
    next_producer_id: int


@value
class BrokerRegistrationChangeRecord:
    """Changes a registration: fencing, controlled shutdown, directories."""

    broker_id: int
    broker_epoch: int
    fenced: int = NO_FENCING_CHANGE
    in_controlled_shutdown: int = NO_SHUTDOWN_CHANGE
    log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None


@value
class AccessControlEntryRecord:
    """Adds an access control entry."""

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
    """Removes an access control entry."""

    id: Uuid


@value
class NoOpRecord:
    """Changes nothing but the log's end offset."""

    pass


@value
class ZkMigrationStateRecord:
    """The state of a migration from ZooKeeper."""

    zk_migration_state: int


@value
class RemoveUserScramCredentialRecord:
    """Removes a user's SCRAM credential."""

    name: str
    mechanism: int


@value
class BeginTransactionRecord:
    """Begins a metadata transaction."""

    name: str | None = None


@value
class EndTransactionRecord:
    """Commits the open metadata transaction."""

    pass


@value
class AbortTransactionRecord:
    """Aborts the open metadata transaction."""

    reason: str | None = None


@value
class RemoveDelegationTokenRecord:
    """Removes a delegation token."""

    token_id: str


@value
class RegisterControllerRecord:
    """Registers a controller's listeners and features."""

    controller_id: int
    incarnation_id: Uuid
    zk_migration_ready: bool = False
    end_points: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]


@value
class UnregisterControllerRecord:
    """Removes a controller's registration."""

    controller_id: int


@value
class ClearElrRecord:
    """Clears the ELR of a topic's partitions, of all topics if the name is empty (rule 4.23)."""

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
