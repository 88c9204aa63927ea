"""The schemas of the metadata records, by key (metadata/src/main/resources/common/metadata)."""

from ...core.log import records
from ...core.log.records import (
    NO_LEADER_CHANGE,
    NO_RECOVERY_CHANGE,
    Endpoint,
    FeatureRange,
    QuotaEntity,
)
from ..codec.schema import (
    BOOL,
    BYTES,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    OWN_TAG,
    STRING,
    UINT16,
    UUID,
    Array,
    Field,
    Message,
    Struct,
    message,
)


def _record(model: type, max_version: int, *fields: Field) -> Message:
    return message(model.__name__, model, (0, max_version), *fields)


_IDS = Array(INT32)
_UUIDS = Array(UUID)
_END_POINTS = Array(
    Struct(
        Endpoint,
        (
            Field("name", STRING),
            Field("host", STRING),
            Field("port", UINT16),
            Field("security_protocol", INT16),
        ),
    )
)
_FEATURES = Array(
    Struct(
        FeatureRange,
        (
            Field("name", STRING),
            Field("min_supported_version", INT16),
            Field("max_supported_version", INT16),
        ),
    )
)
_QUOTA_ENTITY = Struct(
    QuotaEntity, (Field("entity_type", STRING), Field("entity_name", STRING, nullable_since=0))
)

RECORDS: dict[int, Message] = {
    0: _record(
        records.RegisterBrokerRecord,
        4,
        Field("broker_id", INT32),
        Field("is_migrating_zk_broker", BOOL, since=2),
        Field("incarnation_id", UUID),
        Field("broker_epoch", INT64),
        Field("end_points", _END_POINTS),
        Field("features", _FEATURES),
        Field("rack", STRING, nullable_since=0),
        Field("fenced", BOOL),
        Field("in_controlled_shutdown", BOOL, since=1),
        Field("log_dirs", _UUIDS, since=3, tag=0, default=()),
        Field("cordoned_log_dirs", _UUIDS, since=4, nullable_since=4, tag=1),
        Field("start_time_ms", INT64, tag=OWN_TAG, default=0),
    ),
    1: _record(
        records.UnregisterBrokerRecord, 0, Field("broker_id", INT32), Field("broker_epoch", INT64)
    ),
    2: _record(records.TopicRecord, 0, Field("name", STRING), Field("topic_id", UUID)),
    3: _record(
        records.PartitionRecord,
        2,
        Field("partition_id", INT32),
        Field("topic_id", UUID),
        Field("replicas", _IDS),
        Field("isr", _IDS),
        Field("removing_replicas", _IDS),
        Field("adding_replicas", _IDS),
        Field("leader", INT32),
        Field("leader_recovery_state", INT8, tag=0, default=0),
        Field("leader_epoch", INT32),
        Field("partition_epoch", INT32),
        Field("directories", _UUIDS, since=1),
        Field("eligible_leader_replicas", _IDS, since=2, nullable_since=2, tag=1),
        Field("last_known_elr", _IDS, since=2, nullable_since=2, tag=2),
    ),
    4: _record(
        records.ConfigRecord,
        0,
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("name", STRING),
        Field("value", STRING, nullable_since=0),
    ),
    5: _record(
        records.PartitionChangeRecord,
        2,
        Field("partition_id", INT32),
        Field("topic_id", UUID),
        Field("isr", _IDS, nullable_since=0, tag=0),
        Field("leader", INT32, tag=1, default=NO_LEADER_CHANGE),
        Field("replicas", _IDS, nullable_since=0, tag=2),
        Field("removing_replicas", _IDS, nullable_since=0, tag=3),
        Field("adding_replicas", _IDS, nullable_since=0, tag=4),
        Field("leader_recovery_state", INT8, tag=5, default=NO_RECOVERY_CHANGE),
        Field("directories", _UUIDS, since=1, nullable_since=1, tag=8),
        Field("eligible_leader_replicas", _IDS, since=2, nullable_since=2, tag=6),
        Field("last_known_elr", _IDS, since=2, nullable_since=2, tag=7),
    ),
    7: _record(records.FenceBrokerRecord, 0, Field("id", INT32), Field("epoch", INT64)),
    8: _record(records.UnfenceBrokerRecord, 0, Field("id", INT32), Field("epoch", INT64)),
    9: _record(records.RemoveTopicRecord, 0, Field("topic_id", UUID)),
    10: _record(
        records.DelegationTokenRecord,
        0,
        Field("owner", STRING),
        Field("requester", STRING),
        Field("renewers", Array(STRING)),
        Field("issue_timestamp", INT64),
        Field("max_timestamp", INT64),
        Field("expiration_timestamp", INT64),
        Field("token_id", STRING),
    ),
    11: _record(
        records.UserScramCredentialRecord,
        0,
        Field("name", STRING),
        Field("mechanism", INT8),
        Field("salt", BYTES),
        Field("stored_key", BYTES),
        Field("server_key", BYTES),
        Field("iterations", INT32),
    ),
    12: _record(
        records.FeatureLevelRecord, 0, Field("name", STRING), Field("feature_level", INT16)
    ),
    14: _record(
        records.ClientQuotaRecord,
        0,
        Field("entity", Array(_QUOTA_ENTITY)),
        Field("key", STRING),
        Field("value", FLOAT64),
        Field("remove", BOOL),
    ),
    15: _record(
        records.ProducerIdsRecord,
        0,
        Field("broker_id", INT32),
        Field("broker_epoch", INT64),
        Field("next_producer_id", INT64),
    ),
    17: _record(
        records.BrokerRegistrationChangeRecord,
        3,
        Field("broker_id", INT32),
        Field("broker_epoch", INT64),
        Field("fenced", INT8, tag=0, default=0),
        Field("in_controlled_shutdown", INT8, since=1, tag=1, default=0),
        Field("log_dirs", _UUIDS, since=2, tag=2, default=()),
        Field("cordoned_log_dirs", _UUIDS, since=3, nullable_since=3, tag=3),
    ),
    18: _record(
        records.AccessControlEntryRecord,
        0,
        Field("id", UUID),
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("pattern_type", INT8),
        Field("principal", STRING),
        Field("host", STRING),
        Field("operation", INT8),
        Field("permission_type", INT8),
    ),
    19: _record(records.RemoveAccessControlEntryRecord, 0, Field("id", UUID)),
    20: _record(records.NoOpRecord, 0),
    21: _record(records.ZkMigrationStateRecord, 0, Field("zk_migration_state", INT8)),
    22: _record(
        records.RemoveUserScramCredentialRecord, 0, Field("name", STRING), Field("mechanism", INT8)
    ),
    23: _record(records.BeginTransactionRecord, 0, Field("name", STRING, nullable_since=0, tag=0)),
    24: _record(records.EndTransactionRecord, 0),
    25: _record(
        records.AbortTransactionRecord, 0, Field("reason", STRING, nullable_since=0, tag=0)
    ),
    26: _record(records.RemoveDelegationTokenRecord, 0, Field("token_id", STRING)),
    27: _record(
        records.RegisterControllerRecord,
        0,
        Field("controller_id", INT32),
        Field("incarnation_id", UUID),
        Field("zk_migration_ready", BOOL),
        Field("end_points", _END_POINTS),
        Field("features", _FEATURES),
    ),
    28: _record(records.ClearElrRecord, 0, Field("topic_name", STRING)),
    29: _record(records.UnregisterControllerRecord, 0, Field("controller_id", INT32)),
}
