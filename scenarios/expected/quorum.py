"""What a replica must reply to the requests of the quorum (section 10 of the rules).

Each function reads a replica's state before a request reaches it, and returns the outcome that its
reply must tell; None if the rules leave it open, as for an epoch that is so much higher that the
replica may learn it only in part (`epochs.RISE_MAX`).
"""

from dataclasses import dataclass
from typing import Any

from kraftsim.controller.core import rpc
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Follower, Leader, Prospective, Unattached

METADATA_TOPIC = "__cluster_metadata"
UNKNOWN_SERVER_ERROR, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER = -1, 3, 6
UNSUPPORTED_VERSION, INVALID_REQUEST = 35, 42
FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH = 74, 75
POSITION_OUT_OF_RANGE, INCONSISTENT_CLUSTER_ID, INVALID_VOTER_KEY = 99, 104, 125
SLICE_BYTES_MAX = 8 * 1024 * 1024

Outcome = tuple[object, ...]
"""The fields of a reply that the rules decide; the first is the error of the whole."""
Place = tuple[int, int]
"""An epoch and an end offset."""
NOWHERE: Place = (-1, -1)


def sole(topics: Any) -> Any:
    """Returns the only partition of the only topic; None if there are none or several."""
    if len(topics) != 1:
        return None
    partitions = topics[0].partitions
    return partitions[0] if len(partitions) == 1 else None


def _whole_error(quorum: Quorum, request: Any) -> int:
    """Returns the error of a Vote, Begin- or EndQuorumEpoch as a whole (rules 10.13, 10.23)."""
    if request.cluster_id not in (None, quorum.identity.cluster_id):
        return INCONSISTENT_CLUSTER_ID
    partition = sole(request.topics)
    if partition is None or partition.partition_index != 0:
        return INVALID_REQUEST
    return 0 if request.topics[0].topic_name == METADATA_TOPIC else INVALID_REQUEST


def _is_meant(quorum: Quorum, voter_id: int, directory_id: bytes) -> bool:
    me = quorum.me
    is_me = voter_id == me.node_id and directory_id in (ZERO_UUID, me.directory_id)
    return voter_id == -1 or is_me


# Vote (rules 10.12 to 10.16, KIP-996)


def vote(quorum: Quorum, request: rpc.VoteRequest) -> Outcome | None:
    """Returns the errors, the leader, its epoch, and whether the vote is granted."""
    asks_first = any(of.pre_vote for topic in request.topics for of in topic.partitions)
    if asks_first and not quorum.identity.has_pre_votes:
        return (UNSUPPORTED_VERSION,)
    whole = _whole_error(quorum, request)
    if whole:
        return (whole,)
    asked = sole(request.topics)
    epoch, own = asked.replica_epoch, quorum.epoch
    if own < epoch > quorum.epoch_reach or quorum.peers_without_epoch is not None:
        return None
    highest = epoch if asked.pre_vote else epoch - 1
    if asked.last_offset < 0 or asked.last_offset_epoch < 0 or asked.last_offset_epoch > highest:
        return 0, INVALID_REQUEST, quorum.leader_id, own, False
    if epoch < own:
        return 0, FENCED_LEADER_EPOCH, quorum.leader_id, own, False
    if asked.replica_id < 0:
        return 0, INVALID_REQUEST, quorum.leader_id, own, False
    leader_id = quorum.leader_id if epoch == own else -1
    if not _is_meant(quorum, request.voter_id, asked.voter_directory_id):
        return 0, INVALID_VOTER_KEY, leader_id, epoch, False
    grants = _grants(quorum, asked)
    return 0, 0, -1 if grants and not asked.pre_vote else leader_id, epoch, grants


