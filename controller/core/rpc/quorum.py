"""Requests between voters, and the description of the quorum.

Vote (52), BeginQuorumEpoch (53), EndQuorumEpoch (54), DescribeQuorum (55): KIP-595, KIP-836,
KIP-853, KIP-996.
"""

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .fetch import NodeEndpoint


@value
class QuorumEndpoint:
    """The address of a voter's listener; `name` is the listener's name."""

    name: str
    host: str
    port: int


@value
class VotePartition:
    """A candidate's epoch and the end of its log."""

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
    """A topic of a Vote request."""

    topic_name: str
    partitions: tuple[VotePartition, ...]


@value
class VoteRequest:
    """Vote (52); `voter_id` is the id of the intended voter, -1 if not set."""

    cluster_id: str | None = None
    voter_id: int = -1
    topics: tuple[VoteTopic, ...] = ()


@value
class VotePartitionResult:
    """The reply of one voter."""

    partition_index: int = 0
    error_code: int = 0
    leader_id: int
    leader_epoch: int
    vote_granted: bool


@value
class VoteTopicResult:
    """A topic of a Vote response."""

    topic_name: str
    partitions: tuple[VotePartitionResult, ...]


@value
class VoteResponse:
    """The reply to a Vote request."""

    error_code: int = 0
    topics: tuple[VoteTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class BeginQuorumEpochPartition:
    """The leader and its epoch."""

    partition_index: int = 0
    voter_directory_id: Uuid = ZERO_UUID
    leader_id: int
    leader_epoch: int


@value
class BeginQuorumEpochTopic:
    """A topic of a BeginQuorumEpoch request."""

    topic_name: str
    partitions: tuple[BeginQuorumEpochPartition, ...]


@value
class BeginQuorumEpochRequest:
    """BeginQuorumEpoch (53): the sender leads."""

    cluster_id: str | None = None
    voter_id: int = -1
    topics: tuple[BeginQuorumEpochTopic, ...] = ()
    leader_endpoints: tuple[QuorumEndpoint, ...] = ()


@value
class QuorumEpochPartitionResult:
    """The receiver's leader and epoch, in replies to Begin- and EndQuorumEpoch."""

    partition_index: int = 0
    error_code: int = 0
    leader_id: int
    leader_epoch: int


@value
class QuorumEpochTopicResult:
    """A topic of a Begin- or EndQuorumEpoch response."""

    topic_name: str
    partitions: tuple[QuorumEpochPartitionResult, ...]


@value
class BeginQuorumEpochResponse:
    """The reply to a BeginQuorumEpoch request."""

    error_code: int = 0
    topics: tuple[QuorumEpochTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class PreferredCandidate:
    """A voter that should stand for election."""

    candidate_id: int
    candidate_directory_id: Uuid = ZERO_UUID


@value
class EndQuorumEpochPartition:
    """The leader that resigns and its preferred successors.

    Version 0 has `preferred_successors`, version 1 `preferred_candidates`.
    """

    partition_index: int = 0
    leader_id: int
    leader_epoch: int
    preferred_successors: tuple[int, ...] = ()
    preferred_candidates: tuple[PreferredCandidate, ...] = ()


@value
class EndQuorumEpochTopic:
    """A topic of an EndQuorumEpoch request."""

    topic_name: str
    partitions: tuple[EndQuorumEpochPartition, ...]


@value
class EndQuorumEpochRequest:
    """EndQuorumEpoch (54): the sender resigns."""

    cluster_id: str | None = None
    topics: tuple[EndQuorumEpochTopic, ...] = ()
    leader_endpoints: tuple[QuorumEndpoint, ...] = ()


@value
class EndQuorumEpochResponse:
    """The reply to an EndQuorumEpoch request."""

    error_code: int = 0
    topics: tuple[QuorumEpochTopicResult, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@value
class DescribeQuorumPartition:
    """A partition of a DescribeQuorum request."""

    partition_index: int = 0


@value
class DescribeQuorumTopic:
    """A topic of a DescribeQuorum request."""

    topic_name: str
    partitions: tuple[DescribeQuorumPartition, ...]


@value
class DescribeQuorumRequest:
    """DescribeQuorum (55)."""

    topics: tuple[DescribeQuorumTopic, ...] = ()


@value
class ReplicaState:
    """The progress of one replica.

    Timestamps are milliseconds of the leader's wall clock, -1 if unknown (rules 5.29 to 5.31).
    """

    replica_id: int
    replica_directory_id: Uuid = ZERO_UUID
    log_end_offset: int = -1
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1


@value
class DescribeQuorumPartitionResult:
    """The leader, voters and observers; leader, epoch and watermark are 0 on error (rule 5.25)."""

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
    """A topic of a DescribeQuorum response."""

    topic_name: str
    partitions: tuple[DescribeQuorumPartitionResult, ...]


@value
class QuorumNode:
    """The listeners of a voter."""

    node_id: int
    listeners: tuple[QuorumEndpoint, ...]


@value
class DescribeQuorumResponse:
    """The reply to a DescribeQuorum request."""

    error_code: int = 0
    error_message: str | None = ""
    topics: tuple[DescribeQuorumTopicResult, ...] = ()
    nodes: tuple[QuorumNode, ...] = ()
