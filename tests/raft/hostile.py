"""Hostile values: a plausible request or answer of which drawn fields are replaced."""

from dataclasses import fields, is_dataclass, replace

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    CurrentVoterLeader,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EpochEndOffset,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    FetchTopicData,
    LeaderIdAndEpoch,
    NodeEndpoint,
    QuorumEpochPartitionResult,
    QuorumEpochTopicResult,
    SnapshotId,
    SnapshotPartitionData,
    SnapshotTopicData,
    SupportedFeatureKey,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
    VoteRequest,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft.messages import METADATA_TOPIC
from tests.raft.replicas import endpoint_of
from tests.raft.requests import (
    add_voter,
    begin,
    describe,
    end,
    fetch_by,
    remove_voter,
    slice_of,
    update_voter,
    vote,
)
from tests.raft.standing import vote_answer

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
OFFSET_MAX = 50  # a log that never ends is news for ever
OFFSETS = {
    "end_offset",
    "fetch_offset",
    "high_watermark",
    "last_offset",
    "last_stable_offset",
    "log_start_offset",
    "position",
    "size",
}
STEPS = (-1, 1, 2, 9_999, 10_000, 10_001, 1_000_000)
NAMED = (-(2**31), -2, -1, 0, 1, 2, 3, 4, 7, 2**31 - 1_000_000, INT32_MAX - 1, INT32_MAX)
NUMBERS = len(STEPS) + len(NAMED) + 2
NEVER_REPLACED = {"records", "versions", "encoded"}  # of a batch: what a log says is no field


# Requests

REQUESTS = (
    lambda sender, quorum: vote(sender, quorum.epoch + 1, **_log_of(quorum)),
    lambda sender, quorum: vote(sender, quorum.epoch, pre_vote=True, **_log_of(quorum)),
    lambda sender, quorum: begin(sender, quorum.epoch + 1),
    lambda sender, quorum: begin(sender, quorum.epoch),
    lambda sender, quorum: end(sender, quorum.epoch, (1, 2, 3)),
    lambda sender, quorum: end(max(quorum.leader_id, 1), quorum.epoch, (quorum.me.node_id, 2)),
    lambda sender, quorum: fetch_by(sender, quorum),
    lambda sender, quorum: slice_of(_snapshot_id(quorum), sender, quorum.epoch),
    lambda sender, quorum: describe(),
    lambda sender, quorum: add_voter(sender),
    lambda sender, quorum: remove_voter(sender),
    lambda sender, quorum: update_voter(sender, quorum.epoch),
)


def _log_of(quorum):
    return {"last_epoch": quorum.log.last_epoch, "offset": quorum.log.end_offset}


def _snapshot_id(quorum):
    return quorum.snapshot_id or SnapshotId(end_offset=1, epoch=1)


# Answers


def answer_to(request, peer_id, quorum, variant):
    """What `peer_id` could say to `request` of `quorum`: the best that the sender can hope for."""
    epoch = quorum.epoch
    match request:
        case VoteRequest(topics=(topic,)):
            asked = topic.partitions[0].replica_epoch
            return vote_answer(asked, granted=variant % 2 == 0)
        case BeginQuorumEpochRequest():
            return BeginQuorumEpochResponse(topics=_epoch_topics(quorum.leader_id, epoch))
        case EndQuorumEpochRequest():
            return EndQuorumEpochResponse(topics=_epoch_topics(-1, epoch))
        case FetchRequest():
            return _fetched(quorum, peer_id, variant)
        case FetchSnapshotRequest(topics=(topic,)):
            return _slice(quorum, peer_id, topic.partitions[0], variant)
        case UpdateRaftVoterRequest():
            at = endpoint_of(peer_id)
            leader = CurrentVoterLeader(
                leader_id=peer_id, leader_epoch=epoch, host=at.host, port=at.port
            )
            return UpdateRaftVoterResponse(current_leader=leader)
        case ApiVersionsRequest():
            key = SupportedFeatureKey(name="kraft.version", min_version=0, max_version=1)
            return ApiVersionsResponse(supported_features=(key,))


