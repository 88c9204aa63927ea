"""Fetch (1) as the metadata log is read with it: one topic, one partition (section 10F)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..uuid import ZERO_UUID, Uuid
from ..value import value

if TYPE_CHECKING:
    from ..log.batch import Batch

HIGH_WATERMARK_UNKNOWN = 2**63 - 1  # the default of Fetch v18's HighWatermark (KIP-1166)


@value
class FetchReplicaState:
    replica_id: int = -1
    replica_epoch: int = -1


@value
class FetchPartition:
    partition: int
    current_leader_epoch: int = -1
    fetch_offset: int
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 0
    replica_directory_id: Uuid = ZERO_UUID
    high_watermark: int = HIGH_WATERMARK_UNKNOWN


@value
class FetchTopic:
    topic_id: Uuid
    partitions: tuple[FetchPartition, ...]


@value
class ForgottenTopic:
    topic_id: Uuid
    partitions: tuple[int, ...]


@value
class FetchRequest:
    """Before version 15 the replica's id is `replica_id`, from then on `replica_state`."""

    cluster_id: str | None = None
    replica_id: int = -1
    replica_state: FetchReplicaState = FetchReplicaState()
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 0x7FFFFFFF
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    topics: tuple[FetchTopic, ...] = ()
    forgotten_topics_data: tuple[ForgottenTopic, ...] = ()
    rack_id: str = ""


@value
class EpochEndOffset:
    epoch: int = -1
    end_offset: int = -1


@value
class LeaderIdAndEpoch:
    leader_id: int = -1
    leader_epoch: int = -1


@value
class SnapshotId:
    end_offset: int = -1
    epoch: int = -1


@value
class AbortedTransaction:
    """Read and never made: the metadata log has no transactional producers."""

    producer_id: int
    first_offset: int


@value
class FetchPartitionData:
    """`records` are whole batches of the log; the wire spells as many as its bound allows."""

    partition_index: int
    error_code: int = 0
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    diverging_epoch: EpochEndOffset = EpochEndOffset()
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    snapshot_id: SnapshotId = SnapshotId()
    aborted_transactions: tuple[AbortedTransaction, ...] | None = None
    preferred_read_replica: int = -1
    records: "Sequence[Batch] | None" = None


@value
class FetchTopicData:
    topic_id: Uuid
    partitions: tuple[FetchPartitionData, ...]


@value
class NodeEndpoint:
    node_id: int
    host: str
    port: int
    rack: str | None = None


@value
class FetchResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: tuple[FetchTopicData, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()
