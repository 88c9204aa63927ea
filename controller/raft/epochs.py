"""BeginQuorumEpoch (53), EndQuorumEpoch (54), and how a replica learns epochs and leaders.

With these requests a leader announces that it leads, or that it resigns. Every message that names
an epoch is evaluated here (rules 10.8 to 10.11, 10.22, 10.39 to 10.41).
"""

from collections.abc import Iterable

from ..core import rpc
from ..core.errors import ErrorCode
from ..core.log.control_records import Voter, VoterEndpoint
from ..core.uuid import ZERO_UUID, Uuid
from . import messages
from .protocol import Turn
from .quorum import LostMemoryError, Quorum
from .roles import Follower, Leader, Resigned, leader_role, resigned_role
from .voters import ReplicaKey

EpochRequest = rpc.VoteRequest | rpc.BeginQuorumEpochRequest | rpc.EndQuorumEpochRequest
RISE_MAX = 10_000  # largest rise of the epoch within RISE_PERIOD_MS
RISE_PERIOD_MS = 1000


def learn(
    quorum: Quorum, epoch: int, leader_id: int, endpoints: Iterable[rpc.NodeEndpoint], turn: Turn
) -> None:
    """Learn an epoch and its leader from a message, if either is new (rules 10.9 to 10.11).

    A negative `leader_id` means that the leader is unknown.
    """
    leader_id = max(leader_id, -1)
    is_known = quorum.leader_id == leader_id and quorum.leader_endpoint is not None
    is_news = epoch > quorum.epoch or (
        epoch == quorum.epoch and not is_known and quorum.leader_id in (-1, leader_id)
    )
    if not is_news or (epoch > quorum.epoch and not _is_within_reach(quorum, epoch, turn)):
        return
    endpoint = _endpoint_of(quorum, leader_id, endpoints)
    if leader_id not in (-1, quorum.me.node_id) and endpoint is not None:
        quorum.become_follower(epoch, leader_id, endpoint, turn)
    elif epoch > quorum.epoch:
        quorum.become_unattached(epoch, turn)


def rise(quorum: Quorum, epoch: int, turn: Turn) -> bool:
    """Enter a higher epoch without a leader.

    Returns False if the epoch is beyond RISE_MAX and was not reached.
    """
    is_within_reach = _is_within_reach(quorum, epoch, turn)
    if is_within_reach:
        quorum.become_unattached(epoch, turn)
    return is_within_reach


def _is_within_reach(quorum: Quorum, epoch: int, turn: Turn) -> bool:
    """True if the higher `epoch` may be learned now; otherwise rise as far as RISE_MAX allows.

    An epoch is an int32: a message with the highest epoch must not exhaust the range.
    """
    if turn.now_ms >= quorum.epoch_reach_ms:
        quorum.limit_epoch(quorum.epoch + RISE_MAX, turn.now_ms + RISE_PERIOD_MS)
    if epoch > quorum.epoch_reach > quorum.epoch:
        quorum.become_unattached(quorum.epoch_reach, turn)
    return epoch <= quorum.epoch_reach


def _endpoint_of(
    quorum: Quorum, leader_id: int, endpoints: Iterable[rpc.NodeEndpoint]
) -> VoterEndpoint | None:
    for endpoint in endpoints:
        if endpoint.node_id == leader_id:
            return VoterEndpoint(
                name=quorum.identity.endpoint.name, host=endpoint.host, port=endpoint.port
            )
    voter = quorum.voters.find(leader_id)
    return quorum.endpoint_of(voter.endpoints) if voter is not None and voter.endpoints else None


def note_epoch(quorum: Quorum, peer_id: int, epoch: int) -> None:
    """Check the epoch of a peer, on behalf of a voter that may have lost its log and its vote.

    Such a voter may vote only if a majority of the other voters has no epoch: then it cannot have
    voted before. Raises LostMemoryError if a peer has an epoch.
    """
    if quorum.peers_without_epoch is None or peer_id not in quorum.voters.ids:
        return
    if epoch > 0:
        raise LostMemoryError(quorum.me.node_id, f"controller {peer_id} is at epoch {epoch}")
    if peer_id != quorum.me.node_id:
        quorum.note_without_epoch(peer_id)


