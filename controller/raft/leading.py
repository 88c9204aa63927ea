"""The leader: opens its epoch, answers fetches, commits, and resigns without a majority.

Rules 10.19 to 10.29, 10.33 to 10.35.
"""

from dataclasses import replace
from typing import Any

from ..core.errors import ErrorCode
from ..core.log.control_records import (
    ControlRecord,
    KRaftVersion,
    LeaderChange,
    VersionRange,
    Voters,
)
from ..core.rpc import FetchRequest, FetchResponse
from ..time.timeline import NEVER_MS
from . import fetch_answer, messages
from .protocol import Turn
from .quorum import Quorum
from .roles import Candidate, Leader, Progress, leader_role
from .voters import NOT_IN_LOG, ReplicaKey, VoterSet, replica_key

NOTHING_KNOWN = Progress()
NO_VERSIONS = VersionRange(min_supported_version=0, max_supported_version=0)


def begin(quorum: Quorum, won: Candidate, turn: Turn) -> None:
    """Become leader, and open the epoch with one control batch (rules 10.19 to 10.21).

    `won` is the candidacy that a majority of votes ended. A replica whose process stops resigns
    instead, and writes nothing (rule 10.26).
    """
    log = quorum.log
    role = Leader(
        epoch_start=log.end_offset,
        check_quorum_ms=_check_quorum_ms(quorum, turn),
        descriptions=_first_descriptions(quorum),
    )
    quorum.become_leader(role, turn)
    if quorum.is_stopping:
        resign(quorum, turn)
        return
    granting = tuple(sorted(won.granted.intersection(quorum.voters.ids)))
    records = _opening(quorum, granting)
    quorum.append(records, (0,) * len(records), turn, is_control=True)


def _first_descriptions(quorum: Quorum) -> VoterSet:
    """Returns the voters as a new leader knows them: only its own supported versions (KIP-853).

    The versions of the other voters count as 0 to 0.
    """
    silent = (replace(voter, k_raft_version_feature=NO_VERSIONS) for voter in quorum.voters.voters)
    return VoterSet(tuple(silent)).with_voter(quorum.identity.as_voter)


def _opening(quorum: Quorum, granting: tuple[int, ...]) -> tuple[ControlRecord, ...]:
    """Returns the records of the first batch of an epoch.

    LeaderChange, and kraft.version and voters unless the log already has them.
    """
    me, voters = quorum.identity.as_voter, quorum.voters
    change = LeaderChange(leader_id=quorum.me.node_id, voters=voters.ids, granting_voters=granting)
    version = quorum.history.kraft_version
    is_logged = quorum.history.latest_offset != NOT_IN_LOG or quorum.log.start_offset > 0
    if version == 0 or (is_logged and voters.find(quorum.me.node_id) == me):
        return (change,)
    recorded = voters.with_voter(me) if quorum.is_voter else voters
    return (change, KRaftVersion(kraft_version=version), Voters(voters=recorded.voters))


def _check_quorum_ms(quorum: Quorum, turn: Turn) -> int:
    """Returns 1.5 fetch timeouts from now; a single voter has no deadline (rule 10.25)."""
    if not quorum.other_voters:
        return NEVER_MS
    return turn.now_ms + quorum.settings.controller_quorum_fetch_timeout_ms * 3 // 2


def regroup(quorum: Quorum, before: VoterSet, turn: Turn) -> None:
    """Update progress and check-quorum after a change of the voters (rules 5.28, 10.25).

    `before` are the voters before the change.
    """
    role = leader_role(quorum.role)
    for voter in quorum.voters.voters:
        key = ReplicaKey(voter.voter_id, voter.voter_directory_id)
        if key in role.observers:
            known = role.promote(key)
            role.postpone_begin(key.node_id, known.fetched_ms + quorum.begin_period_ms)
    for voter in before.voters:
        if quorum.voters.find(voter.voter_id) is None:
            role.demote(ReplicaKey(voter.voter_id, voter.voter_directory_id))
    role.restart_check_quorum(_check_quorum_ms(quorum, turn))


