"""The identity of a replica: its key, its address, and the voters of its configuration."""

from dataclasses import field, replace

from ..core.log.control_records import VersionRange, Voter, VoterEndpoint
from ..core.value import slotted
from .voters import ReplicaKey, VoterSet

LISTENER = "CONTROLLER"
RAFT_VERSIONS = VersionRange(min_supported_version=0, max_supported_version=1)


@slotted(kw_only=True)
class Identity:
    """The identity of a replica, and the voters it knows before it reads a log.

    `voters` are the configured voters at kraft.version `kraft_version`. If `may_have_lost_log`, a
    former process may have run and lost its log and its vote. `bootstrap_servers` are controllers
    to fetch from while no voter is known (controller.quorum.bootstrap.servers). If
    `updates_static_voters`, it accepts UpdateRaftVoter at kraft.version 0, unlike Kafka 3.9. If
    `says_none`, a change of voters that succeeds is answered with the text NONE, as before 4.3. If
    `has_pre_votes`, it asks for pre-votes before it raises its epoch, unlike Kafka 3.9. If
    `bounds_fetches`, configurations say how many bytes it asks for, and a Fetch gets no more than
    it asks for, unlike Kafka before 4.3.
    `as_voter` is this replica's entry in a voters record.
    """

    key: ReplicaKey
    cluster_id: str
    endpoint: VoterEndpoint
    voters: VoterSet
    kraft_version: int = 1
    may_have_lost_log: bool = False
    bootstrap_servers: tuple[VoterEndpoint, ...] = ()
    updates_static_voters: bool = True
    says_none: bool = False
    has_pre_votes: bool = True
    bounds_fetches: bool = True
    as_voter: Voter = field(init=False)

    def __post_init__(self) -> None:
        self.as_voter = Voter(
            voter_id=self.key.node_id,
            voter_directory_id=self.key.directory_id,
            endpoints=(self.endpoint,),
            k_raft_version_feature=RAFT_VERSIONS,
        )

    def with_voters(self, voters: tuple[Voter, ...]) -> "Identity":
        """Returns a copy with other voters."""
        return replace(self, voters=VoterSet(voters))