def _grants(quorum: Quorum, asked: Any) -> bool:
    log, role = quorum.log, quorum.role
    own_end = (log.last_epoch, log.end_offset)
    is_up_to_date = (asked.last_offset_epoch, asked.last_offset) >= own_end
    if asked.replica_epoch > quorum.epoch:
        return is_up_to_date  # it is unattached in the new epoch, and has not voted
    if isinstance(role, Leader):
        return False
    if asked.pre_vote:
        return is_up_to_date and not (isinstance(role, Follower) and role.has_fetched)
    if not isinstance(role, Unattached | Prospective):
        return False
    voted = quorum.voted
    if voted is not None:
        is_same = voted.node_id == asked.replica_id
        return is_same and voted.directory_id in (ZERO_UUID, asked.replica_directory_id)
    return quorum.leader_id == -1 and is_up_to_date


# BeginQuorumEpoch and EndQuorumEpoch (rules 10.9 to 10.11, 10.23, 10.40)


def begin(quorum: Quorum, request: rpc.BeginQuorumEpochRequest) -> Outcome | None:
    """Returns the errors, the leader and its epoch."""
    outcome = _announced(quorum, request)
    if outcome is None or outcome[:2] != (0, 0):
        return outcome
    asked = sole(request.topics)
    is_meant = _is_meant(quorum, request.voter_id, asked.voter_directory_id)
    return outcome if is_meant else (0, INVALID_VOTER_KEY, *outcome[2:])


def end(quorum: Quorum, request: rpc.EndQuorumEpochRequest) -> Outcome | None:
    """Returns the errors, the leader and its epoch."""
    return _announced(quorum, request)


def _announced(
    quorum: Quorum, request: rpc.BeginQuorumEpochRequest | rpc.EndQuorumEpochRequest
) -> Outcome | None:
    whole = _whole_error(quorum, request)
    if whole:
        return (whole,)
    asked = sole(request.topics)
    epoch, own, leader_id = asked.leader_epoch, quorum.epoch, quorum.leader_id
    if own < epoch > quorum.epoch_reach:
        return None
    if epoch < own:
        return 0, FENCED_LEADER_EPOCH, leader_id, own
    if asked.leader_id < 0:
        return 0, INVALID_REQUEST, leader_id, own
    voter = quorum.voters.find(asked.leader_id)
    has_address = bool(request.leader_endpoints) or bool(voter is not None and voter.endpoints)
    is_another = asked.leader_id != quorum.me.node_id
    follows = has_address and is_another and (epoch > own or leader_id == -1)
    if follows:
        return 0, 0, asked.leader_id, epoch
    return 0, 0, leader_id if epoch == own else -1, epoch


# Fetch (rules 10.33 to 10.35)


@dataclass(slots=True)
class Fetched:
    """What a valid fetch gets: whole batches from its offset on, as the log had them at least."""

    offset: int
    end_offset: int
    high_watermark: int


def fetch(quorum: Quorum, request: rpc.FetchRequest) -> Outcome | Fetched:
    """Returns the errors, the leader, its epoch, and what the replica must do with its log."""
    cluster_id, topics = request.cluster_id, request.topics
    if cluster_id is not None and cluster_id != quorum.identity.cluster_id:
        return (INCONSISTENT_CLUSTER_ID,)
    asked = sole(topics)
    if asked is None or asked.partition != 0 or topics[0].topic_id != METADATA_TOPIC_ID:
        return (INVALID_REQUEST,)
    epoch, offset, role = quorum.epoch, asked.fetch_offset, quorum.role
    is_usual = (  # as nearly all are
        asked.last_fetched_epoch == asked.current_leader_epoch == epoch
        and isinstance(role, Leader)
        and offset >= 0
        and request.max_wait_ms >= 0
    )
    error = 0 if is_usual else _fetch_error(quorum, request, asked)
    if error:
        return 0, error, quorum.leader_id, epoch, -1, NOWHERE, NOWHERE
    log, watermark = quorum.log, _known_high_watermark(quorum)
    end_offset = log.end_offset
    is_prefix = asked.last_fetched_epoch == log.last_epoch and offset <= end_offset
    if not is_prefix or quorum.snapshot is not None:
        instead = _instead_of_records(quorum, asked)
        if instead is not None:
            return 0, 0, quorum.leader_id, epoch, watermark, *instead
    return Fetched(offset, end_offset, watermark)


