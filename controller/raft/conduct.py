"""Dispatches events to the modules of the quorum, and runs the periodic actions of each role."""

from collections.abc import Callable, Mapping
from typing import Any

from ..core import rpc
from ..time.timeline import NEVER_MS
from . import describe_quorum, elections, epochs, following, leading, membership, snapshots
from .protocol import Answered, Turn
from .quorum import Quorum
from .roles import Candidate, Follower, Leader, Prospective, Resigned, Unattached


def start(quorum: Quorum, turn: Turn, *, stands_at_once: bool = False) -> None:
    """Restore the durable state of the previous process, and begin with a role (rule 10.3).

    A voter of a new quorum that `stands_at_once` is a candidate before it fetches.
    """
    stored = quorum.durable
    me = quorum.me
    if quorum.identity.may_have_lost_log and quorum.is_voter and quorum.other_voters:
        quorum.withhold_votes()
    if stored.epoch < quorum.log.last_epoch:
        quorum.become_unattached(quorum.log.last_epoch, turn)
    elif stored.leader_id == me.node_id:
        quorum.become_resigned(turn, ())
    elif stored.voted == me and stored.leader_id == -1 and quorum.is_voter:
        quorum.resume_candidate(turn)
        elections.count(quorum, turn)
    else:
        _take_up(quorum, turn)
    if quorum.is_voter and not quorum.other_voters and not quorum.is_leader:
        elections.stand(quorum, turn)  # a single voter elects itself (rule 10.4)
    elif stands_at_once and quorum.epoch == 0 and isinstance(quorum.role, Unattached):
        elections.stand(quorum, turn)
    poll(quorum, turn)


def _take_up(quorum: Quorum, turn: Turn) -> None:
    """Follow the stored leader, if its address is known."""
    stored = quorum.durable
    leader = quorum.voters.find(stored.leader_id)
    if leader is None or not leader.endpoints:
        quorum.resume_unattached(turn)
    else:
        endpoint = quorum.endpoint_of(leader.endpoints)
        quorum.become_follower(stored.epoch, stored.leader_id, endpoint, turn)


# Requests

Answer = Callable[[Quorum, Any, Any, Turn], bool]
"""Answers a request now or, with its token, later.

Returns False if only a follower's progress and the number of waiting fetches may have changed.
"""


def _at_once(respond: Callable[[Quorum, Any, Turn], rpc.Response]) -> Answer:
    def answer(quorum: Quorum, request: Any, token: Any, turn: Turn) -> bool:
        turn.replies += ((token, respond(quorum, request, turn)),)
        return True

    return answer


ANSWERS: Mapping[type, Answer] = {
    rpc.ApiVersionsRequest: _at_once(membership.on_question),
    rpc.FetchRequest: leading.on_fetch,
    rpc.FetchSnapshotRequest: _at_once(snapshots.on_request),
    rpc.VoteRequest: _at_once(elections.on_request),
    rpc.BeginQuorumEpochRequest: _at_once(epochs.on_begin),
    rpc.EndQuorumEpochRequest: _at_once(epochs.on_end),
    rpc.DescribeQuorumRequest: _at_once(describe_quorum.describe),
    rpc.AddRaftVoterRequest: membership.add,
    rpc.RemoveRaftVoterRequest: membership.remove,
    rpc.UpdateRaftVoterRequest: _at_once(membership.update),
}
"""The table of a quorum's answers, which a controller gives although it may not be active."""


def understands(request: rpc.Request) -> bool:
    """True if the quorum answers requests of this type."""
    return type(request) in ANSWERS


def on_request(quorum: Quorum, request: rpc.Request, token: Any, turn: Turn) -> bool:
    """Answer a request, now or later.

    Returns False if only a follower's progress and the number of waiting fetches may have changed,
    as after nearly every fetch.
    """
    withholds_votes = quorum.peers_without_epoch is not None
    if withholds_votes:
        _listen(quorum, request)
        _pass_the_gate(quorum, turn)
    if not ANSWERS[type(request)](quorum, request, token, turn) and not withholds_votes:
        return False
    poll(quorum, turn)
    return True


def _listen(quorum: Quorum, request: rpc.Request) -> None:
    """Record the sender's epoch, for a voter that lost its log and vote."""
    match request:
        case rpc.FetchRequest(topics=(topic,)) if topic.partitions:
            sender = max(request.replica_id, request.replica_state.replica_id)
            epochs.note_epoch(quorum, sender, topic.partitions[0].current_leader_epoch)
        case rpc.VoteRequest(topics=(vote,)) if vote.partitions:
            vote_data = vote.partitions[0]
            epochs.note_epoch(quorum, vote_data.replica_id, vote_data.replica_epoch)
        case rpc.BeginQuorumEpochRequest(topics=(begin,)) if begin.partitions:
            begin_data = begin.partitions[0]
            epochs.note_epoch(quorum, begin_data.leader_id, begin_data.leader_epoch)
        case rpc.EndQuorumEpochRequest(topics=(end,)) if end.partitions:
            end_data = end.partitions[0]
            epochs.note_epoch(quorum, end_data.leader_id, end_data.leader_epoch)
        case _:
            pass


# Answers

