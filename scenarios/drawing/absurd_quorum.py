"""Absurd requests of the quorum: votes, announcements and fetches of nodes that are no voters."""

from collections.abc import Callable, Mapping

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
    PreferredCandidate,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
    Request,
    SnapshotId,
    SnapshotPartition,
    SnapshotTopic,
    UpdateRaftVoterRequest,
    VotePartition,
    VoteRequest,
    VoteTopic,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID

from .absurd import INT32_MAX, ODD_NAMES, STRANGERS, Absurd

CONTROLLER_LISTENER = "CONTROLLER"
# The parts of a fetch that get an absurd value; most of what a leader looks at is in the first.
FETCH_PARTS = (FetchPartition, FetchPartition, FetchPartition, FetchTopic, FetchRequest)


def _endpoints(absurd: Absurd) -> tuple[QuorumEndpoint, ...]:
    return absurd.many(
        lambda: QuorumEndpoint(
            name=absurd.one_of((CONTROLLER_LISTENER, *ODD_NAMES)),
            host=absurd.one_of(("", "127.0.0.1", "nowhere.invalid")),
            port=absurd.one_of((0, 1, 9093, 65535)),
        )
    )


def _vote(absurd: Absurd) -> VoteRequest:
    def partition() -> VotePartition:
        return VotePartition(
            partition_index=absurd.one_of((0, 0, 0, absurd.int32())),
            replica_epoch=absurd.epoch(),
            replica_id=absurd.stranger(),
            replica_directory_id=absurd.uuid(),
            voter_directory_id=absurd.uuid(),
            last_offset_epoch=absurd.epoch(),
            last_offset=absurd.int64(),
            pre_vote=absurd.flag(),
        )

    def topic() -> VoteTopic:
        return VoteTopic(topic_name=absurd.metadata_topic(), partitions=absurd.sole(partition))

    return VoteRequest(
        cluster_id=absurd.cluster_id(), voter_id=absurd.node(), topics=absurd.sole(topic)
    )


def _begin(absurd: Absurd) -> BeginQuorumEpochRequest:
    def partition() -> BeginQuorumEpochPartition:
        return BeginQuorumEpochPartition(
            voter_directory_id=absurd.uuid(),
            leader_id=absurd.stranger(),
            leader_epoch=absurd.epoch(),
        )

    def topic() -> BeginQuorumEpochTopic:
        name = absurd.metadata_topic()
        return BeginQuorumEpochTopic(topic_name=name, partitions=absurd.sole(partition))

    return BeginQuorumEpochRequest(
        cluster_id=absurd.cluster_id(),
        voter_id=absurd.node(),
        topics=absurd.sole(topic),
    )


def _end(absurd: Absurd) -> EndQuorumEpochRequest:
    def candidate() -> PreferredCandidate:
        return PreferredCandidate(candidate_id=absurd.node(), candidate_directory_id=absurd.uuid())

    def partition() -> EndQuorumEpochPartition:
        return EndQuorumEpochPartition(
            leader_id=absurd.stranger(),
            leader_epoch=absurd.epoch(),
            preferred_successors=absurd.many(absurd.node),
            preferred_candidates=absurd.many(candidate),
        )

    def topic() -> EndQuorumEpochTopic:
        name = absurd.metadata_topic()
        return EndQuorumEpochTopic(topic_name=name, partitions=absurd.sole(partition))

    return EndQuorumEpochRequest(
        cluster_id=absurd.cluster_id(),
        topics=absurd.sole(topic),
    )


def _fetch(absurd: Absurd) -> FetchRequest:
    return _fetch_of_an_observer(absurd) if absurd.flag() else _absurd_fetch(absurd)


def _fetch_of_an_observer(absurd: Absurd) -> FetchRequest:
    """Returns a fetch at the end of the active log, with one absurd value somewhere."""
    known, part = absurd.known, absurd.one_of(FETCH_PARTS)
    partition = FetchPartition(
        partition=0,
        current_leader_epoch=known.epoch,
        fetch_offset=known.log_end,
        last_fetched_epoch=known.epoch,
        partition_max_bytes=INT32_MAX,
    )
    if part is FetchPartition:
        partition = absurd.spoiled(partition, _absurd_position(absurd))
    topic = FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,))
    if part is FetchTopic:
        topic = absurd.spoiled(topic, _absurd_topic(absurd))
    sender = FetchReplicaState(replica_id=absurd.one_of(STRANGERS))
    request = FetchRequest(
        cluster_id=known.cluster_id, replica_state=sender, max_wait_ms=0, topics=(topic,)
    )
    if part is FetchRequest:
        request = absurd.spoiled(request, _absurd_fetch(absurd))
    return request


