"""How voters speak to each other: Vote (52), BeginQuorumEpoch (53), EndQuorumEpoch (54), and what
they tell of themselves: DescribeQuorum (55). KIP-595, KIP-836, KIP-853, KIP-996."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .fetch import NodeEndpoint


@value
class QuorumEndpoint:
    """Where a voter listens, under the listener's name."""

    name: str
    host: str
    port: int


@value
class VotePartition:
    partition_index: int = 0
    replica_epoch: int
    replica_id: int
    replica_directory_id: Uuid = ZERO_UUID
    voter_directory_id: Uuid = ZERO_UUID
    last_offset_epoch: int
    last_offset: int
    pre_vote: bool = False


@value
class VoteTopic:
    topic_name: str
    partitions: tuple[VotePartition, ...]


@value
class VoteRequest:
    """`voter_id` is whom the candidate believes to reach; -1: it does not say."""

    cluster_id: str | None = None
    voter_id: int = -1
    topics: tuple[VoteTopic, ...] = ()


@value
class VotePartitionResult:
    partition_index: int = 0
    error_code: int = 0
    leader_id: int
    leader_epoch: int
    vote_granted: bool


@value
class VoteTopicResult:
    topic_name: str
    partitions: tuple[VotePartitionResult, ...]


@value
class VoteResponse:
    error_code: int = 0
    topics: tuple[VoteTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class BeginQuorumEpochPartition:
    partition_index: int = 0
    voter_directory_id: Uuid = ZERO_UUID
    leader_id: int
    leader_epoch: int


@value
class BeginQuorumEpochTopic:
    topic_name: str
    partitions: tuple[BeginQuorumEpochPartition, ...]


@value
class BeginQuorumEpochRequest:
    cluster_id: str | None = None
    voter_id: int = -1
    topics: tuple[BeginQuorumEpochTopic, ...] = ()
    leader_endpoints: tuple[QuorumEndpoint, ...] = ()


@value
class QuorumEpochPartitionResult:
    """What Begin- and EndQuorumEpoch answer: the leader and epoch as the receiver knows them."""

    partition_index: int = 0
    error_code: int = 0
    leader_id: int
    leader_epoch: int


@value
class QuorumEpochTopicResult:
    topic_name: str
    partitions: tuple[QuorumEpochPartitionResult, ...]


@value
class BeginQuorumEpochResponse:
    error_code: int = 0
    topics: tuple[QuorumEpochTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class PreferredCandidate:
    candidate_id: int
    candidate_directory_id: Uuid = ZERO_UUID


@value
class EndQuorumEpochPartition:
    """Version 0 names `preferred_successors`, version 1 `preferred_candidates`."""

    partition_index: int = 0
    leader_id: int
    leader_epoch: int
    preferred_successors: tuple[int, ...] = ()
    preferred_candidates: tuple[PreferredCandidate, ...] = ()


@value
class EndQuorumEpochTopic:
    topic_name: str
    partitions: tuple[EndQuorumEpochPartition, ...]


@value
class EndQuorumEpochRequest:
    cluster_id: str | None = None
    topics: tuple[EndQuorumEpochTopic, ...] = ()
    leader_endpoints: tuple[QuorumEndpoint, ...] = ()


@value
class EndQuorumEpochResponse:
    error_code: int = 0
    topics: tuple[QuorumEpochTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class DescribeQuorumPartition:
    partition_index: int = 0


@value
class DescribeQuorumTopic:
    topic_name: str
    partitions: tuple[DescribeQuorumPartition, ...]


@value
class DescribeQuorumRequest:
    topics: tuple[DescribeQuorumTopic, ...] = ()


@value
class ReplicaState:
    """Timestamps are the leader's wall clock; -1 where nothing is known (rules 5.29 to 5.31)."""

    replica_id: int
    replica_directory_id: Uuid = ZERO_UUID
    log_end_offset: int = -1
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1


@value
class DescribeQuorumPartitionResult:
    """Leader, epoch and watermark have no default of -1 in the schema: an error says 0 (5.25)."""

    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""
    leader_id: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    current_voters: tuple[ReplicaState, ...] = ()
    observers: tuple[ReplicaState, ...] = ()


@value
class DescribeQuorumTopicResult:
    topic_name: str
    partitions: tuple[DescribeQuorumPartitionResult, ...]


@value
class QuorumNode:
    node_id: int
    listeners: tuple[QuorumEndpoint, ...]


@value
class DescribeQuorumResponse:
    error_code: int = 0
    error_message: str | None = ""
    topics: tuple[DescribeQuorumTopicResult, ...] = ()
    nodes: tuple[QuorumNode, ...] = ()