def _fetch_error(quorum: Quorum, request: rpc.FetchRequest, asked: Any) -> int:
    epoch = asked.current_leader_epoch
    if not 0 <= asked.last_fetched_epoch <= epoch or asked.fetch_offset < 0:
        return INVALID_REQUEST
    return INVALID_REQUEST if request.max_wait_ms < 0 else _epoch_error(quorum, epoch)


def _instead_of_records(quorum: Quorum, asked: Any) -> tuple[Place, Place] | None:
    """Returns where the logs diverge and the snapshot to fetch; None if the fetch gets records."""
    snapshot = None if quorum.snapshot is None else _snapshot_instead(quorum, asked)
    if snapshot is not None:
        return NOWHERE, snapshot
    diverging = _diverging(quorum, asked)
    return None if diverging is None else (diverging, NOWHERE)


def _epoch_error(quorum: Quorum, epoch: int) -> int:
    if epoch < quorum.epoch:
        return FENCED_LEADER_EPOCH
    if epoch > quorum.epoch:
        return UNKNOWN_LEADER_EPOCH
    return 0 if isinstance(quorum.role, Leader) else NOT_LEADER_OR_FOLLOWER


def _known_high_watermark(quorum: Quorum) -> int:
    """Returns the high watermark, unknown until an entry of this epoch is committed (10.19)."""
    role, known = quorum.role, quorum.high_watermark
    return known if isinstance(role, Leader) and known > role.epoch_start else -1


def _snapshot_instead(quorum: Quorum, asked: Any) -> Place | None:
    log, latest = quorum.log, quorum.snapshot_id
    if latest is None:
        return None
    offset, epoch = asked.fetch_offset, asked.last_fetched_epoch
    is_before = offset == 0 or offset < log.start_offset or epoch < log.start_epoch
    is_other = offset == log.start_offset > 0 and epoch != log.start_epoch
    return (latest.epoch, latest.end_offset) if is_before or is_other else None


def _diverging(quorum: Quorum, asked: Any) -> Place | None:
    """Returns the largest epoch of this log up to the fetcher's, and its end (rule 10.34)."""
    log, offset, epoch = quorum.log, asked.fetch_offset, asked.last_fetched_epoch
    if offset == 0 or (epoch == log.last_epoch and offset <= log.end_offset):
        return None
    batches = [batch for batch in log.batches if batch.epoch <= epoch]
    later = next((batch for batch in log.batches if batch.epoch > epoch), None)
    known = batches[-1].epoch if batches else log.start_epoch
    end_offset = log.end_offset if later is None else later.base_offset
    if known == epoch and offset <= end_offset:
        return None
    return known, end_offset


# FetchSnapshot (rule 10.44)


def fetch_snapshot(quorum: Quorum, request: rpc.FetchSnapshotRequest) -> Outcome:
    """Returns the errors, the leader, its epoch, and the slice with its place in the whole."""
    if request.cluster_id not in (None, quorum.identity.cluster_id):
        return (INCONSISTENT_CLUSTER_ID,)
    asked = sole(request.topics)
    if asked is None:
        return (INVALID_REQUEST,)
    leader = (quorum.leader_id, quorum.epoch)
    if request.topics[0].name != METADATA_TOPIC or asked.partition != 0:
        return 0, UNKNOWN_TOPIC_OR_PARTITION, *leader
    error = _epoch_error(quorum, asked.current_leader_epoch)
    if error:
        return 0, error, *leader
    snapshot = quorum.snapshot
    if snapshot is None or snapshot.snapshot_id != asked.snapshot_id:
        return (UNKNOWN_SERVER_ERROR,)  # which a released controller sends for 98
    size = len(snapshot.data)
    if asked.position not in range(size):
        return 0, POSITION_OUT_OF_RANGE, *leader
    wanted = min(max(0, request.max_bytes), SLICE_BYTES_MAX)
    part = bytes(snapshot.data[asked.position :][:wanted])
    return 0, 0, *leader, size, asked.position, part
