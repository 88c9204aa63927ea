"""Vote (52): pre-votes and votes (rules 10.12 to 10.18, KIP-996).

A replica first requests pre-votes, without raising its epoch, to learn whether it would win; so a
replica that returns from a partition does not disturb the leader.
"""

from ..core.errors import ErrorCode
from ..core.rpc import VoteRequest, VoteResponse
from . import epochs, leading, messages
from .protocol import Turn
from .quorum import Quorum
from .roles import Candidate, Follower, Leader, Prospective, Resigned, Unattached, asking_role
from .voters import ReplicaKey

HOLD_RETRIES = 5  # retry backoffs that a voter waits for another candidate: 100 ms


def asks_for_pre_vote(request: VoteRequest) -> bool:
    """Returns True for a request that Vote can express since version 2 only (KIP-996)."""
    return any(partition.pre_vote for topic in request.topics for partition in topic.partitions)


def on_request(quorum: Quorum, request: VoteRequest, turn: Turn) -> VoteResponse:
    """Answer a Vote request: a vote, or a pre-vote."""
    if not quorum.identity.has_pre_votes and asks_for_pre_vote(request):
        return VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    error = epochs.top_level_error(quorum, request)
    if error:
        return VoteResponse(error_code=error)
    ballot = messages.vote_partition(request)
    error = _refusal(quorum, request, turn)
    candidate = ReplicaKey(ballot.replica_id, ballot.replica_directory_id)
    granted = not error and _grants(quorum, request, candidate)
    if granted and ballot.pre_vote:
        _let_go_first(quorum, candidate, turn)
    elif granted:
        quorum.become_unattached(quorum.epoch, turn, voted=candidate)
    return messages.vote_response(quorum, error, granted)


def _refusal(quorum: Quorum, request: VoteRequest, turn: Turn) -> ErrorCode:
    """Returns the error of the first failed check, in Kafka's order.

    A higher epoch in the request is learned on the way (rule 10.13).
    """
    ballot = messages.vote_partition(request)
    epoch = ballot.replica_epoch
    last_epoch_max = epoch if ballot.pre_vote else epoch - 1
    if ballot.last_offset < 0 or not 0 <= ballot.last_offset_epoch <= last_epoch_max:
        return ErrorCode.INVALID_REQUEST
    if epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if ballot.replica_id < 0:
        return ErrorCode.INVALID_REQUEST
    if epoch > quorum.epoch and not epochs.rise(quorum, epoch, turn):
        return ErrorCode.INVALID_REQUEST
    if not epochs.is_receiver(quorum, request.voter_id, ballot.voter_directory_id):
        return ErrorCode.INVALID_VOTER_KEY
    return ErrorCode.NONE


def _grants(quorum: Quorum, request: VoteRequest, candidate: ReplicaKey) -> bool:
    """True if the vote or pre-vote is granted (rule 10.14, KIP-996).

    A pre-vote is not binding. A replica grants it if the candidate's log is not older than its own,
    unless it leads or has fetched from the leader.
    """
    ballot = messages.vote_partition(request)
    candidate_log = (ballot.last_offset_epoch, ballot.last_offset)
    up_to_date = candidate_log >= (quorum.log.last_epoch, quorum.log.end_offset)
    role = quorum.role
    if quorum.peers_without_epoch is not None or isinstance(role, Leader):
        return False
    if ballot.pre_vote:
        return up_to_date and not (isinstance(role, Follower) and role.has_fetched)
    if not isinstance(role, Unattached | Prospective):
        return False
    if quorum.voted is not None:
        return quorum.voted in (candidate, ReplicaKey(candidate.node_id))
    return quorum.leader_id == -1 and up_to_date


def _let_go_first(quorum: Quorum, candidate: ReplicaKey, turn: Turn) -> None:
    """Delay this replica's candidacy once, if a voter with a lower id requests a pre-vote.

    Two voters that request pre-votes at the same time would both become candidates and refuse each
    other.
    """
    role = quorum.role
    if not isinstance(role, Prospective) or role.stands_ms or not quorum.voters.includes(candidate):
        return
    if candidate.node_id < quorum.me.node_id:
        hold_ms = HOLD_RETRIES * quorum.settings.controller_quorum_retry_backoff_ms
        quorum.delay_candidacy(turn.now_ms + hold_ms)