def on_fetch(quorum: Quorum, request: FetchRequest, token: Any, turn: Turn) -> bool:
    """Answer a fetch, or let it wait for records (rule 10.35).

    Returns True if the high watermark moved.
    """
    leadership, watermark = _leadership(quorum), known_high_watermark(quorum)
    refusal = fetch_answer.misfit(leadership, quorum.log, watermark, request)
    if refusal is not None:
        turn.replies += ((token, refusal),)
        return False
    has_moved = _note_fetch(quorum, request, turn)
    if has_moved:
        answer_parked(quorum, turn)
        watermark = known_high_watermark(quorum)
    reply = _fit(quorum, leadership, watermark, request)
    if fetch_answer.may_wait(request, reply) and quorum.parked.has_room():
        quorum.parked.add(token, request, reply, turn.now_ms)
    else:
        turn.replies += ((token, reply),)
    return has_moved


def _fit(
    quorum: Quorum, leadership: fetch_answer.Leadership, watermark: int, request: FetchRequest
) -> FetchResponse:
    """Returns the response to a valid fetch.

    Most of a fleet fetches from one position at one time, so the leader keeps its last response.
    """
    role, log = quorum.role, quorum.log
    offset = request.topics[0].partitions[0].fetch_offset
    key = (offset, watermark, log.start_offset, log.end_offset, request.max_bytes)
    if not isinstance(role, Leader):
        return fetch_answer.fit(leadership, log, watermark, request)
    kept = role.kept_response
    if kept is not None and kept[0] == key and kept[1] is leadership:
        return kept[2]
    response = fetch_answer.fit(leadership, log, watermark, request)
    return role.keep_response(key, leadership, response)


def answer_parked(quorum: Quorum, turn: Turn) -> None:
    """Answer waiting fetches for which there is something new.

    Fetches at the same position, as most of a fleet's are, share one response.
    """
    if not quorum.parked:
        return
    responses: dict[object, FetchResponse | None] = {}

    def news(request: FetchRequest) -> FetchResponse | None:
        key = fetch_answer.response_key(request)
        if key not in responses:
            responses[key] = _news(quorum, request)
        return responses[key]

    turn.replies += tuple(quorum.parked.released(news))


def answer_expired(quorum: Quorum, turn: Turn) -> None:
    """Answer the fetches whose waiting time is over."""
    turn.replies += tuple(quorum.parked.expired(turn.now_ms))


def _news(quorum: Quorum, request: FetchRequest) -> FetchResponse | None:
    response = _answered(quorum, request)
    return None if fetch_answer.may_wait(request, response) else response


def refuse_parked(quorum: Quorum, turn: Turn) -> None:
    """Refuse all waiting fetches after a loss of leadership (rule 10.35)."""
    if not quorum.parked:
        return
    refusal = fetch_answer.refused(_leadership(quorum), ErrorCode.NOT_LEADER_OR_FOLLOWER)
    turn.replies += tuple(quorum.parked.released(lambda _: refusal))


def _answered(quorum: Quorum, request: FetchRequest) -> FetchResponse:
    watermark = known_high_watermark(quorum)
    return fetch_answer.answer(_leadership(quorum), quorum.log, watermark, request)


def _leadership(quorum: Quorum) -> fetch_answer.Leadership:
    """Returns the part that all responses share; a new object for each epoch and snapshot."""
    role = quorum.role
    if not isinstance(role, Leader):
        return _leadership_now(quorum)
    if role.leadership is None or role.leadership.snapshot is not quorum.snapshot_id:
        return role.keep_leadership(_leadership_now(quorum))
    return role.leadership


def _leadership_now(quorum: Quorum) -> fetch_answer.Leadership:
    return fetch_answer.Leadership(
        leads=quorum.is_leader,
        cluster_id=quorum.identity.cluster_id,
        leader_id=quorum.leader_id,
        epoch=quorum.epoch,
        endpoints=messages.node_endpoints(quorum),
        snapshot=quorum.snapshot_id,
        bounds_fetches=quorum.identity.bounds_fetches,
    )


def known_high_watermark(quorum: Quorum) -> int:
    """Returns the high watermark, -1 until a record of this epoch is committed.

    Rules 9.39 and 10.19.
    """
    role = quorum.role
    is_known = isinstance(role, Leader) and quorum.high_watermark > role.epoch_start
    return quorum.high_watermark if is_known else -1


