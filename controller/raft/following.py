"""The follower: fetches, appends, and truncates its log where the leader's log differs.

Rules 10.31 to 10.37.
"""

from collections.abc import Hashable

from ..core import rpc
from ..core.errors import ErrorCode
from ..core.log.batch import Batch
from ..core.log.control_records import VoterEndpoint
from ..time.timeline import NEVER_MS
from . import epochs, messages, snapshots
from .protocol import Turn
from .quorum import Quorum
from .roles import Follower
from .voters import ReplicaKey

UPDATE_PERIOD = 3  # fetch timeouts between two UpdateRaftVoter requests
OWN_REQUESTS = (
    rpc.FetchRequest,
    rpc.FetchSnapshotRequest,
    rpc.UpdateRaftVoterRequest,
    rpc.AddRaftVoterRequest,
    rpc.RemoveRaftVoterRequest,
)
_JOINED_OR_BUSY = (
    ErrorCode.NONE,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.DUPLICATE_VOTER,
    ErrorCode.VOTER_NOT_FOUND,
)
FIRST_SERVER_ID = -2  # of the first bootstrap server; -1 is no node
FETCH_WAIT_MS = 500  # how long a leader may delay a response without records


def poll(quorum: Quorum, turn: Turn) -> None:
    """Send the next request, once all batches of this log are durable (rule 10.32).

    The request goes to the leader; while the leader is unreachable, to another voter, which may
    know a newer leader (rule 10.38).
    """
    if not _is_safe(quorum) or quorum.reading or quorum.peers.awaits(*OWN_REQUESTS):
        return
    if not quorum.peers.is_free(quorum.leader_id, turn.now_ms):
        _fetch_from_next_voter(quorum, turn)
        return
    request = (
        _voter_change(quorum, turn)
        or snapshots.next_request(quorum)
        or messages.fetch_request(quorum, FETCH_WAIT_MS)
    )
    quorum.peers.send(quorum.leader_id, quorum.leader_endpoint, request, turn)


def _voter_change(quorum: Quorum, turn: Turn) -> rpc.Request | None:
    """Returns this replica's request to change the voters, if one is due."""
    if turn.now_ms < quorum.update_voter_ms:
        return None
    return _own_address(quorum, turn) if quorum.is_voter else _joining(quorum, turn)


def _joining(
    quorum: Quorum, turn: Turn
) -> rpc.AddRaftVoterRequest | rpc.RemoveRaftVoterRequest | None:
    """Returns the request by which an observer joins the voters by itself (KIP-1186).

    A voter of the same id with another directory is this controller's former disk: it leaves first.
    """
    settings = quorum.settings
    if not settings.controller_quorum_auto_join_enable or quorum.history.kraft_version == 0:
        return None
    quorum.postpone_voter_update(turn.now_ms + settings.controller_quorum_fetch_timeout_ms)
    former = quorum.voters.find(quorum.me.node_id)
    if former is None:
        return messages.add_request(quorum)
    return messages.remove_request(quorum, ReplicaKey(former.voter_id, former.voter_directory_id))


def _own_address(quorum: Quorum, turn: Turn) -> rpc.UpdateRaftVoterRequest | None:
    """Returns an UpdateRaftVoter request if the voter's record in the log is outdated (rule 10.53).

    At kraft.version 0 no log has such a record, so a voter sends it to every leader (golden A2).
    """
    if quorum.voters.find(quorum.me.node_id) == quorum.identity.as_voter:
        return None
    period_ms = quorum.settings.controller_quorum_fetch_timeout_ms * UPDATE_PERIOD
    quorum.postpone_voter_update(turn.now_ms + period_ms)
    return messages.update_request(quorum)


def on_update_response(
    quorum: Quorum,
    _peer_id: int,
    _request: rpc.UpdateRaftVoterRequest,
    response: rpc.UpdateRaftVoterResponse,
    turn: Turn,
) -> bool:
    """Handle an UpdateRaftVoter response."""
    if not response.error_code and quorum.history.kraft_version == 0:
        quorum.postpone_voter_update(NEVER_MS)  # until there is another leader
    leader = response.current_leader
    endpoint = rpc.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)
    epochs.learn(quorum, leader.leader_epoch, leader.leader_id, (endpoint,), turn)
    return not response.error_code


def on_join_response(
    quorum: Quorum,
    _peer_id: int,
    _request: rpc.AddRaftVoterRequest | rpc.RemoveRaftVoterRequest,
    response: rpc.AddRaftVoterResponse | rpc.RemoveRaftVoterResponse,
    turn: Turn,
) -> bool:
    """Handle the response to a request to join; the next one waits for a fetch timeout."""
    quorum.postpone_voter_update(quorum.fetch_ms(turn))
    return response.error_code in _JOINED_OR_BUSY


def _is_safe(quorum: Quorum) -> bool:
    """True if the whole log is durable; only then may a fetch acknowledge it."""
    return quorum.persisted_offset == quorum.log.end_offset


