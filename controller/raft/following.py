"""What a follower does: fetch, take what comes, and give back what its leader does not have (rules
10.31 to 10.37)."""

from collections.abc import Hashable

from ..core.errors import ErrorCode
from ..core.log.batch import Batch
from ..core.rpc import (
    EpochEndOffset,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    NodeEndpoint,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)
from ..time.timeline import NEVER_MS
from . import epochs, messages, snapshots
from .protocol import Turn
from .quorum import Quorum
from .roles import Follower

UPDATE_PERIOD = 3  # fetch timeouts between two tries to be known at another address
OWN_REQUESTS = (FetchRequest, FetchSnapshotRequest, UpdateRaftVoterRequest)
FETCH_WAIT_MS = 500  # how long a leader may keep us waiting for news


def poll(quorum: Quorum, turn: Turn) -> None:
    """One request at a time, and none before what the last one brought is safe (rule 10.32): to the
    leader; while it cannot be reached to one of the others, who may know a later one (10.38)."""
    if not _is_safe(quorum) or quorum.reading or quorum.peers.awaits(*OWN_REQUESTS):
        return
    if not quorum.peers.is_free(quorum.leader_id, turn.now_ms):
        _ask_another(quorum, turn)
        return
    request = (
        _own_address(quorum, turn)
        or snapshots.next_request(quorum)
        or messages.fetch_request(quorum, FETCH_WAIT_MS)
    )
    quorum.peers.send(quorum.leader_id, quorum.leader_endpoint, request, turn)


def _own_address(quorum: Quorum, turn: Turn) -> UpdateRaftVoterRequest | None:
    """A voter that the log knows at another address says so, now and then (rule 10.53); one that no
    log knows, at kraft.version 0, describes itself to every leader (golden A2)."""
    known = quorum.voters.find(quorum.me.node_id)
    if not quorum.is_voter or known == quorum.identity.as_voter:
        return None
    if turn.now_ms < quorum.update_voter_ms:
        return None
    period_ms = quorum.settings.controller_quorum_fetch_timeout_ms * UPDATE_PERIOD
    quorum.update_voter_ms = turn.now_ms + period_ms
    return messages.update_request(quorum)


def on_update_response(
    quorum: Quorum,
    _peer_id: int,
    _request: UpdateRaftVoterRequest,
    response: UpdateRaftVoterResponse,
    turn: Turn,
) -> bool:
    if not response.error_code and quorum.history.kraft_version == 0:
        quorum.update_voter_ms = NEVER_MS  # this leader knows now, and the next one has to be told
    said = response.current_leader
    endpoint = NodeEndpoint(node_id=said.leader_id, host=said.host, port=said.port)
    epochs.learn(quorum, said.leader_epoch, said.leader_id, (endpoint,), turn)
    return not response.error_code


def _is_safe(quorum: Quorum) -> bool:
    """A fetch acknowledges all that we have: it must be on disk."""
    return quorum.persisted_offset == quorum.log.end_offset


def ask_around(quorum: Quorum, turn: Turn) -> None:
    """Without a leader: one of the others at a time, in turn; each names the leader it knows, and
    that is how one is found (rules 10.37, 10.38)."""
    if _is_safe(quorum) and not quorum.peers.awaits(FetchRequest):
        _ask_another(quorum, turn)


def _ask_another(quorum: Quorum, turn: Turn) -> None:
    """The next of those whose lines are free."""
    others = quorum.others
    for step in range(len(others)):
        voter = others[(quorum.next_asked + step) % len(others)]
        if quorum.peers.is_free(voter.voter_id, turn.now_ms):
            quorum.next_asked = (quorum.next_asked + step + 1) % len(others)
            request = messages.fetch_request(quorum, FETCH_WAIT_MS)
            quorum.peers.send(voter.voter_id, voter.endpoints[0], request, turn)
            return


def on_response(
    quorum: Quorum, peer_id: int, request: FetchRequest, response: FetchResponse, turn: Turn
) -> bool:
    """False: it brought nothing, wait a moment before the next one."""
    data = messages.sole_partition(response.responses)
    if response.error_code or data is None:
        return False
    said = data.current_leader
    epochs.hear(quorum, peer_id, said.leader_epoch)
    epochs.learn(quorum, said.leader_epoch, said.leader_id, response.node_endpoints, turn)
    asked_epoch = request.topics[0].partitions[0].current_leader_epoch
    is_ours = isinstance(quorum.role, Follower) and peer_id == quorum.leader_id
    if data.error_code or asked_epoch != quorum.epoch or not is_ours:
        return data.error_code == ErrorCode.FENCED_LEADER_EPOCH and asked_epoch < quorum.epoch
    before = _place(quorum)
    if not _take(quorum, data, turn):
        return False
    quorum.role = Follower(quorum.fetch_ms(turn), has_fetched=True)
    waited_ms = turn.now_ms - quorum.peers.sent_ms(peer_id)
    return _place(quorum) != before or waited_ms >= FETCH_WAIT_MS // 2


def _place(quorum: Quorum) -> Hashable:
    """What an answer to a fetch moves, if it brings anything."""
    return quorum.log.end_offset, quorum.leader_high_watermark, quorum.download


def _take(quorum: Quorum, data: FetchPartitionData, turn: Turn) -> bool:
    """False: no leader of this epoch says that."""
    diverging, snapshot_id = data.diverging_epoch, data.snapshot_id
    if diverging.epoch >= 0 or diverging.end_offset >= 0:
        return _give_back(quorum, diverging, turn)
    if snapshot_id.epoch >= 0 or snapshot_id.end_offset >= 0:
        return snapshots.begin(quorum, snapshot_id)
    for batch in data.records or ():
        if batch.base_offset >= quorum.log.end_offset:
            if not _continues(quorum, batch):
                return False
            quorum.accept(batch, turn)
    quorum.leader_high_watermark = max(quorum.leader_high_watermark, data.high_watermark)
    advance(quorum)
    return True


def _continues(quorum: Quorum, batch: Batch) -> bool:
    """Offsets are dense; epochs never decrease, and the leader's is the last (rules 9.33, 9.43)."""
    log = quorum.log
    follows = batch.base_offset == log.end_offset and bool(batch.records)
    return follows and log.last_epoch <= batch.epoch <= quorum.epoch


def _give_back(quorum: Quorum, diverging: EpochEndOffset, turn: Turn) -> bool:
    """Where the leader's log and ours part, ours ends; then we fetch again (rule 10.34). What is
    committed is never given back: a leader has all of it (9.40)."""
    _, our_end = quorum.log.end_offset_for_epoch(diverging.epoch)
    end_offset = min(diverging.end_offset, our_end)
    if quorum.log.end_if_truncated(end_offset) < quorum.high_watermark:
        return False
    quorum.truncate(end_offset, turn)
    return True


def advance(quorum: Quorum) -> None:
    """What is committed and safe here, never less than before (rule 10.31)."""
    known = min(quorum.persisted_offset, quorum.leader_high_watermark)
    quorum.high_watermark = max(quorum.high_watermark, known)