_REACTIONS: Mapping[tuple[type, type], Callable[[Quorum, int, Any, Any, Turn], bool]] = {
    (rpc.VoteRequest, rpc.VoteResponse): elections.on_response,
    (rpc.FetchRequest, rpc.FetchResponse): following.on_response,
    (rpc.BeginQuorumEpochRequest, rpc.BeginQuorumEpochResponse): epochs.on_begin_response,
    (rpc.EndQuorumEpochRequest, rpc.EndQuorumEpochResponse): epochs.on_end_response,
    (rpc.FetchSnapshotRequest, rpc.FetchSnapshotResponse): snapshots.on_response,
    (rpc.UpdateRaftVoterRequest, rpc.UpdateRaftVoterResponse): following.on_update_response,
    (rpc.AddRaftVoterRequest, rpc.AddRaftVoterResponse): following.on_join_response,
    (rpc.RemoveRaftVoterRequest, rpc.RemoveRaftVoterResponse): following.on_join_response,
}


def on_answer(quorum: Quorum, event: Answered, turn: Turn) -> None:
    """Handle the response of a peer.

    A response that is no longer awaited has no effect; a failed request is sent again later.
    """
    request = quorum.peers.take(event.peer_id, event.number)
    if request is not None:
        if isinstance(request, rpc.ApiVersionsRequest):
            is_good = membership.on_api_versions(quorum, event.peer_id, event.response, turn)
        else:
            reaction = _REACTIONS.get((type(request), type(event.response)))
            is_good = reaction is not None and reaction(
                quorum, event.peer_id, request, event.response, turn
            )
        if not is_good:
            quorum.peers.failed(event.peer_id, turn.now_ms)
        _pass_the_gate(quorum, turn)
    poll(quorum, turn)


def _pass_the_gate(quorum: Quorum, turn: Turn) -> None:
    """Let a voter without durable state vote once a majority of the other voters has no epoch.

    Only at the first boot of a quorum does no epoch exist yet. A static voter has no directory id
    that a new start could change. After an election timeout it therefore votes if it and the peers
    without an epoch are a majority, so that a quorum starts while a voter is missing.
    """
    peers = quorum.peers_without_epoch
    if peers is None:
        return
    is_first_boot = len(peers) >= len(quorum.other_voters) // 2 + 1
    if quorum.history.kraft_version == 0 and quorum.election_timeout_is_over(turn):
        is_first_boot = len(peers) + 1 >= quorum.voters.majority
    if is_first_boot:
        quorum.allow_votes(turn)


# Time


def on_deadline(quorum: Quorum, turn: Turn) -> None:
    """Drop requests that timed out, and act on the deadline of the role."""
    quorum.peers.expire(turn.now_ms)
    leading.answer_expired(quorum, turn)
    membership.expire(quorum, turn)
    if role_deadline_ms(quorum) <= turn.now_ms:
        if quorum.is_leader:
            leading.resign(quorum, turn)  # no majority has fetched in time (rule 10.25)
        else:
            elections.on_role_timeout(quorum, turn)
    poll(quorum, turn)


def on_persisted(quorum: Quorum, end_offset: int, turn: Turn) -> None:
    """Advance the persisted offset to `end_offset` and, with it, the high watermark."""
    quorum.mark_persisted(end_offset)
    if quorum.is_leader:
        leading.on_persisted(quorum, turn)
    else:
        following.advance(quorum)
    poll(quorum, turn)


def stop(quorum: Quorum, turn: Turn) -> None:
    """Give up leadership, and begin no election any more (rule 10.26).

    An election that has begun goes on. Until the process ends it refuses or grants votes as before.
    """
    quorum.begin_to_stop()
    if quorum.is_leader:
        leading.resign(quorum, turn)
    poll(quorum, turn)


def go_on(quorum: Quorum, turn: Turn) -> None:
    """Continue the decoding of a snapshot, the only work that a step may leave to the next."""
    if quorum.reading is not None:
        if not snapshots.go_on_reading(quorum, quorum.reading, turn):
            quorum.peers.failed(quorum.leader_id, turn.now_ms)
        poll(quorum, turn)


def role_deadline_ms(quorum: Quorum) -> int:
    """Returns the end of the role's timeout: check-quorum, fetch or election timeout."""
    role = quorum.role
    if isinstance(role, Leader):
        return role.check_quorum_ms
    if quorum.is_stopping or quorum.peers_without_epoch is not None:
        return NEVER_MS
    if isinstance(role, Prospective | Candidate):
        return elections.deadline_ms(quorum, role)
    return role.fetch_ms if isinstance(role, Follower) else role.election_ms


def deadline_ms(quorum: Quorum, now_ms: int) -> int:
    """Returns the time at which the driver must run the next step, unless an event comes first."""
    role, peers_ms = quorum.role, quorum.peers.next_ms(now_ms)
    if not isinstance(role, Leader):
        return min(role_deadline_ms(quorum), peers_ms)
    for begin_ms in role.begin_ms.values():
        if now_ms < begin_ms < peers_ms:
            peers_ms = begin_ms
    expiry_ms, change_ms = quorum.parked.next_expiry_ms(), membership.deadline_ms(role)
    return min(role.check_quorum_ms, peers_ms, expiry_ms, change_ms)


def poll(quorum: Quorum, turn: Turn) -> None:
    """Send the requests of the role to free peers, and complete committed voter changes."""
    membership.on_commit(quorum, turn)
    match quorum.role:
        case Leader():
            epochs.announce_to_voters(quorum, turn)
        case Follower():
            following.poll(quorum, turn)
        case Prospective() | Candidate():
            elections.request_votes(quorum, turn)
        case Resigned():
            epochs.announce_resignation(quorum, turn)
        case Unattached() if not quorum.is_stopping:
            following.fetch_from_voters(quorum, turn)
    if not quorum.is_leader:
        leading.refuse_parked(quorum, turn)
        membership.answer_abandoned(quorum, turn)
