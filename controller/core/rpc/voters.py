"""Changes of the voters: AddRaftVoter (80), RemoveRaftVoter (81), UpdateRaftVoter (82), KIP-853."""

from ..uuid import Uuid
from ..value import value
from .quorum import QuorumEndpoint


@value
class AddRaftVoterRequest:
    """`ack_when_committed` false (version 1): answer as soon as the leader has written it."""

    cluster_id: str | None = None
    timeout_ms: int = 0
    voter_id: int
    voter_directory_id: Uuid
    listeners: tuple[QuorumEndpoint, ...] = ()
    ack_when_committed: bool = True


@value
class AddRaftVoterResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None


@value
class RemoveRaftVoterRequest:
    cluster_id: str | None = None
    voter_id: int
    voter_directory_id: Uuid


@value
class RemoveRaftVoterResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None


@value
class KRaftVersionFeature:
    min_supported_version: int = 0
    max_supported_version: int = 0


@value
class UpdateRaftVoterRequest:
    cluster_id: str | None = None
    current_leader_epoch: int = -1
    voter_id: int
    voter_directory_id: Uuid
    listeners: tuple[QuorumEndpoint, ...] = ()
    k_raft_version_feature: KRaftVersionFeature = KRaftVersionFeature()


@value
class CurrentVoterLeader:
    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0


@value
class UpdateRaftVoterResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentVoterLeader = CurrentVoterLeader()
