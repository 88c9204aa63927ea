"""The identity of a controller and its policies; `raft/protocol.py` has its inputs and outputs."""

from collections.abc import Mapping
from dataclasses import field, replace

from ..core.log.control_records import Voter, VoterEndpoint
from ..core.log.records import Record
from ..core.policies import NO_POLICIES, Policies
from ..core.profile import Profile
from ..core.uuid import ZERO_UUID, Uuid
from ..core.value import value
from ..raft.identity import LISTENER, Identity
from ..raft.voters import ReplicaKey, VoterSet


@value
class NodeConfig:
    """The identity of a controller.

    `listener_name` is that of every controller's listener (`controller.listener.names`).
    `voters` are the initial voters; if empty, this controller is the only voter, unless it has
    `bootstrap_servers`, from which it learns the voters. `kraft_version` 1 keeps the voters in the
    log (KIP-853). `may_have_lost_log`: a former process may have run and lost its log and its
    vote. `bootstrap` are the records of an empty log, of a formatted directory; without them, those
    of `metadata_version`, by default the profile's. `static` are other texts of its property file.
    """

    node_id: int
    cluster_id: str
    host: str
    port: int
    listener_name: str = LISTENER
    directory_id: Uuid
    voters: tuple[Voter, ...] = ()
    bootstrap_servers: tuple[VoterEndpoint, ...] = ()
    kraft_version: int = 1
    metadata_version: int | None = None
    bootstrap: tuple[Record, ...] = ()
    may_have_lost_log: bool = False
    policies: Policies = NO_POLICIES
    static: Mapping[str, str] = field(default_factory=dict)

    @property
    def endpoint(self) -> VoterEndpoint:
        """This controller's own listener."""
        return VoterEndpoint(name=self.listener_name, host=self.host, port=self.port)

    @property
    def static_voter_ids(self) -> tuple[int, ...]:
        """The ids in `controller.quorum.voters`, which a dynamic quorum does not have."""
        if self.kraft_version or self.bootstrap_servers:
            return ()
        return tuple(voter.voter_id for voter in self.voters) or (self.node_id,)

    @property
    def properties(self) -> dict[str, str]:
        """The configurations of Kafka's with which such a controller is started."""
        listener = f"{self.listener_name}://{self.host}:{self.port}"
        others = [(v.voter_id, v.endpoints[0]) for v in self.voters if v.endpoints]
        voters = others or [(self.node_id, self.endpoint)]
        addresses = [f"{endpoint.host}:{endpoint.port}" for _, endpoint in voters]
        servers = [f"{endpoint.host}:{endpoint.port}" for endpoint in self.bootstrap_servers]
        quorum = (
            {"controller.quorum.bootstrap.servers": ",".join(servers or addresses)}
            if self.kraft_version or servers
            else {
                "controller.quorum.voters": ",".join(
                    f"{voter_id}@{address}"
                    for (voter_id, _), address in zip(voters, addresses, strict=True)
                )
            }
        )
        return {
            **self.static,
            **quorum,
            **dict(self.policies.names),
            "process.roles": "controller",
            "node.id": str(self.node_id),
            "broker.id": str(self.node_id),
            "listeners": listener,
            "advertised.listeners": listener,
            "controller.listener.names": self.listener_name,
            "listener.security.protocol.map": f"{self.listener_name}:PLAINTEXT",
        }

    def identity_in(self, profile: Profile) -> Identity:
        """Returns the identity, with what the release can do in a quorum."""
        return replace(
            self.identity,
            updates_static_voters=profile.upgrades_kraft_version,
            says_none=profile.voter_changes_say_none,
            prints_optional_ids=profile.prints_optional_ids,
            has_pre_votes=profile.has_pre_votes,
            bounds_fetches=profile.bounds_quorum_fetches,
        )

    @property
    def identity(self) -> Identity:
        """The part of the configuration that the quorum needs."""
        alone = Identity(
            key=ReplicaKey(self.node_id, self.directory_id),
            cluster_id=self.cluster_id,
            endpoint=self.endpoint,
            voters=VoterSet(self.voters),
            kraft_version=self.kraft_version,
            may_have_lost_log=self.may_have_lost_log,
            bootstrap_servers=self.bootstrap_servers,
        )
        if self.voters or self.bootstrap_servers:
            return alone
        # static voters have an id and an address only (rule 5.37)
        directory_id = self.directory_id if self.kraft_version else ZERO_UUID
        return alone.with_voters((replace(alone.as_voter, voter_directory_id=directory_id),))
