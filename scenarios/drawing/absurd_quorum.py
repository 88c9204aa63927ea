"""Absurd requests of the quorum: votes, announcements and fetches of nodes that are no voters."""

from collections.abc import Callable, Mapping

from kraftsim.controller.core import rpc
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID

from .absurd import INT32_MAX, ODD_NAMES, STRANGERS, Absurd

CONTROLLER_LISTENER = "CONTROLLER"
# The parts of a fetch that get an absurd value; most of what a leader looks at is in the first.
FETCH_PARTS = (
    rpc.FetchPartition,
    rpc.FetchPartition,
    rpc.FetchPartition,
    rpc.FetchTopic,
    rpc.FetchRequest,
)


def _endpoints(absurd: Absurd) -> tuple[rpc.QuorumEndpoint, ...]:
    return absurd.many(
        lambda: rpc.QuorumEndpoint(
            name=absurd.one_of((CONTROLLER_LISTENER, *ODD_NAMES)),
            host=absurd.one_of(("", "127.0.0.1", "nowhere.invalid")),
            port=absurd.one_of((0, 1, 9093, 65535)),
        )
    )


def _vote(absurd: Absurd) -> rpc.VoteRequest:
    def partition() -> rpc.VotePartition:
        return rpc.VotePartition(
            partition_index=absurd.one_of((0, 0, 0, absurd.int32())),
            replica_epoch=absurd.epoch(),
            replica_id=absurd.stranger(),
            replica_directory_id=absurd.uuid(),
            voter_directory_id=absurd.uuid(),
            last_offset_epoch=absurd.epoch(),
            last_offset=absurd.int64(),
            pre_vote=absurd.flag(),
        )

    def topic() -> rpc.VoteTopic:
        return rpc.VoteTopic(topic_name=absurd.metadata_topic(), partitions=absurd.sole(partition))

    return rpc.VoteRequest(
        cluster_id=absurd.cluster_id(), voter_id=absurd.node(), topics=absurd.sole(topic)
    )


def _begin(absurd: Absurd) -> rpc.BeginQuorumEpochRequest:
    def partition() -> rpc.BeginQuorumEpochPartition:
        return rpc.BeginQuorumEpochPartition(
            voter_directory_id=absurd.uuid(),
            leader_id=absurd.stranger(),
            leader_epoch=absurd.epoch(),
        )

    def topic() -> rpc.BeginQuorumEpochTopic:
        name = absurd.metadata_topic()
        return rpc.BeginQuorumEpochTopic(topic_name=name, partitions=absurd.sole(partition))

    return rpc.BeginQuorumEpochRequest(
        cluster_id=absurd.cluster_id(),
        voter_id=absurd.node(),
        topics=absurd.sole(topic),
    )


def _end(absurd: Absurd) -> rpc.EndQuorumEpochRequest:
    def candidate() -> rpc.PreferredCandidate:
        return rpc.PreferredCandidate(
            candidate_id=absurd.node(), candidate_directory_id=absurd.uuid()
        )

    def partition() -> rpc.EndQuorumEpochPartition:
        return rpc.EndQuorumEpochPartition(
            leader_id=absurd.stranger(),
            leader_epoch=absurd.epoch(),
            preferred_successors=absurd.many(absurd.node),
            preferred_candidates=absurd.many(candidate),
        )

    def topic() -> rpc.EndQuorumEpochTopic:
        name = absurd.metadata_topic()
        return rpc.EndQuorumEpochTopic(topic_name=name, partitions=absurd.sole(partition))

    return rpc.EndQuorumEpochRequest(
        cluster_id=absurd.cluster_id(),
        topics=absurd.sole(topic),
    )


def _fetch(absurd: Absurd) -> rpc.FetchRequest:
    return _fetch_of_an_observer(absurd) if absurd.flag() else _absurd_fetch(absurd)


def _fetch_of_an_observer(absurd: Absurd) -> rpc.FetchRequest:
    """Returns a fetch at the end of the active log, with one absurd value somewhere."""
    known, part = absurd.known, absurd.one_of(FETCH_PARTS)
    partition = rpc.FetchPartition(
        partition=0,
        current_leader_epoch=known.epoch,
        fetch_offset=known.log_end,
        last_fetched_epoch=known.epoch,
        partition_max_bytes=INT32_MAX,
    )
    if part is rpc.FetchPartition:
        partition = absurd.spoiled(partition, _absurd_position(absurd))
    topic = rpc.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,))
    if part is rpc.FetchTopic:
        topic = absurd.spoiled(topic, _absurd_topic(absurd))
    sender = rpc.FetchReplicaState(replica_id=absurd.one_of(STRANGERS))
    request = rpc.FetchRequest(
        cluster_id=known.cluster_id, replica_state=sender, max_wait_ms=0, topics=(topic,)
    )
    if part is rpc.FetchRequest:
        request = absurd.spoiled(request, _absurd_fetch(absurd))
    return request


