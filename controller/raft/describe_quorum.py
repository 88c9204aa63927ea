"""DescribeQuorum (55): the quorum as its leader knows it (KIP-836, rules 5.21 to 5.38)."""

from ..core import rpc
from ..core.errors import ErrorCode
from ..core.topic_name import METADATA_TOPIC
from . import leading
from .protocol import Turn
from .quorum import Quorum
from .roles import Progress, leader_role
from .voters import ReplicaKey

OBSERVER_FORGOTTEN_MS = 300_000  # an observer is removed after this time without a fetch (5.34)
_UNKNOWN = "This server does not host this topic-partition."
_NOT_LEADER = (
    "For requests intended only for the leader, this error indicates that the broker is not the "
    "current leader. For requests intended for any replica, this error indicates that the broker "
    "is not a replica of the topic partition."
)


def describe(
    quorum: Quorum, request: rpc.DescribeQuorumRequest, turn: Turn
) -> rpc.DescribeQuorumResponse:
    """Returns the voters and observers with their progress; refuses unless this replica leads."""
    partitions = [
        (topic.topic_name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    ]
    if partitions != [(METADATA_TOPIC, 0)]:
        return _refused(request, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _UNKNOWN)
    if not quorum.is_leader:
        return _refused(request, ErrorCode.NOT_LEADER_OR_FOLLOWER, _NOT_LEADER)
    partition = rpc.DescribeQuorumPartitionResult(
        leader_id=quorum.me.node_id,
        leader_epoch=quorum.epoch,
        high_watermark=leading.known_high_watermark(quorum),
        current_voters=_voters(quorum, turn),
        observers=_observers(quorum, turn),
    )
    topic = rpc.DescribeQuorumTopicResult(topic_name=METADATA_TOPIC, partitions=(partition,))
    return rpc.DescribeQuorumResponse(topics=(topic,), nodes=_nodes(quorum))


def _refused(
    request: rpc.DescribeQuorumRequest, error: ErrorCode, message: str
) -> rpc.DescribeQuorumResponse:
    """Returns the error for every partition; leader and epoch stay 0 (rules 5.24, 5.25)."""
    return rpc.DescribeQuorumResponse(
        topics=tuple(
            rpc.DescribeQuorumTopicResult(
                topic_name=topic.topic_name,
                partitions=tuple(
                    rpc.DescribeQuorumPartitionResult(
                        partition_index=partition.partition_index,
                        error_code=error,
                        error_message=message,
                    )
                    for partition in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )


def _voters(quorum: Quorum, turn: Turn) -> tuple[rpc.ReplicaState, ...]:
    """The leader's own timestamps are the present wall time (rule 5.30)."""
    role = leader_role(quorum.role)
    own = Progress(
        end_offset=quorum.log.end_offset,
        last_fetch_wall_ms=turn.wall_ms,
        last_caught_up_wall_ms=turn.wall_ms,
    )
    return tuple(
        _state(
            ReplicaKey(voter.voter_id, voter.voter_directory_id),
            own
            if voter.voter_id == quorum.me.node_id
            else role.progress.get(voter.voter_id, Progress()),
        )
        for voter in quorum.voters.voters
    )


def _observers(quorum: Quorum, turn: Turn) -> tuple[rpc.ReplicaState, ...]:
    role = leader_role(quorum.role)
    role.keep_observers(
        {
            key: progress
            for key, progress in role.observers.items()
            if turn.now_ms - progress.fetched_ms < OBSERVER_FORGOTTEN_MS
            and not quorum.voters.includes(key)
        }
    )
    return tuple(_state(key, progress) for key, progress in role.observers.items())


def _state(key: ReplicaKey, progress: Progress) -> rpc.ReplicaState:
    return rpc.ReplicaState(
        replica_id=key.node_id,
        replica_directory_id=key.directory_id,
        log_end_offset=progress.end_offset,
        last_fetch_timestamp=progress.last_fetch_wall_ms,
        last_caught_up_timestamp=progress.last_caught_up_wall_ms,
    )


def _nodes(quorum: Quorum) -> tuple[rpc.QuorumNode, ...]:
    return tuple(
        rpc.QuorumNode(
            node_id=voter.voter_id,
            listeners=tuple(
                rpc.QuorumEndpoint(name=at.name, host=at.host, port=at.port)
                for at in voter.endpoints
            ),
        )
        for voter in quorum.voters.voters
    )