def top_level_error(quorum: Quorum, request: EpochRequest) -> ErrorCode:
    """Returns error 104 for another cluster id, error 42 for another topic (rules 10.13, 10.23)."""
    if request.cluster_id not in (None, quorum.identity.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    if not messages.names_the_metadata(request):
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def is_receiver(quorum: Quorum, voter_id: int, directory_id: Uuid) -> bool:
    """True if the request names this replica as its receiver, or no replica (voter id -1)."""
    if voter_id == -1:
        return True
    me = quorum.me
    return voter_id == me.node_id and directory_id in (ZERO_UUID, me.directory_id)


def on_begin(
    quorum: Quorum, request: rpc.BeginQuorumEpochRequest, turn: Turn
) -> rpc.BeginQuorumEpochResponse:
    """Answer a BeginQuorumEpoch request (rule 10.23)."""
    error = top_level_error(quorum, request)
    if error:
        return rpc.BeginQuorumEpochResponse(error_code=error)
    partition = request.topics[0].partitions[0]
    error = _learn_of_leader(quorum, request, partition, turn)
    if not error and not is_receiver(quorum, request.voter_id, partition.voter_directory_id):
        error = ErrorCode.INVALID_VOTER_KEY
    return messages.begin_response(quorum, error)


def _learn_of_leader(
    quorum: Quorum,
    request: rpc.BeginQuorumEpochRequest | rpc.EndQuorumEpochRequest,
    partition: rpc.BeginQuorumEpochPartition | rpc.EndQuorumEpochPartition,
    turn: Turn,
) -> ErrorCode:
    """Learn the leader that sent the request; an older epoch is refused."""
    if partition.leader_epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if partition.leader_id < 0:
        return ErrorCode.INVALID_REQUEST
    endpoints = messages.leader_endpoints(quorum, request, partition.leader_id)
    learn(quorum, partition.leader_epoch, partition.leader_id, endpoints, turn)
    return ErrorCode.NONE if partition.leader_epoch == quorum.epoch else ErrorCode.INVALID_REQUEST


def _learn_of_answer(
    quorum: Quorum, response: rpc.BeginQuorumEpochResponse | rpc.EndQuorumEpochResponse, turn: Turn
) -> rpc.QuorumEpochPartitionResult | None:
    """Learn the leader from a response; returns None if the whole request was refused."""
    answer = messages.sole_partition(response.topics)
    if response.error_code or answer is None:
        return None
    learn(quorum, answer.leader_epoch, answer.leader_id, response.node_endpoints, turn)
    return answer


def on_begin_response(
    quorum: Quorum,
    peer_id: int,
    _request: rpc.BeginQuorumEpochRequest,
    response: rpc.BeginQuorumEpochResponse,
    turn: Turn,
) -> bool:
    """Handle a BeginQuorumEpoch response; returns False if it must be sent again."""
    answer = _learn_of_answer(quorum, response, turn)
    if answer is None:
        return False
    role = quorum.role
    if isinstance(role, Leader) and not answer.error_code:
        role.postpone_begin(peer_id, turn.now_ms + quorum.begin_period_ms)
    return not answer.error_code


def announce_to_voters(quorum: Quorum, turn: Turn) -> None:
    """Send BeginQuorumEpoch to every voter for which it is due (rule 10.22).

    After the first request, a voter that fetches is sent no further one, as in Kafka 4.3.
    """
    role = leader_role(quorum.role)
    for voter in quorum.other_voters:
        peer_id = voter.voter_id
        due_ms = role.next_begin_ms(peer_id, turn.now_ms)
        if due_ms <= turn.now_ms and quorum.peers.is_free(peer_id, turn.now_ms):
            announce(quorum, voter, turn)


def announce(quorum: Quorum, voter: Voter, turn: Turn) -> None:
    """Send BeginQuorumEpoch to a voter that has no request in flight."""
    role = leader_role(quorum.role)
    role.postpone_begin(voter.voter_id, turn.now_ms + quorum.begin_period_ms)
    request = messages.begin_request(quorum, voter)
    quorum.peers.send(voter.voter_id, quorum.endpoint_of(voter.endpoints), request, turn)


def on_end(
    quorum: Quorum, request: rpc.EndQuorumEpochRequest, turn: Turn
) -> rpc.EndQuorumEpochResponse:
    """Answer EndQuorumEpoch, and shorten the fetch timeout of a voter (rule 10.40).

    The first successor that the leader names starts an election first.
    """
    error = top_level_error(quorum, request)
    if error:
        return rpc.EndQuorumEpochResponse(error_code=error)
    partition = request.topics[0].partitions[0]
    error = _learn_of_leader(quorum, request, partition, turn)
    role, is_its_leader = quorum.role, quorum.leader_id == partition.leader_id
    if not error and isinstance(role, Follower) and is_its_leader and quorum.is_voter:
        backoff_ms = _backoff_ms(quorum, messages.successors(request))
        quorum.end_fetch_timeout_at(turn.now_ms + backoff_ms)
    return messages.end_response(quorum, error)


def _backoff_ms(quorum: Quorum, successors: tuple[ReplicaKey, ...]) -> int:
    """Returns how long this voter waits before an election (rule 10.40).

    0 ms for the first successor, longer for later ones, the maximum for a voter that is not listed.
    """
    most_ms = quorum.settings.controller_quorum_election_backoff_max_ms
    for position, key in enumerate(successors):
        if key in (quorum.me, ReplicaKey(quorum.me.node_id)):
            if position == 0:
                return 0
            return min(most_ms, (most_ms >> len(successors) - 1) << position - 1)
    return most_ms


def on_end_response(
    quorum: Quorum,
    peer_id: int,
    _request: rpc.EndQuorumEpochRequest,
    response: rpc.EndQuorumEpochResponse,
    turn: Turn,
) -> bool:
    """Handle an EndQuorumEpoch response; returns False if it must be sent again."""
    answer = _learn_of_answer(quorum, response, turn)
    if answer is None:
        return False
    role = quorum.role
    if isinstance(role, Resigned) and not answer.error_code:
        quorum.note_acknowledged(peer_id)
    return not answer.error_code


def announce_resignation(quorum: Quorum, turn: Turn) -> None:
    """Send EndQuorumEpoch to every voter that has not acknowledged it."""
    role = resigned_role(quorum.role)
    for voter in quorum.other_voters:
        peer_id = voter.voter_id
        if peer_id not in role.acknowledged and quorum.peers.is_free(peer_id, turn.now_ms):
            request = messages.end_request(quorum, role.successors)
            quorum.peers.send(peer_id, quorum.endpoint_of(voter.endpoints), request, turn)