def on_response(
    quorum: Quorum, peer_id: int, request: VoteRequest, response: VoteResponse, turn: Turn
) -> bool:
    """Count the vote of a response.

    Returns False if the response is invalid and the request must be sent again. A voter without
    pre-votes (Kafka 3.9) makes this replica a candidate at once.
    """
    answer = messages.vote_answer(response)
    if answer is None:
        return _skips_the_pre_vote(quorum, response, turn)
    ballot = messages.vote_partition(request)
    epochs.learn(quorum, answer.leader_epoch, answer.leader_id, response.node_endpoints, turn)
    role = quorum.role
    expected = Prospective if ballot.pre_vote else Candidate
    if not isinstance(role, Prospective | Candidate) or not isinstance(role, expected):
        return True
    if ballot.replica_epoch != quorum.epoch or peer_id not in quorum.voters.ids:
        return True
    if answer.error_code:
        return False
    quorum.count_vote(peer_id, granted=answer.vote_granted)
    count(quorum, turn)
    return True


def _skips_the_pre_vote(quorum: Quorum, response: VoteResponse, turn: Turn) -> bool:
    is_unknown = response.error_code == ErrorCode.UNSUPPORTED_VERSION
    if not is_unknown or not isinstance(quorum.role, Prospective):
        return False
    quorum.become_candidate(turn)
    count(quorum, turn)
    return True


def count(quorum: Quorum, turn: Turn) -> None:
    """Count the votes: a majority ends the candidacy in success, too many refusals end it.

    A prospective replica with a majority becomes a candidate, a candidate becomes leader. Only a
    prospective replica gives up early.
    """
    role = asking_role(quorum.role)
    if _is_won(quorum, role):
        if isinstance(role, Candidate):
            leading.begin(quorum, role, turn)
        elif role.stands_ms <= turn.now_ms:
            quorum.become_candidate(turn)
            count(quorum, turn)
    elif _is_lost(quorum, role) and isinstance(role, Prospective):
        give_up(quorum, turn, draws_timeout=True)


def _is_won(quorum: Quorum, role: Prospective | Candidate) -> bool:
    return len(role.granted.intersection(quorum.voters.ids)) >= quorum.voters.majority


def _is_lost(quorum: Quorum, role: Prospective | Candidate) -> bool:
    voters = quorum.voters
    return len(voters.voters) - len(role.refused.intersection(voters.ids)) < voters.majority


def deadline_ms(quorum: Quorum, role: Prospective | Candidate) -> int:
    """Returns the end of the election timeout, or of the delay in favour of another candidate."""
    if isinstance(role, Prospective) and _is_won(quorum, role):
        return min(role.stands_ms, role.election_ms)
    return role.election_ms


def give_up(quorum: Quorum, turn: Turn, *, draws_timeout: bool = False) -> None:
    """Follow the known leader again; without a known leader, become unattached.

    The election timeout continues; `draws_timeout` draws a new one.
    """
    if quorum.leader_id >= 0 and quorum.leader_endpoint is not None:
        quorum.become_follower(quorum.epoch, quorum.leader_id, quorum.leader_endpoint, turn)
    else:
        quorum.become_unattached(quorum.epoch, turn, draws_timeout=draws_timeout)


def on_role_timeout(quorum: Quorum, turn: Turn) -> None:
    """Act on the end of the election or fetch timeout (rules 10.17, 10.36, 10.39)."""
    role = quorum.role
    if isinstance(role, Resigned) and (quorum.identity.has_pre_votes or not quorum.is_voter):
        quorum.become_unattached(quorum.epoch + 1, turn)
    elif isinstance(role, Prospective) and _is_won(quorum, role):
        quorum.become_candidate(turn)
        count(quorum, turn)
    elif isinstance(role, Prospective):
        give_up(quorum, turn)
    elif isinstance(role, Follower) and not quorum.is_voter:
        quorum.end_fetch_timeout_at(quorum.fetch_ms(turn))  # an observer keeps its leader
        quorum.peers.failed(quorum.leader_id, turn.now_ms)  # and also fetches from other voters
    else:
        stand(quorum, turn)


def stand(quorum: Quorum, turn: Turn) -> None:
    """Become prospective and request pre-votes; a voter without them becomes a candidate."""
    if quorum.identity.has_pre_votes:
        quorum.become_prospective(turn)
    else:
        quorum.become_candidate(turn)
    count(quorum, turn)


def request_votes(quorum: Quorum, turn: Turn) -> None:
    """Request votes from all voters that have not responded (rule 10.16).

    Nothing is sent once the result is known.
    """
    role = asking_role(quorum.role)
    if _is_won(quorum, role) or _is_lost(quorum, role):
        return
    for voter in quorum.other_voters:
        peer_id = voter.voter_id
        if peer_id in role.granted or peer_id in role.refused:
            continue
        if quorum.peers.is_free(peer_id, turn.now_ms):
            request = messages.vote_request(quorum, voter, pre_vote=isinstance(role, Prospective))
            quorum.peers.send(peer_id, quorum.endpoint_of(voter.endpoints), request, turn)