def _note_fetch(quorum: Quorum, request: FetchRequest, turn: Turn) -> bool:
    """Record that a fetch acknowledges all records below its offset (rules 5.31, 10.32).

    Returns True if the high watermark moved.
    """
    role = quorum.role
    partition = request.topics[0].partitions[0]
    node_id = request.replica_state.replica_id  # from version 15 on
    if request.replica_id > node_id:
        node_id = request.replica_id
    if not isinstance(role, Leader) or node_id < 0 or node_id == quorum.me.node_id:
        return False
    key = replica_key(node_id, partition.replica_directory_id)
    voters = quorum.voters
    if node_id in voters.ids and voters.includes(key):
        known = role.progress.get(node_id, NOTHING_KNOWN)
        role.note_voter(node_id, _progress(quorum, known, partition.fetch_offset, turn))
        role.postpone_begin(node_id, turn.now_ms + quorum.begin_period_ms)
        count_fetch(quorum, node_id, turn)
        return advance(quorum)
    known = role.observers.get(key, NOTHING_KNOWN)
    role.note_observer(key, _progress(quorum, known, partition.fetch_offset, turn))
    return False


def _progress(quorum: Quorum, before: Progress, offset: int, turn: Turn) -> Progress:
    """Returns the progress of a replica that fetches from `offset` (rule 5.31).

    It is caught up now if it has all records, or was at its previous fetch if it has all records of
    that time.
    """
    fetched, caught_up = before.last_fetch_wall_ms, before.last_caught_up_wall_ms
    end_offset, wall_ms = quorum.persisted_offset, turn.wall_ms
    if end_offset > quorum.log.end_offset:
        end_offset = quorum.log.end_offset
    now_caught_up = caught_up
    if offset >= end_offset:
        now_caught_up = wall_ms
    elif 0 < before.leader_end_offset <= offset:
        now_caught_up = fetched
    if now_caught_up > caught_up:
        caught_up = now_caught_up
    if wall_ms > fetched:
        fetched = wall_ms
    # Without the names of the fields, which would double the time, at every fetch.
    return Progress(offset, fetched, caught_up, end_offset, turn.now_ms)


def count_fetch(quorum: Quorum, node_id: int, turn: Turn) -> None:
    """Count a voter's fetch for check-quorum (rule 10.25).

    Once a majority has fetched, the leader gets a new deadline.
    """
    role = leader_role(quorum.role)
    count = len(role.count_fetch(node_id).intersection(quorum.voters.ids))
    if count + quorum.is_voter >= quorum.voters.majority:
        role.restart_check_quorum(_check_quorum_ms(quorum, turn))


def advance(quorum: Quorum) -> bool:
    """Raise the high watermark to the offset that a majority has (rule 10.29).

    Only an offset of this epoch counts. Returns True if the high watermark moved.
    """
    role = leader_role(quorum.role)
    ends = sorted(
        (_end_offset(quorum, role, node_id) for node_id in quorum.voters.ids), reverse=True
    )
    candidate = ends[len(ends) // 2]
    if candidate <= max(role.epoch_start, quorum.high_watermark):
        return False
    quorum.advance_high_watermark(candidate)
    return True


def _end_offset(quorum: Quorum, role: Leader, node_id: int) -> int:
    if node_id == quorum.me.node_id:
        return quorum.persisted_offset
    progress = role.progress.get(node_id)
    return -1 if progress is None else progress.end_offset


def on_persisted(quorum: Quorum, turn: Turn) -> None:
    """Commit and answer waiting fetches after the log became durable."""
    advance(quorum)
    answer_parked(quorum, turn)


def resign(quorum: Quorum, turn: Turn, successor_id: int = -1) -> None:
    """Resign; `successor_id` is the first successor, then voters by log length (rule 10.39).

    A `successor_id` of -1 names none.
    """
    role = leader_role(quorum.role)
    voters = sorted(
        quorum.other_voters,
        key=lambda voter: (
            voter.voter_id != successor_id,
            -_end_offset(quorum, role, voter.voter_id),
        ),
    )
    keys = tuple(ReplicaKey(voter.voter_id, voter.voter_directory_id) for voter in voters)
    quorum.become_resigned(turn, keys)
