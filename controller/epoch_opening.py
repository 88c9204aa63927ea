"""What a new leader writes first: a control batch that opens its epoch (rules 10.27, 10I)."""

from .core.batch import (
    ControlRecord,
    KRaftVersion,
    LeaderChange,
    VersionRange,
    Voter,
    VoterEndpoint,
    Voters,
)
from .node_types import LISTENER, NodeConfig


def opening(config: NodeConfig, *, has_voters: bool) -> tuple[ControlRecord, ...]:
    """LeaderChange; and, in a kraft.version 1 quorum whose log has none, its version and voters."""
    me = (config.node_id,)
    change = LeaderChange(leader_id=config.node_id, voters=me, granting_voters=me)
    if config.kraft_version == 0 or has_voters:
        return (change,)
    voter = Voter(
        voter_id=config.node_id,
        voter_directory_id=config.directory_id,
        endpoints=(VoterEndpoint(name=LISTENER, host=config.host, port=config.port),),
        k_raft_version_feature=VersionRange(min_supported_version=0, max_supported_version=1),
    )
    return (change, KRaftVersion(kraft_version=config.kraft_version), Voters(voters=(voter,)))
