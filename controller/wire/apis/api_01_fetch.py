"""Fetch (1), versions 13 to 18: brokers and voters read the metadata log.

Version 13 names topics by id; 15 moves the replica's id into a tagged state with its epoch; 16 adds
the node endpoints, 17 the replica's directory, 18 the follower's high watermark (KIP-1166). Gap:
older versions, which no broker of Kafka 3.9 sends to a controller. Batches are those of the
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

VERSIONS = (13, 18)
RECORDS = Converted("records", encode_batches, lambda data: tuple(decode_batches(data)))

_REPLICA_STATE = Struct(
    FetchReplicaState, (Field("replica_id", INT32), Field("replica_epoch", INT64))
)
_PARTITION = Struct(
    FetchPartition,
    (
        Field("partition", INT32),
        Field("current_leader_epoch", INT32),
        Field("fetch_offset", INT64),
        Field("last_fetched_epoch", INT32),
        Field("log_start_offset", INT64),
        Field("partition_max_bytes", INT32),
        Field("replica_directory_id", UUID, since=17, tag=0, default=ZERO_UUID),
        Field("high_watermark", INT64, since=18, tag=1, default=HIGH_WATERMARK_UNKNOWN),
    ),
)
_TOPIC = Struct(FetchTopic, (Field("topic_id", UUID), Field("partitions", Array(_PARTITION))))
_FORGOTTEN = Struct(ForgottenTopic, (Field("topic_id", UUID), Field("partitions", Array(INT32))))

REQUEST = message(
    "FetchRequest",
    FetchRequest,
    VERSIONS,
    Field("cluster_id", STRING, nullable_since=0, tag=0),
    Field("replica_id", INT32, until=14),
    Field("replica_state", _REPLICA_STATE, since=15, tag=1, default=FetchReplicaState()),
    Field("max_wait_ms", INT32),
    Field("min_bytes", INT32),
    Field("max_bytes", INT32),
    Field("isolation_level", INT8),
    Field("session_id", INT32),
    Field("session_epoch", INT32),
    Field("topics", Array(_TOPIC)),
    Field("forgotten_topics_data", Array(_FORGOTTEN)),
    Field("rack_id", STRING),
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
        Field("log_start_offset", INT64),
        Field("diverging_epoch", _DIVERGING_EPOCH, tag=0, default=EpochEndOffset()),
        Field("current_leader", _CURRENT_LEADER, tag=1, default=LeaderIdAndEpoch()),
        Field("snapshot_id", _SNAPSHOT_ID, tag=2, default=SnapshotId()),
        Field("aborted_transactions", Array(_ABORTED), nullable_since=0),
        Field("preferred_read_replica", INT32),
        Field("records", RECORDS, nullable_since=0),
    ),
)
_TOPIC_DATA = Struct(
    FetchTopicData, (Field("topic_id", UUID), Field("partitions", Array(_PARTITION_DATA)))
)
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
    Field("error_code", INT16),
    Field("session_id", INT32),
    Field("responses", Array(_TOPIC_DATA)),
    Field("node_endpoints", Array(_NODE_ENDPOINT), since=16, tag=0, default=()),
)