def fetch_from_voters(quorum: Quorum, turn: Turn) -> None:
    """Fetch from the other voters in turn, until a response names the leader.

    Rules 10.37 and 10.38.
    """
    if _is_safe(quorum) and not quorum.peers.awaits(rpc.FetchRequest):
        _fetch_from_next_voter(quorum, turn)


def _fetch_from_next_voter(quorum: Quorum, turn: Turn) -> None:
    """Fetch from the next voter that has no request in flight."""
    sources = _sources(quorum)
    for step in range(len(sources)):
        peer_id, endpoint = sources[(quorum.next_fetch_index + step) % len(sources)]
        if quorum.peers.is_free(peer_id, turn.now_ms):
            quorum.fetch_next_from((quorum.next_fetch_index + step + 1) % len(sources))
            request = messages.fetch_request(quorum, FETCH_WAIT_MS)
            quorum.peers.send(peer_id, endpoint, request, turn)
            return


def _sources(quorum: Quorum) -> list[tuple[int, VoterEndpoint]]:
    """Returns the other voters with their addresses; while none is known, the bootstrap servers.

    A bootstrap server has a negative id until its response names the leader, as in Kafka.
    """
    voters = [
        (voter.voter_id, quorum.endpoint_of(voter.endpoints)) for voter in quorum.other_voters
    ]
    servers = quorum.identity.bootstrap_servers
    return voters or [(FIRST_SERVER_ID - at, server) for at, server in enumerate(servers)]


def on_response(
    quorum: Quorum, peer_id: int, request: rpc.FetchRequest, response: rpc.FetchResponse, turn: Turn
) -> bool:
    """Handle a Fetch response.

    Returns False if the next fetch should wait for a moment.
    """
    data = messages.sole_partition(response.responses)
    if response.error_code or data is None:
        return False
    leader = data.current_leader
    epochs.note_epoch(quorum, peer_id, leader.leader_epoch)
    epochs.learn(quorum, leader.leader_epoch, leader.leader_id, response.node_endpoints, turn)
    requested_epoch = request.topics[0].partitions[0].current_leader_epoch
    is_from_leader = isinstance(quorum.role, Follower) and peer_id == quorum.leader_id
    if data.error_code or requested_epoch != quorum.epoch or not is_from_leader:
        return data.error_code == ErrorCode.FENCED_LEADER_EPOCH and requested_epoch < quorum.epoch
    before = _position(quorum)
    if not _take(quorum, data, turn):
        return False
    quorum.note_fetched(turn)
    waited_ms = turn.now_ms - quorum.peers.sent_ms(peer_id)
    return _position(quorum) != before or waited_ms >= FETCH_WAIT_MS // 2


def _position(quorum: Quorum) -> Hashable:
    """Returns the state that a useful response changes, to be compared before and after."""
    return quorum.log.end_offset, quorum.leader_high_watermark, quorum.download


def _take(quorum: Quorum, data: rpc.FetchPartitionData, turn: Turn) -> bool:
    """Append or truncate as a response says.

    Returns False if no leader of this epoch could send such a response.
    """
    diverging, snapshot_id = data.diverging_epoch, data.snapshot_id
    if diverging.epoch >= 0:
        return _give_back(quorum, diverging, turn)
    if snapshot_id.epoch >= 0 or snapshot_id.end_offset >= 0:
        return snapshots.begin(quorum, snapshot_id)
    for batch in data.records or ():
        if batch.base_offset >= quorum.log.end_offset:
            if not _continues(quorum, batch):
                return False
            quorum.accept(batch, turn)
    quorum.learn_high_watermark(data.high_watermark)
    advance(quorum)
    return True


def _continues(quorum: Quorum, batch: Batch) -> bool:
    """True if the batch may follow this log.

    Offsets are dense, epochs never decrease and never exceed the leader's (rules 9.33, 9.43).
    """
    log = quorum.log
    follows = batch.base_offset == log.end_offset and bool(batch.records)
    return follows and log.last_epoch <= batch.epoch <= quorum.epoch


def _give_back(quorum: Quorum, diverging: rpc.EpochEndOffset, turn: Turn) -> bool:
    """Truncate the log where it diverges from the leader's, then fetch again (rule 10.34).

    The leader's offset counts for an epoch that this log has too. Committed records are never
    truncated: a leader has them all (rule 9.40).
    """
    log = quorum.log
    epoch, end_offset = log.end_offset_for_epoch(diverging.epoch)
    if epoch == diverging.epoch:
        end_offset = min(end_offset, diverging.end_offset)
    kept = min(diverging.end_offset, log.end_if_truncated(end_offset))
    if kept < quorum.high_watermark:
        return False
    quorum.truncate(end_offset, turn)
    return True


def advance(quorum: Quorum) -> None:
    """Raise the high watermark to the leader's, as far as this log is durable (rule 10.31)."""
    quorum.advance_high_watermark(min(quorum.persisted_offset, quorum.leader_high_watermark))