def _absurd_position(absurd: Absurd) -> rpc.FetchPartition:
    return rpc.FetchPartition(
        partition=absurd.one_of((0, absurd.int32())),
        current_leader_epoch=absurd.epoch(),
        fetch_offset=absurd.int64(),
        last_fetched_epoch=absurd.epoch(),
        log_start_offset=absurd.int64(),
        partition_max_bytes=absurd.int32(),
        replica_directory_id=absurd.uuid(),
        high_watermark=absurd.int64(),
    )


def _absurd_topic(absurd: Absurd) -> rpc.FetchTopic:
    return rpc.FetchTopic(
        topic=absurd.metadata_topic(),
        topic_id=absurd.uuid(),
        partitions=absurd.sole(lambda: _absurd_position(absurd)),
    )


def _absurd_fetch(absurd: Absurd) -> rpc.FetchRequest:
    return rpc.FetchRequest(
        cluster_id=absurd.cluster_id(),
        replica_id=absurd.stranger(),
        replica_state=rpc.FetchReplicaState(
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


def _fetch_snapshot(absurd: Absurd) -> rpc.FetchSnapshotRequest:
    def partition() -> rpc.SnapshotPartition:
        return rpc.SnapshotPartition(
            partition=absurd.one_of((0, 0, 0, absurd.int32())),
            current_leader_epoch=absurd.epoch(),
            snapshot_id=rpc.SnapshotId(end_offset=absurd.int64(), epoch=absurd.epoch()),
            position=absurd.int64(),
            replica_directory_id=absurd.uuid(),
        )

    def topic() -> rpc.SnapshotTopic:
        return rpc.SnapshotTopic(name=absurd.metadata_topic(), partitions=absurd.sole(partition))

    return rpc.FetchSnapshotRequest(
        cluster_id=absurd.cluster_id(),
        replica_id=absurd.stranger(),
        max_bytes=absurd.int32(),
        topics=absurd.sole(topic),
    )


def _describe(absurd: Absurd) -> rpc.DescribeQuorumRequest:
    def partition() -> rpc.DescribeQuorumPartition:
        return rpc.DescribeQuorumPartition(partition_index=absurd.int32())

    def topic() -> rpc.DescribeQuorumTopic:
        name = absurd.metadata_topic()
        return rpc.DescribeQuorumTopic(topic_name=name, partitions=absurd.sole(partition))

    return rpc.DescribeQuorumRequest(topics=absurd.sole(topic))


def _add(absurd: Absurd) -> rpc.AddRaftVoterRequest:
    return rpc.AddRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        timeout_ms=absurd.int32(),
        voter_id=absurd.node(),
        voter_directory_id=absurd.unknown_uuid(),
        listeners=_endpoints(absurd),
        ack_when_committed=absurd.flag(),
    )


def _remove(absurd: Absurd) -> rpc.RemoveRaftVoterRequest:
    return rpc.RemoveRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        voter_id=absurd.node(),
        voter_directory_id=absurd.unknown_uuid(),
    )


def _update(absurd: Absurd) -> rpc.UpdateRaftVoterRequest:
    return rpc.UpdateRaftVoterRequest(
        cluster_id=absurd.cluster_id(),
        current_leader_epoch=absurd.epoch(),
        voter_id=absurd.stranger(),
        voter_directory_id=absurd.unknown_uuid(),
        listeners=_endpoints(absurd),
    )


OF_THE_QUORUM: Mapping[type[rpc.Request], Callable[[Absurd], rpc.Request]] = {
    rpc.VoteRequest: _vote,
    rpc.BeginQuorumEpochRequest: _begin,
    rpc.EndQuorumEpochRequest: _end,
    rpc.FetchRequest: _fetch,
    rpc.FetchSnapshotRequest: _fetch_snapshot,
    rpc.DescribeQuorumRequest: _describe,
    rpc.AddRaftVoterRequest: _add,
    rpc.RemoveRaftVoterRequest: _remove,
    rpc.UpdateRaftVoterRequest: _update,
}
