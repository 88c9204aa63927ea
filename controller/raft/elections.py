"""Vote (52): who may lead, asked first without and then with consequences (rules 10.12 to 10.18,
KIP-996).

Before a candidate raises its epoch it asks whether it would win; so a replica that was cut off
disturbs nobody when it returns.
"""

from dataclasses import replace

from ..core.errors import ErrorCode
from ..core.rpc import VoteRequest, VoteResponse
from ..timeline import NEVER_MS
from . import epochs, leading, messages
from .protocol import Turn
from .quorum import EPOCH_MAX, Quorum
from .roles import Candidate, Follower, Leader, Prospective, Resigned, Unattached, asking_role
from .voters import ReplicaKey


def on_request(quorum: Quorum, request: VoteRequest, turn: Turn) -> VoteResponse:
    error = epochs.top_level_error(quorum, request)
    if error:
        return VoteResponse(error_code=error)
    asked = messages.vote_partition(request)
    error = _refusal(quorum, request, turn)
    candidate = ReplicaKey(asked.replica_id, asked.replica_directory_id)
    granted = not error and _grants(quorum, request, candidate)
    if granted and not asked.pre_vote:
        quorum.become_unattached(quorum.epoch, turn, voted=candidate)
    return messages.vote_response(quorum, error, granted)


def _refusal(quorum: Quorum, request: VoteRequest, turn: Turn) -> ErrorCode:
    """Kafka's checks in Kafka's order; a higher epoch is learned on the way (rule 10.13)."""
    asked = messages.vote_partition(request)
    epoch = asked.replica_epoch
    last_epoch_max = epoch if asked.pre_vote else epoch - 1
    if asked.last_offset < 0 or not 0 <= asked.last_offset_epoch <= last_epoch_max:
        return ErrorCode.INVALID_REQUEST
    if epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if asked.replica_id < 0 or epoch > EPOCH_MAX:
        return ErrorCode.INVALID_REQUEST
    if epoch > quorum.epoch:
        quorum.become_unattached(epoch, turn)
    if not epochs.is_meant(quorum, request.voter_id, asked.voter_directory_id):
        return ErrorCode.INVALID_VOTER_KEY
    return ErrorCode.NONE


def _grants(quorum: Quorum, request: VoteRequest, candidate: ReplicaKey) -> bool:
    """Rule 10.14, and KIP-996: a pre-vote binds nobody, so all grant it but those who are content
    with the leader they have."""
    asked = messages.vote_partition(request)
    theirs = (asked.last_offset_epoch, asked.last_offset)
    up_to_date = theirs >= (quorum.log.last_epoch, quorum.log.end_offset)
    role = quorum.role
    if quorum.heard_of_no_epoch is not None or isinstance(role, Leader):
        return False
    if asked.pre_vote:
        return up_to_date and not (isinstance(role, Follower) and role.has_fetched)
    if not isinstance(role, Unattached | Prospective):
        return False
    if quorum.voted is not None:
        return quorum.voted in (candidate, ReplicaKey(candidate.node_id))
    return quorum.leader_id == -1 and up_to_date


def on_response(
    quorum: Quorum, peer_id: int, request: VoteRequest, response: VoteResponse, turn: Turn
) -> bool:
    """Count it; False for an answer that is none, to be asked again."""
    answer = messages.vote_answer(response)
    if answer is None:
        return False
    asked = messages.vote_partition(request)
    epochs.learn(quorum, answer.leader_epoch, answer.leader_id, response.node_endpoints, turn)
    role = quorum.role
    expected = Prospective if asked.pre_vote else Candidate
    if not isinstance(role, Prospective | Candidate) or not isinstance(role, expected):
        return True
    if asked.replica_epoch != quorum.epoch or peer_id not in quorum.voters.ids:
        return True
    if answer.error_code:
        return False
    if answer.vote_granted:
        quorum.role = replace(role, granted=role.granted | {peer_id})
    else:
        quorum.role = replace(role, refused=role.refused | {peer_id})
    count(quorum, turn)
    return True


def count(quorum: Quorum, turn: Turn) -> None:
    """Has this replica won what it asked for, or can it not win any more?"""
    role, voters = asking_role(quorum.role), quorum.voters
    granted = len(role.granted.intersection(voters.ids))
    if granted >= voters.majority:
        if isinstance(role, Prospective):
            quorum.become_candidate(turn)
            count(quorum, turn)
        else:
            leading.begin(quorum, role, turn)
    elif len(voters.voters) - len(role.refused) < voters.majority and isinstance(role, Prospective):
        quorum.role = replace(role, election_ms=NEVER_MS)  # the next try draws its own time
        give_up(quorum, turn)


def give_up(quorum: Quorum, turn: Turn) -> None:
    """Back to the leader that is known, or to whatever is left of the election's time."""
    if quorum.leader_id >= 0 and quorum.leader_endpoint is not None:
        quorum.become_follower(quorum.epoch, quorum.leader_id, quorum.leader_endpoint, turn)
    else:
        quorum.become_unattached(quorum.epoch, turn)


def on_patience_lost(quorum: Quorum, turn: Turn) -> None:
    """The time for an election, or for a leader to answer, is over (10.17, 10.36, 10.39)."""
    role = quorum.role
    if isinstance(role, Resigned):
        quorum.become_unattached(quorum.epoch + 1, turn)
    elif isinstance(role, Prospective):
        give_up(quorum, turn)
    elif isinstance(role, Follower) and not quorum.is_voter:
        quorum.become_unattached(quorum.epoch, turn)  # an observer asks whom it can find
    else:
        stand(quorum, turn)


def stand(quorum: Quorum, turn: Turn) -> None:
    quorum.become_prospective(turn)
    count(quorum, turn)


def ask(quorum: Quorum, turn: Turn) -> None:
    """Ask every voter that has not answered (rule 10.16)."""
    role = asking_role(quorum.role)
    for voter in quorum.others:
        peer_id = voter.voter_id
        if peer_id in role.granted or peer_id in role.refused:
            continue
        if quorum.peers.is_free(peer_id, turn.now_ms):
            request = messages.vote_request(quorum, voter, pre_vote=isinstance(role, Prospective))
            quorum.peers.send(peer_id, voter.endpoints[0], request, turn)
