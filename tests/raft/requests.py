"""What replicas ask each other, and what tools ask a leader, spelled by tests themselves."""

from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    BeginQuorumEpochPartition,
    BeginQuorumEpochRequest,
    BeginQuorumEpochTopic,
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumTopic,
    EndQuorumEpochPartition,
    EndQuorumEpochRequest,
    EndQuorumEpochTopic,
    FetchPartition,
    FetchReplicaState,
    FetchRequest,
    FetchSnapshotRequest,
    FetchTopic,
    KRaftVersionFeature,
    PreferredCandidate,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
    SnapshotPartition,
    SnapshotTopic,
    UpdateRaftVoterRequest,
    VotePartition,
    VoteRequest,
    VoteTopic,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft.messages import METADATA_TOPIC
from tests.builders import CLUSTER_ID
from tests.raft.replicas import endpoint_of, key_of


def vote(
    candidate,
    epoch,
    *,
    last_epoch=0,
    offset=0,
    pre_vote=False,
    voter=-1,
    voter_directory=ZERO_UUID,
    directory=None,
    cluster_id=CLUSTER_ID,
    topic=METADATA_TOPIC,
    partition=0,
):
    asked = VotePartition(
        partition_index=partition,
        replica_epoch=epoch,
        replica_id=candidate,
        replica_directory_id=directory or key_of(candidate).directory_id,
        voter_directory_id=voter_directory,
        last_offset_epoch=last_epoch,
        last_offset=offset,
        pre_vote=pre_vote,
    )
    topics = (VoteTopic(topic_name=topic, partitions=(asked,)),)
    return VoteRequest(cluster_id=cluster_id, voter_id=voter, topics=topics)


def begin(
    leader,
    epoch,
    *,
    voter=-1,
    voter_directory=ZERO_UUID,
    cluster_id=CLUSTER_ID,
    topic=METADATA_TOPIC,
    has_endpoint=True,
):
    said = BeginQuorumEpochPartition(
        voter_directory_id=voter_directory, leader_id=leader, leader_epoch=epoch
    )
    return BeginQuorumEpochRequest(
        cluster_id=cluster_id,
        voter_id=voter,
        topics=(BeginQuorumEpochTopic(topic_name=topic, partitions=(said,)),),
        leader_endpoints=_listening(leader) if has_endpoint else (),
    )


def end(leader, epoch, successors=(), *, cluster_id=CLUSTER_ID, topic=METADATA_TOPIC):
    """`successors`: ids, the preferred one first."""
    candidates = tuple(
        PreferredCandidate(
            candidate_id=successor, candidate_directory_id=key_of(successor).directory_id
        )
        for successor in successors
    )
    said = EndQuorumEpochPartition(
        leader_id=leader, leader_epoch=epoch, preferred_candidates=candidates
    )
    topics = (EndQuorumEpochTopic(topic_name=topic, partitions=(said,)),)
    return EndQuorumEpochRequest(cluster_id=cluster_id, topics=topics)


def fetch_by(node_id, quorum, *, offset=None, directory=None, **fields):
    """From somebody who has what `quorum` has, up to `offset`."""
    offset = quorum.log.end_offset if offset is None else offset
    wanted = FetchPartition(
        partition=0,
        current_leader_epoch=quorum.epoch,
        fetch_offset=offset,
        replica_directory_id=directory or key_of(node_id).directory_id,
        last_fetched_epoch=fields.pop("last_epoch", epoch_before(quorum, offset)),
        **fields,
    )
    return FetchRequest(
        cluster_id=CLUSTER_ID,
        replica_state=FetchReplicaState(replica_id=node_id),
        max_wait_ms=500,
        topics=(FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(wanted,)),),
    )


def epoch_before(quorum, offset):
    epochs = [batch.epoch for batch in quorum.log.batches if batch.base_offset < offset]
    return epochs[-1] if epochs else quorum.log.start_epoch


def slice_of(snapshot_id, node_id, epoch, *, position=0, max_bytes=1000, **fields):
    directory = fields.pop("directory", None) or key_of(node_id).directory_id
    wanted = SnapshotPartition(
        partition=fields.pop("partition", 0),
        current_leader_epoch=epoch,
        snapshot_id=snapshot_id,
        position=position,
        replica_directory_id=directory,
    )
    topic = SnapshotTopic(name=fields.pop("topic", METADATA_TOPIC), partitions=(wanted,))
    return FetchSnapshotRequest(
        replica_id=node_id,
        max_bytes=max_bytes,
        topics=(topic,),
        **({"cluster_id": CLUSTER_ID} | fields),
    )


def describe(*named):
    """`named`: (topic, partition); the metadata's, if nothing is said."""
    return DescribeQuorumRequest(
        topics=tuple(
            DescribeQuorumTopic(
                topic_name=topic, partitions=(DescribeQuorumPartition(partition_index=index),)
            )
            for topic, index in named or [(METADATA_TOPIC, 0)]
        )
    )


def add_voter(node_id, **fields):
    usual = {
        "cluster_id": CLUSTER_ID,
        "voter_directory_id": key_of(node_id).directory_id,
        "listeners": _listening(node_id),
    }
    return AddRaftVoterRequest(voter_id=node_id, **(usual | fields))


def remove_voter(node_id, **fields):
    usual = {"cluster_id": CLUSTER_ID, "voter_directory_id": key_of(node_id).directory_id}
    return RemoveRaftVoterRequest(voter_id=node_id, **(usual | fields))


def update_voter(node_id, epoch, *, port=7777, versions=(0, 1), **fields):
    usual = {
        "cluster_id": CLUSTER_ID,
        "voter_directory_id": key_of(node_id).directory_id,
        "listeners": (QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=port),),
        "k_raft_version_feature": KRaftVersionFeature(
            min_supported_version=versions[0], max_supported_version=versions[1]
        ),
    }
    return UpdateRaftVoterRequest(voter_id=node_id, current_leader_epoch=epoch, **(usual | fields))


def _listening(node_id):
    at = endpoint_of(node_id)
    return (QuorumEndpoint(name=at.name, host=at.host, port=at.port),)