def _absurd_position(absurd: Absurd) -> FetchPartition:
    return FetchPartition(
        partition=absurd.one_of((0, absurd.int32())),
        current_leader_epoch=absurd.epoch(),
        fetch_offset=absurd.int64(),
        last_fetched_epoch=absurd.epoch(),
        log_start_offset=absurd.int64(),
        partition_max_bytes=absurd.int32(),
        replica_directory_id=absurd.uuid(),
        high_watermark=absurd.int64(),
    )


def _absurd_topic(absurd: Absurd) -> FetchTopic:
    return FetchTopic(
        topic=absurd.metadata_topic(),
        topic_id=absurd.uuid(),
        partitions=absurd.sole(lambda: _absurd_position(absurd)),
    )


def _absurd_fetch(absurd: Absurd) -> FetchRequest:
    return FetchRequest(
        cluster_id=absurd.cluster_id(),
        replica_id=absurd.stranger(),
        replica_state=FetchReplicaState(
            replica_id=absurd.stranger(), replica_epoch=absurd.broker_epoch()
        ),
        max_wait_ms=absurd.one_of((-1, 0, 500)),
        min_bytes=absurd.int32(),
        max_bytes=absurd.int32(),
        isolation_level=absurd.int8(),
        session_id=absurd.int32(),
        session_epoch=absurd.int32(),
        topics=absurd.sole(lambda: _absurd_topic(absurd)),
    )


def _fetch_snapshot(absurd: Absurd) -> FetchSnapshotRequest:
    def partition() -> SnapshotPartition:
        return SnapshotPartition(
            partition=absurd.one_of((0, 0, 0, absurd.int32())),
            current_leader_epoch=absurd.epoch(),
            snapshot_id=SnapshotId(end_offset=absurd.int64(), epoch=absurd.epoch()),
            position=absurd.int64(),
            replica_directory_id=absurd.uuid(),
        )

    def topic() -> SnapshotTopic:
        return SnapshotTopic(name=absurd.metadata_topic(), partitions=absurd.sole(partition))

    return FetchSnapshotRequest(
        cluster_id=absurd.cluster_id(),
        replica_id=absurd.stranger(),
        max_bytes=absurd.int32(),
        topics=absurd.sole(topic),
    )


def _describe(absurd: Absurd) -> DescribeQuorumRequest:
    def partition() -> DescribeQuorumPartition:
        return DescribeQuorumPartition(partition_index=absurd.int32())

    def topic() -> DescribeQuorumTopic:
        name = absurd.metadata_topic()
        return DescribeQuorumTopic(topic_name=name, partitions=absurd.sole(partition))

    return DescribeQuorumRequest(topics=absurd.sole(topic))


def _add(absurd: Absurd) -> AddRaftVoterRequest:
    return AddRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        timeout_ms=absurd.int32(),
        voter_id=absurd.node(),
        voter_directory_id=absurd.unknown_uuid(),
        listeners=_endpoints(absurd),
        ack_when_committed=absurd.flag(),
    )


def _remove(absurd: Absurd) -> RemoveRaftVoterRequest:
    return RemoveRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        voter_id=absurd.node(),
        voter_directory_id=absurd.unknown_uuid(),
    )


def _update(absurd: Absurd) -> UpdateRaftVoterRequest:
    return UpdateRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        current_leader_epoch=absurd.epoch(),
        voter_id=absurd.stranger(),
        voter_directory_id=absurd.unknown_uuid(),
        listeners=_endpoints(absurd),
    )


OF_THE_QUORUM: Mapping[type[Request], Callable[[Absurd], Request]] = {
    VoteRequest: _vote,
    BeginQuorumEpochRequest: _begin,
    EndQuorumEpochRequest: _end,
    FetchRequest: _fetch,
    FetchSnapshotRequest: _fetch_snapshot,
    DescribeQuorumRequest: _describe,
    AddRaftVoterRequest: _add,
    RemoveRaftVoterRequest: _remove,
    UpdateRaftVoterRequest: _update,
}
