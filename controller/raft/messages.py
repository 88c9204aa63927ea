"""Builds the requests and responses of this replica, and reads those of its peers.

Kafka's schemas allow several topics and partitions; the quorum uses exactly one of each.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from ..core import rpc
from ..core.errors import ErrorCode
from ..core.log.batch import FETCH_BYTES_MAX
from ..core.log.control_records import Voter, VoterEndpoint
from ..core.topic_name import METADATA_TOPIC
from ..core.uuid import METADATA_TOPIC_ID
from .quorum import Quorum
from .voters import ReplicaKey

Partition_co = TypeVar("Partition_co", covariant=True)
Partition = TypeVar("Partition")


class OfPartitions(Protocol[Partition_co]):
    """A topic of a request or response, with partitions of any type."""

    @property
    def partitions(self) -> Sequence[Partition_co]:
        """The topic's partitions."""
        ...


def sole_partition(topics: Sequence[OfPartitions[Partition]]) -> Partition | None:
    """Returns the only partition of the only topic; None if there are none or several."""
    if len(topics) != 1 or len(topics[0].partitions) != 1:
        return None
    return topics[0].partitions[0]


def names_the_metadata(
    request: rpc.VoteRequest | rpc.BeginQuorumEpochRequest | rpc.EndQuorumEpochRequest,
) -> bool:
    """True if the request has exactly the metadata topic and its partition."""
    if len(request.topics) != 1 or request.topics[0].topic_name != METADATA_TOPIC:
        return False
    partitions = request.topics[0].partitions
    return len(partitions) == 1 and partitions[0].partition_index == 0


def node_endpoints(quorum: Quorum) -> tuple[rpc.NodeEndpoint, ...]:
    """Returns the known leader's address."""
    endpoint = quorum.leader_endpoint
    if quorum.leader_id == quorum.me.node_id:
        endpoint = quorum.identity.endpoint
    if quorum.leader_id == -1 or endpoint is None:
        return ()
    return (rpc.NodeEndpoint(node_id=quorum.leader_id, host=endpoint.host, port=endpoint.port),)


# Vote


def vote_request(quorum: Quorum, voter: Voter, *, pre_vote: bool) -> rpc.VoteRequest:
    """Returns a Vote request to `voter`."""
    partition = rpc.VotePartition(
        replica_epoch=quorum.epoch,
        replica_id=quorum.me.node_id,
        replica_directory_id=quorum.me.directory_id,
        voter_directory_id=voter.voter_directory_id,
        last_offset_epoch=quorum.log.last_epoch,
        last_offset=quorum.log.end_offset,
        pre_vote=pre_vote,
    )
    return rpc.VoteRequest(
        cluster_id=quorum.identity.cluster_id,
        voter_id=voter.voter_id,
        topics=(rpc.VoteTopic(topic_name=METADATA_TOPIC, partitions=(partition,)),),
    )


def vote_partition(request: rpc.VoteRequest) -> rpc.VotePartition:
    """Returns the partition of a valid request."""
    return request.topics[0].partitions[0]


def vote_response(quorum: Quorum, error: ErrorCode, granted: bool) -> rpc.VoteResponse:
    """Returns the response to a Vote request."""
    partition = rpc.VotePartitionResult(
        error_code=error,
        leader_id=quorum.leader_id,
        leader_epoch=quorum.epoch,
        vote_granted=granted,
    )
    return rpc.VoteResponse(
        topics=(rpc.VoteTopicResult(topic_name=METADATA_TOPIC, partitions=(partition,)),),
        node_endpoints=node_endpoints(quorum),
    )


def vote_answer(response: rpc.VoteResponse) -> rpc.VotePartitionResult | None:
    """Returns the voter's part of a Vote response; None if the whole request was refused."""
    return None if response.error_code else sole_partition(response.topics)


# Begin- and EndQuorumEpoch


def begin_request(quorum: Quorum, voter: Voter) -> rpc.BeginQuorumEpochRequest:
    """Returns a BeginQuorumEpoch request to `voter`."""
    partition = rpc.BeginQuorumEpochPartition(
        voter_directory_id=voter.voter_directory_id,
        leader_id=quorum.me.node_id,
        leader_epoch=quorum.epoch,
    )
    return rpc.BeginQuorumEpochRequest(
        cluster_id=quorum.identity.cluster_id,
        voter_id=voter.voter_id,
        topics=(rpc.BeginQuorumEpochTopic(topic_name=METADATA_TOPIC, partitions=(partition,)),),
        leader_endpoints=(as_endpoint(quorum.identity.endpoint),),
    )


def begin_response(quorum: Quorum, error: ErrorCode) -> rpc.BeginQuorumEpochResponse:
    """Returns the response to a BeginQuorumEpoch request."""
    return rpc.BeginQuorumEpochResponse(
        topics=_epoch_results(quorum, error), node_endpoints=node_endpoints(quorum)
    )


