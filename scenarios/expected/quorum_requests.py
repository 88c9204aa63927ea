"""Expected requests between replicas, and expected waits (section 10 of the rules).

Each function of `ASKS` reads the state of a replica after it has sent a request, and returns the
fields of the request and their expected values.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kraftsim.controller.core import rpc
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Prospective

from .quorum import METADATA_TOPIC, SLICE_BYTES_MAX, Outcome, sole

Compared = tuple[Outcome, Outcome]
"""The fields of a request, and their expected values."""
FETCH_WAIT_MS = 500  # rule 10.35
KRAFT_VERSIONS = (0, 1)  # that a replica supports (KIP-853)


def _vote(quorum: Quorum, peer_id: int, request: rpc.VoteRequest) -> Compared:
    asked, voter, me = sole(request.topics), quorum.voters.find(peer_id), quorum.me
    told = (
        *(request.cluster_id, request.voter_id, asked.voter_directory_id, asked.replica_epoch),
        *(asked.replica_id, asked.replica_directory_id, asked.pre_vote),
        *(asked.last_offset_epoch, asked.last_offset),
    )
    expected = (
        *(quorum.identity.cluster_id, peer_id, voter and voter.voter_directory_id, quorum.epoch),
        *(me.node_id, me.directory_id, isinstance(quorum.role, Prospective)),
        *(quorum.log.last_epoch, quorum.log.end_offset),
    )
    return told, expected


def _begin(quorum: Quorum, peer_id: int, request: rpc.BeginQuorumEpochRequest) -> Compared:
    asked, voter = sole(request.topics), quorum.voters.find(peer_id)
    told = (
        *(request.cluster_id, request.voter_id, asked.voter_directory_id),
        *(asked.leader_id, asked.leader_epoch, _places(request.leader_endpoints)),
    )
    expected = (
        *(quorum.identity.cluster_id, peer_id, voter and voter.voter_directory_id),
        *(quorum.me.node_id, quorum.epoch, _own_places(quorum)),
    )
    return told, expected


def _end(quorum: Quorum, peer_id: int, request: rpc.EndQuorumEpochRequest) -> Compared:
    asked = sole(request.topics)
    told = (request.cluster_id, asked.leader_id, asked.leader_epoch)
    return told, (quorum.identity.cluster_id, quorum.me.node_id, quorum.epoch)


def _fetch(quorum: Quorum, peer_id: int, request: rpc.FetchRequest) -> Compared:
    asked, me, log = sole(request.topics), quorum.me, quorum.log
    told = (
        *(request.cluster_id, request.replica_state.replica_id, asked.replica_directory_id),
        *(request.topics[0].topic_id, asked.partition, request.max_wait_ms),
        *(asked.current_leader_epoch, asked.fetch_offset, asked.last_fetched_epoch),
        asked.high_watermark,
    )
    expected = (
        *(quorum.identity.cluster_id, me.node_id, me.directory_id),
        *(METADATA_TOPIC_ID, 0, FETCH_WAIT_MS),
        *(quorum.epoch, min(log.end_offset, quorum.persisted_offset), log.last_epoch),
        quorum.high_watermark,
    )
    return told, expected


def _fetch_snapshot(quorum: Quorum, peer_id: int, request: rpc.FetchSnapshotRequest) -> Compared:
    """A replica asks its leader for the next slice of the snapshot that it downloads (10.44)."""
    asked, me, download = sole(request.topics), quorum.me, quorum.download
    told = (
        *(request.cluster_id, peer_id, request.replica_id, asked.replica_directory_id),
        *(request.topics[0].name, asked.partition, request.max_bytes),
        *(asked.current_leader_epoch, asked.snapshot_id, asked.position),
    )
    configured = quorum.settings.controller_quorum_fetch_snapshot_max_bytes
    most = configured if quorum.identity.bounds_fetches else SLICE_BYTES_MAX
    expected = (
        *(quorum.identity.cluster_id, quorum.leader_id, me.node_id, me.directory_id),
        *(METADATA_TOPIC, 0, most, quorum.epoch),
        *((download.snapshot_id, len(download.data)) if download is not None else (None, None)),
    )
    return told, expected


def _add(quorum: Quorum, peer_id: int, request: rpc.AddRaftVoterRequest) -> Compared:
    """An observer joins by itself if no voter has its id; the reply does not wait (KIP-1186)."""
    told = (
        *_changed_voter(peer_id, request, request.listeners),
        *(request.timeout_ms, request.ack_when_committed),
        *_may_join(quorum),
        quorum.me.node_id in quorum.voters.ids,
    )
    expected = (
        *(quorum.identity.cluster_id, quorum.leader_id, *quorum.me, _own_places(quorum)),
        *(quorum.settings.controller_quorum_request_timeout_ms, False),
        *(True, True, False),
    )
    return told, expected


def _remove(quorum: Quorum, peer_id: int, request: rpc.RemoveRaftVoterRequest) -> Compared:
    """An observer that joins by itself removes the voter of its id, with another directory."""
    former = quorum.voters.find(quorum.me.node_id)
    told = (*_changed_voter(peer_id, request, ()), *_may_join(quorum), quorum.is_voter)
    expected: Outcome = (
        *(quorum.identity.cluster_id, quorum.leader_id, quorum.me.node_id),
        *(former and former.voter_directory_id, frozenset()),
        *(True, True, False),
    )
    return told, expected


def _update(quorum: Quorum, peer_id: int, request: rpc.UpdateRaftVoterRequest) -> Compared:
    """A voter sends its address and versions if the log has others (rule 10.53)."""
    known, feature = quorum.voters.find(quorum.me.node_id), request.k_raft_version_feature
    told = (
        *_changed_voter(peer_id, request, request.listeners),
        request.current_leader_epoch,
        (feature.min_supported_version, feature.max_supported_version),
        known is not None and known != quorum.identity.as_voter,
    )
    expected = (
        *(quorum.identity.cluster_id, quorum.leader_id, *quorum.me, _own_places(quorum)),
        *(quorum.epoch, KRAFT_VERSIONS, True),
    )
    return told, expected


def _changed_voter(peer_id: int, request: Any, listeners: Iterable[Any]) -> Outcome:
    key = request.voter_id, request.voter_directory_id
    return request.cluster_id, peer_id, *key, _places(listeners)


def _may_join(quorum: Quorum) -> tuple[bool, bool]:
    """Returns whether auto join is enabled, and whether the log may have voters."""
    joins = quorum.settings.controller_quorum_auto_join_enable
    return joins, quorum.history.kraft_version > 0


def _places(listeners: Iterable[Any]) -> frozenset[Outcome]:
    return frozenset((place.name, place.host, place.port) for place in listeners)


def _own_places(quorum: Quorum) -> frozenset[Outcome]:
    return _places((quorum.identity.endpoint,))


ASKS: Mapping[type, Callable[[Quorum, int, Any], Compared]] = {
    rpc.VoteRequest: _vote,
    rpc.BeginQuorumEpochRequest: _begin,
    rpc.EndQuorumEpochRequest: _end,
    rpc.FetchRequest: _fetch,
    rpc.FetchSnapshotRequest: _fetch_snapshot,
    rpc.AddRaftVoterRequest: _add,
    rpc.RemoveRaftVoterRequest: _remove,
    rpc.UpdateRaftVoterRequest: _update,
}
PERIODS: Mapping[type, int] = {
    rpc.UpdateRaftVoterRequest: 3,
    rpc.AddRaftVoterRequest: 1,
    rpc.RemoveRaftVoterRequest: 1,
}
"""Fetch timeouts between two requests of a follower about itself (rule 10.53, KIP-1186)."""


def patience_ms(quorum: Quorum, request: rpc.EndQuorumEpochRequest) -> int:
    """Returns how long a voter waits before an election once its leader has resigned (10.40).

    The first successor does not wait, each later successor waits twice as long as the one before
    it, up to the maximum, and other voters wait the maximum.
    """
    asked, me = sole(request.topics), quorum.me
    named = [
        (candidate.candidate_id, candidate.candidate_directory_id)
        for candidate in asked.preferred_candidates
    ] or [(successor, ZERO_UUID) for successor in asked.preferred_successors]
    most_ms = quorum.settings.controller_quorum_election_backoff_max_ms
    for number, (node_id, directory_id) in enumerate(named):
        if node_id == me.node_id and directory_id in (ZERO_UUID, me.directory_id):
            shared_ms = most_ms >> len(named) - 1
            return min(most_ms, shared_ms << number - 1) if number else 0
    return most_ms
