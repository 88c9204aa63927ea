"""Voter changes (KIP-853): AddRaftVoter (80), RemoveRaftVoter (81), UpdateRaftVoter (82)."""

from ..uuid import Uuid
from ..value import value
from .quorum import QuorumEndpoint


@value
class AddRaftVoterRequest:
    """AddRaftVoter (80).

    If `ack_when_committed` is false (version 1), the leader replies once it has written the change.
    """

    cluster_id: str | None = None
    timeout_ms: int = 0
    voter_id: int
    voter_directory_id: Uuid
    listeners: tuple[QuorumEndpoint, ...] = ()
    ack_when_committed: bool = True


@value
class AddRaftVoterResponse:
    """The reply to an AddRaftVoter request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None


@value
class RemoveRaftVoterRequest:
    """RemoveRaftVoter (81)."""

    cluster_id: str | None = None
    voter_id: int
    voter_directory_id: Uuid


@value
class RemoveRaftVoterResponse:
    """The reply to a RemoveRaftVoter request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None


@value
class KRaftVersionFeature:
    """The levels of kraft.version that a voter supports."""

    min_supported_version: int = 0
    max_supported_version: int = 0


@value
class UpdateRaftVoterRequest:
    """UpdateRaftVoter (82)."""

    cluster_id: str | None = None
    current_leader_epoch: int = -1
    voter_id: int
    voter_directory_id: Uuid
    listeners: tuple[QuorumEndpoint, ...] = ()
    k_raft_version_feature: KRaftVersionFeature = KRaftVersionFeature()


@value
class CurrentVoterLeader:
    """The leader and its address; -1 if unknown."""

    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0


@value
class UpdateRaftVoterResponse:
    """The reply to an UpdateRaftVoter request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentVoterLeader = CurrentVoterLeader()