def _epoch_topics(leader_id, epoch):
    partition = QuorumEpochPartitionResult(leader_id=leader_id, leader_epoch=epoch)
    return (QuorumEpochTopicResult(topic_name=METADATA_TOPIC, partitions=(partition,)),)


def _fetched(quorum, peer_id, variant):
    log = quorum.log
    batch = Batch(
        base_offset=log.end_offset,
        epoch=max(log.last_epoch, quorum.epoch),
        timestamp_ms=0,
        records=(NoOpRecord(),),
        versions=(0,),
    )
    has_more = log.end_offset < OFFSET_MAX
    brings = (
        {"records": (batch,) if has_more else (), "high_watermark": log.end_offset},
        {"records": (), "high_watermark": quorum.high_watermark},
        {"diverging_epoch": EpochEndOffset(epoch=log.last_epoch, end_offset=log.end_offset)},
        {"snapshot_id": SnapshotId(end_offset=log.end_offset, epoch=log.last_epoch)},
    )[variant % 4 if has_more else 1]
    data = FetchPartitionData(
        partition_index=0,
        current_leader=LeaderIdAndEpoch(leader_id=peer_id, leader_epoch=quorum.epoch),
        **brings,
    )
    topic = FetchTopicData(topic_id=METADATA_TOPIC_ID, partitions=(data,))
    return FetchResponse(responses=(topic,), node_endpoints=_nodes(peer_id))


def _slice(quorum, peer_id, asked, variant):
    snapshot = b"%016d" % (variant % 2 * 10**9)
    data = SnapshotPartitionData(
        snapshot_id=asked.snapshot_id,
        current_leader=LeaderIdAndEpoch(leader_id=peer_id, leader_epoch=quorum.epoch),
        size=len(snapshot),
        position=asked.position,
        unaligned_records=snapshot[asked.position : asked.position + 8],
    )
    topic = SnapshotTopicData(name=METADATA_TOPIC, partitions=(data,))
    return FetchSnapshotResponse(topics=(topic,), node_endpoints=_nodes(peer_id))


def _nodes(peer_id):
    at = endpoint_of(peer_id)
    return (NodeEndpoint(node_id=peer_id, host=at.host, port=at.port),)


# Spoiling


def spoiled(message, places):
    """`message` with the drawn fields replaced; `places`: (which field, which value)."""
    for field_number, value_number in places:
        paths = list(_paths(message))
        if paths:
            message = _replaced(message, paths[field_number % len(paths)], value_number)
    return message


def _paths(value, path=()):
    """Every field within, those of what it consists of included."""
    if is_dataclass(value):
        for field in fields(value):
            is_kept = isinstance(value, Batch) and field.name in NEVER_REPLACED
            if not is_kept:
                yield (*path, field.name)
                yield from _paths(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple):
        for position, member in enumerate(value):
            yield from _paths(member, (*path, position))


def _replaced(value, path, number):
    first, *rest = path
    if isinstance(first, int):
        inner = _replaced(value[first], rest, number)
        return (*value[:first], inner, *value[first + 1 :])
    before = getattr(value, first)
    after = _replaced(before, rest, number) if rest else _another(first, before, number)
    return replace(value, **{first: after})


def _another(name, before, number):
    """Another value of the same type, by its number."""
    if isinstance(before, bool):
        return not before
    if isinstance(before, int):
        greatest = INT64_MAX if name in OFFSETS else INT32_MAX
        steps = tuple(before + step for step in STEPS)
        choices = (*steps, *NAMED, greatest, -greatest - 1)
        return max(-greatest - 1, min(choices[number % NUMBERS], greatest))
    if isinstance(before, tuple):
        return ((), before + before)[number % 2]
    if isinstance(before, bytes):
        return (ZERO_UUID, b"another identity", before[::-1])[number % 3]
    if isinstance(before, str):
        return ("", "another", before * 2)[number % 3]
    return before  # an optional field that is absent
