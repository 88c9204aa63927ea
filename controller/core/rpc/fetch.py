"""Fetch (1), of which replicas of the metadata log use one topic and one partition (section 10F).

Before version 13, topics have names in place of ids.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..uuid import ZERO_UUID, Uuid
from ..value import value

if TYPE_CHECKING:
    from ..log.batch import Batch

HIGH_WATERMARK_UNKNOWN = 2**63 - 1  # the default of Fetch v18's HighWatermark (KIP-1166)


@value
class FetchReplicaState:
    """The id of the fetching replica, from version 15 on."""

    replica_id: int = -1
    replica_epoch: int = -1


@value
class FetchPartition:
    """The position from which a replica fetches."""

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
    """A topic and its partitions to fetch."""

    topic: str = ""
    topic_id: Uuid = ZERO_UUID
    partitions: tuple[FetchPartition, ...]


@value
class ForgottenTopic:
    """Partitions to remove from a fetch session."""

    topic: str = ""
    topic_id: Uuid = ZERO_UUID
    partitions: tuple[int, ...]


@value
class FetchRequest:
    """Fetch (1); the replica's id is `replica_id` before version 15, then in `replica_state`."""

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
    """Where a fetcher's log departs from the leader's (KIP-595).

    `epoch` is the largest epoch in the leader's log that is not above the fetcher's last epoch;
    `end_offset` is its end in the leader's log. Both are -1 if the logs do not diverge.
    """

    epoch: int = -1
    end_offset: int = -1


@value
class LeaderIdAndEpoch:
    """The leader and epoch as the server knows them; -1 if unknown."""

    leader_id: int = -1
    leader_epoch: int = -1


@value
class SnapshotId:
    """The end offset (exclusive) and last epoch of a snapshot."""

    end_offset: int = -1
    epoch: int = -1


@value
class AbortedTransaction:
    """Decoded but never created: the metadata log has no transactional producers."""

    producer_id: int
    first_offset: int


@value
class FetchPartitionData:
    """The reply for one partition.

    `records` are whole batches of the log; the wire encodes as many as the request's bound allows.
    """

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
    """The reply for one topic."""

    topic: str = ""
    topic_id: Uuid = ZERO_UUID
    partitions: tuple[FetchPartitionData, ...]


@value
class NodeEndpoint:
    """The address of a node."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


@value
class FetchResponse:
    """The reply to a Fetch request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: tuple[FetchTopicData, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()
