"""Fetch (1), versions 4 to 18: brokers and voters read the metadata log.

Version 13 names topics by id; 15 moves the replica's id into a tagged state with its epoch; 16 adds
the node endpoints, 17 the replica's directory, 18 the follower's high watermark (KIP-1166). A
controller accepts Fetch from version 13 on (gap: no broker of Kafka 3.9 sends it an older one); the
older versions are those of consumers, which a broker's listener refuses. Batches are those of the
metadata log; batches that a broker serves to consumers do not decode.
"""

from ...core.rpc import (
    AbortedTransaction,
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchReplicaState,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    FetchTopicData,
    ForgottenTopic,
    LeaderIdAndEpoch,
    NodeEndpoint,
    SnapshotId,
)
from ...core.rpc.fetch import HIGH_WATERMARK_UNKNOWN
from ...core.uuid import ZERO_UUID
from ..codec.schema import (
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UUID,
    Array,
    Converted,
    Field,
    Struct,
    message,
)
from ..records.record_batch import decode_batches, encode_batches

VERSIONS = (4, 18)
FLEXIBLE_SINCE = 12
RECORDS = Converted("records", encode_batches, lambda data: tuple(decode_batches(data)))

_REPLICA_STATE = Struct(
    FetchReplicaState, (Field("replica_id", INT32), Field("replica_epoch", INT64))
)
_PARTITION = Struct(
    FetchPartition,
    (
        Field("partition", INT32),
        Field("current_leader_epoch", INT32, since=9),
        Field("fetch_offset", INT64),
        Field("last_fetched_epoch", INT32, since=12),
        Field("log_start_offset", INT64, since=5),
        Field("partition_max_bytes", INT32),
        Field("replica_directory_id", UUID, since=17, tag=0, default=ZERO_UUID),
        Field("high_watermark", INT64, since=18, tag=1, default=HIGH_WATERMARK_UNKNOWN),
    ),
)
_NAME = (Field("topic", STRING, until=12), Field("topic_id", UUID, since=13))
_TOPIC = Struct(FetchTopic, (*_NAME, Field("partitions", Array(_PARTITION))))
_FORGOTTEN = Struct(ForgottenTopic, (*_NAME, Field("partitions", Array(INT32))))

REQUEST = message(
    "FetchRequest",
    FetchRequest,
    VERSIONS,
    Field("cluster_id", STRING, since=12, nullable_since=0, tag=0),
    Field("replica_id", INT32, until=14),
    Field("replica_state", _REPLICA_STATE, since=15, tag=1, default=FetchReplicaState()),
    Field("max_wait_ms", INT32),
    Field("min_bytes", INT32),
    Field("max_bytes", INT32),
    Field("isolation_level", INT8),
    Field("session_id", INT32, since=7),
    Field("session_epoch", INT32, since=7),
    Field("topics", Array(_TOPIC)),
    Field("forgotten_topics_data", Array(_FORGOTTEN), since=7),
    Field("rack_id", STRING, since=11),
    flexible_since=FLEXIBLE_SINCE,
)

_DIVERGING_EPOCH = Struct(EpochEndOffset, (Field("epoch", INT32), Field("end_offset", INT64)))
_CURRENT_LEADER = Struct(
    LeaderIdAndEpoch, (Field("leader_id", INT32), Field("leader_epoch", INT32))
)
_SNAPSHOT_ID = Struct(SnapshotId, (Field("end_offset", INT64), Field("epoch", INT32)))
_ABORTED = Struct(AbortedTransaction, (Field("producer_id", INT64), Field("first_offset", INT64)))
_PARTITION_DATA = Struct(
    FetchPartitionData,
    (
        Field("partition_index", INT32),
        Field("error_code", INT16),
        Field("high_watermark", INT64),
        Field("last_stable_offset", INT64),
        Field("log_start_offset", INT64, since=5),
        Field("diverging_epoch", _DIVERGING_EPOCH, since=12, tag=0, default=EpochEndOffset()),
        Field("current_leader", _CURRENT_LEADER, since=12, tag=1, default=LeaderIdAndEpoch()),
        Field("snapshot_id", _SNAPSHOT_ID, since=12, tag=2, default=SnapshotId()),
        Field("aborted_transactions", Array(_ABORTED), nullable_since=0),
        Field("preferred_read_replica", INT32, since=11),
        Field("records", RECORDS, nullable_since=0),
    ),
)
_TOPIC_DATA = Struct(FetchTopicData, (*_NAME, Field("partitions", Array(_PARTITION_DATA))))
_NODE_ENDPOINT = Struct(
    NodeEndpoint,
    (
        Field("node_id", INT32),
        Field("host", STRING),
        Field("port", INT32),
        Field("rack", STRING, nullable_since=0),
    ),
)

RESPONSE = message(
    "FetchResponse",
    FetchResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16, since=7),
    Field("session_id", INT32, since=7),
    Field("responses", Array(_TOPIC_DATA)),
    Field("node_endpoints", Array(_NODE_ENDPOINT), since=16, tag=0, default=()),
    flexible_since=FLEXIBLE_SINCE,
)
