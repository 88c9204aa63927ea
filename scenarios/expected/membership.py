"""What a replica must reply to requests that change the voters (rules 10.50 to 10.53, KIP-853)."""

from typing import Any

from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    RemoveRaftVoterRequest,
    UpdateRaftVoterRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader

from .quorum import (
    FENCED_LEADER_EPOCH,
    INCONSISTENT_CLUSTER_ID,
    INVALID_REQUEST,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_LEADER_EPOCH,
    Outcome,
)

REQUEST_TIMED_OUT, UNSUPPORTED_VERSION = 7, 35
DUPLICATE_VOTER, VOTER_NOT_FOUND = 126, 127


def add(quorum: Quorum, request: AddRaftVoterRequest) -> Outcome | None:
    """Returns the error of a refusal; None if the change begins: its reply comes with the end."""
    error = _refusal(quorum, request)
    if not error and request.voter_id in quorum.voters.ids:
        error = DUPLICATE_VOTER
    return (error,) if error else None


def remove(quorum: Quorum, request: RemoveRaftVoterRequest) -> Outcome | None:
    """Returns the error of a refusal; None if the change begins: its reply comes with the end."""
    error = _refusal(quorum, request)
    voters = quorum.voters.voters
    if not error and (len(voters) == 1 or not _is_voter(quorum, request)):
        error = VOTER_NOT_FOUND
    return (error,) if error else None


def update(quorum: Quorum, request: UpdateRaftVoterRequest) -> Outcome:
    """Returns the error, the leader and its epoch."""
    return _update_error(quorum, request), quorum.leader_id, quorum.epoch


def told(reply: Any) -> Outcome:
    """Returns the error of the reply to a change."""
    return (int(reply.error_code),)


def told_of_update(reply: Any) -> Outcome:
    """Returns the error, the leader and its epoch of an UpdateRaftVoter response."""
    leader = reply.current_leader
    return int(reply.error_code), leader.leader_id, leader.leader_epoch


def _is_other_cluster(quorum: Quorum, request: Any) -> bool:
    return request.cluster_id not in (None, quorum.identity.cluster_id)


def _refusal(quorum: Quorum, request: AddRaftVoterRequest | RemoveRaftVoterRequest) -> int:
    """Returns the error of the first failed check that both requests have, or 0."""
    if _is_other_cluster(quorum, request):
        return INCONSISTENT_CLUSTER_ID
    if not isinstance(quorum.role, Leader):
        return NOT_LEADER_OR_FOLLOWER
    if request.voter_id < 0 or request.voter_directory_id == ZERO_UUID:
        return INVALID_REQUEST
    if isinstance(request, AddRaftVoterRequest) and not _can_be_reached(quorum, request):
        return INVALID_REQUEST
    return _busy(quorum, quorum.role)


def _busy(quorum: Quorum, leader: Leader) -> int:
    """Returns the error of a leader that can change no voters now, or 0."""
    is_established = quorum.high_watermark > leader.epoch_start
    if leader.change is not None or not is_established:
        return REQUEST_TIMED_OUT
    if quorum.history.kraft_version == 0:
        return UNSUPPORTED_VERSION
    return REQUEST_TIMED_OUT if quorum.history.latest_offset >= quorum.high_watermark else 0


def _update_error(quorum: Quorum, request: UpdateRaftVoterRequest) -> int:
    if _is_other_cluster(quorum, request):
        return INCONSISTENT_CLUSTER_ID
    if request.current_leader_epoch != quorum.epoch:
        is_late = request.current_leader_epoch < quorum.epoch
        return FENCED_LEADER_EPOCH if is_late else UNKNOWN_LEADER_EPOCH
    if not isinstance(quorum.role, Leader):
        return NOT_LEADER_OR_FOLLOWER
    least = request.k_raft_version_feature.min_supported_version
    most = request.k_raft_version_feature.max_supported_version
    has_key = request.voter_id >= 0 and request.voter_directory_id != ZERO_UUID
    if not (has_key and _can_be_reached(quorum, request) and 0 <= least <= most):
        return INVALID_REQUEST
    busy = _busy(quorum, quorum.role)
    if busy and not (busy == UNSUPPORTED_VERSION and quorum.identity.updates_static_voters):
        return busy
    if not least <= quorum.history.kraft_version <= most:
        return INVALID_REQUEST
    return 0 if _is_voter(quorum, request) else VOTER_NOT_FOUND


def _can_be_reached(quorum: Quorum, request: Any) -> bool:
    """Returns True if the request names the listener at which controllers are asked."""
    names = {listener.name.upper() for listener in request.listeners}
    return quorum.identity.endpoint.name in names


def _is_voter(quorum: Quorum, request: Any) -> bool:
    """Returns True if a voter has this id and directory; at kraft.version 0 none is known."""
    return any(
        voter.voter_id == request.voter_id
        and voter.voter_directory_id in (ZERO_UUID, request.voter_directory_id)
        for voter in quorum.voters.voters
    )
