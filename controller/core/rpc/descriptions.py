"""DescribeTopicPartitions (75) and DescribeLogDirs (35), which brokers answer."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .cluster import OPERATIONS_ABSENT

UNKNOWN_BYTES = -1


@value
class TopicCursor:
    """The partition at which a page begins."""

    topic_name: str
    partition_index: int


@value
class TopicRequest:
    """A topic to describe."""

    name: str


@value
class DescribeTopicPartitionsRequest:
    """The topics to describe, every topic if there is none, and the bound of a page."""

    topics: tuple[TopicRequest, ...] = ()
    response_partition_limit: int = 2000
    cursor: TopicCursor | None = None


@value
class DescribedPartition:
    """A partition; `leader_id` is -1 if no client can reach the leader."""

    error_code: int = 0
    partition_index: int
    leader_id: int
    leader_epoch: int = -1
    replica_nodes: tuple[int, ...] = ()
    isr_nodes: tuple[int, ...] = ()
    eligible_leader_replicas: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None
    offline_replicas: tuple[int, ...] = ()


@value
class DescribedTopic:
    """A topic with the partitions of this page."""

    error_code: int = 0
    name: str | None = None
    topic_id: Uuid = ZERO_UUID
    is_internal: bool = False
    partitions: tuple[DescribedPartition, ...] = ()
    topic_authorized_operations: int = OPERATIONS_ABSENT


@value
class DescribeTopicPartitionsResponse:
    """A page of topics; `next_cursor` is where the next page begins, None after the last."""

    throttle_time_ms: int = 0
    topics: tuple[DescribedTopic, ...] = ()
    next_cursor: TopicCursor | None = None


@value
class LogDirTopic:
    """Partitions of a topic to look for."""

    topic: str
    partitions: tuple[int, ...]


@value
class DescribeLogDirsRequest:
    """The partitions to look for; None means every partition."""

    topics: tuple[LogDirTopic, ...] | None = None


@value
class LogDirPartition:
    """A replica in a log directory, with its size in bytes and its lag in messages."""

    partition_index: int
    partition_size: int = 0
    offset_lag: int = 0
    is_future_key: bool = False


@value
class LogDirTopicReplicas:
    """The replicas of a topic in a log directory."""

    name: str
    partitions: tuple[LogDirPartition, ...]


@value
class LogDir:
    """A log directory; sizes are in bytes, -1 if they are unknown."""

    error_code: int = 0
    log_dir: str
    topics: tuple[LogDirTopicReplicas, ...] = ()
    total_bytes: int = UNKNOWN_BYTES
    usable_bytes: int = UNKNOWN_BYTES
    is_cordoned: bool = False


@value
class DescribeLogDirsResponse:
    """The log directories of a broker."""

    throttle_time_ms: int = 0
    error_code: int = 0
    results: tuple[LogDir, ...] = ()