def end_request(quorum: Quorum, successors: tuple[ReplicaKey, ...]) -> rpc.EndQuorumEpochRequest:
    """Returns an EndQuorumEpoch request.

    No release of Kafka sends the leader's address in it (rule 10.41).
    """
    partition = rpc.EndQuorumEpochPartition(
        leader_id=quorum.leader_id,
        leader_epoch=quorum.epoch,
        preferred_successors=tuple(key.node_id for key in successors),
        preferred_candidates=tuple(
            rpc.PreferredCandidate(
                candidate_id=key.node_id, candidate_directory_id=key.directory_id
            )
            for key in successors
        ),
    )
    return rpc.EndQuorumEpochRequest(
        cluster_id=quorum.identity.cluster_id,
        topics=(rpc.EndQuorumEpochTopic(topic_name=METADATA_TOPIC, partitions=(partition,)),),
    )


def successors(request: rpc.EndQuorumEpochRequest) -> tuple[ReplicaKey, ...]:
    """Returns the preferred successors of a resigning leader."""
    partition = request.topics[0].partitions[0]
    if partition.preferred_candidates:
        return tuple(
            ReplicaKey(candidate.candidate_id, candidate.candidate_directory_id)
            for candidate in partition.preferred_candidates
        )
    return tuple(ReplicaKey(node_id) for node_id in partition.preferred_successors)


def end_response(quorum: Quorum, error: ErrorCode) -> rpc.EndQuorumEpochResponse:
    """Returns the response to an EndQuorumEpoch request."""
    return rpc.EndQuorumEpochResponse(
        topics=_epoch_results(quorum, error), node_endpoints=node_endpoints(quorum)
    )


def _epoch_results(quorum: Quorum, error: ErrorCode) -> tuple[rpc.QuorumEpochTopicResult, ...]:
    partition = rpc.QuorumEpochPartitionResult(
        error_code=error, leader_id=quorum.leader_id, leader_epoch=quorum.epoch
    )
    return (rpc.QuorumEpochTopicResult(topic_name=METADATA_TOPIC, partitions=(partition,)),)


def leader_endpoints(
    quorum: Quorum, request: rpc.BeginQuorumEpochRequest | rpc.EndQuorumEpochRequest, leader_id: int
) -> tuple[rpc.NodeEndpoint, ...]:
    """Returns where the leader that sent the request listens, at the name of this node's listener.

    A leader sends all its controller listeners, of which some may be for other protocols; version 0
    has none.
    """
    return tuple(
        rpc.NodeEndpoint(node_id=leader_id, host=endpoint.host, port=endpoint.port)
        for endpoint in request.leader_endpoints
        if endpoint.name == quorum.identity.endpoint.name
    )


def as_endpoint(endpoint: VoterEndpoint) -> rpc.QuorumEndpoint:
    """Converts a voter's endpoint to the type that requests carry."""
    return rpc.QuorumEndpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)


# Fetch


def fetch_request(quorum: Quorum, max_wait_ms: int) -> rpc.FetchRequest:
    """Returns a Fetch request from the end of this replica's log."""
    partition = rpc.FetchPartition(
        partition=0,
        current_leader_epoch=quorum.epoch,
        fetch_offset=quorum.log.end_offset,
        last_fetched_epoch=quorum.log.last_epoch,
        replica_directory_id=quorum.me.directory_id,
        high_watermark=quorum.high_watermark,
    )
    return rpc.FetchRequest(
        cluster_id=quorum.identity.cluster_id,
        replica_state=rpc.FetchReplicaState(replica_id=quorum.me.node_id),
        max_wait_ms=max_wait_ms,
        max_bytes=(
            quorum.settings.controller_quorum_fetch_max_bytes
            if quorum.identity.bounds_fetches
            else FETCH_BYTES_MAX
        ),
        topics=(rpc.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,)),),
    )


def update_request(quorum: Quorum) -> rpc.UpdateRaftVoterRequest:
    """Returns an UpdateRaftVoter request for this voter."""
    me = quorum.identity.as_voter
    supported = me.k_raft_version_feature
    return rpc.UpdateRaftVoterRequest(
        cluster_id=quorum.identity.cluster_id,
        current_leader_epoch=quorum.epoch,
        voter_id=me.voter_id,
        voter_directory_id=me.voter_directory_id,
        listeners=tuple(as_endpoint(endpoint) for endpoint in me.endpoints),
        k_raft_version_feature=rpc.KRaftVersionFeature(
            min_supported_version=supported.min_supported_version,
            max_supported_version=supported.max_supported_version,
        ),
    )


def add_request(quorum: Quorum) -> rpc.AddRaftVoterRequest:
    """Returns a request to add this replica; the leader replies before the commit (KIP-1186)."""
    me = quorum.identity.as_voter
    return rpc.AddRaftVoterRequest(
        cluster_id=quorum.identity.cluster_id,
        timeout_ms=quorum.settings.controller_quorum_request_timeout_ms,
        voter_id=me.voter_id,
        voter_directory_id=me.voter_directory_id,
        listeners=tuple(as_endpoint(endpoint) for endpoint in me.endpoints),
        ack_when_committed=False,
    )


def remove_request(quorum: Quorum, former: ReplicaKey) -> rpc.RemoveRaftVoterRequest:
    """Returns a request to remove a voter."""
    return rpc.RemoveRaftVoterRequest(
        cluster_id=quorum.identity.cluster_id,
        voter_id=former.node_id,
        voter_directory_id=former.directory_id,
    )
