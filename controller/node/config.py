"""Who a controller is. What goes into it and comes out of it stands in `raft/protocol.py`."""

from dataclasses import dataclass, replace

from ..core.log.batch import Voter, VoterEndpoint
from ..core.uuid import ZERO_UUID, Uuid
from ..raft.quorum import LISTENER, Identity
from ..raft.voters import ReplicaKey, VoterSet


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConfig:
    """`voters` are the quorum that is known from the start; none: this one alone. `kraft_version` 1
    keeps the voters in the log (KIP-853). `is_volatile`: what it had is gone with its process."""

    node_id: int
    cluster_id: str
    host: str
    port: int
    directory_id: Uuid
    voters: tuple[Voter, ...] = ()
    kraft_version: int = 1
    metadata_version: int | None = None
    is_volatile: bool = False

    @property
    def endpoint(self) -> VoterEndpoint:
        return VoterEndpoint(name=LISTENER, host=self.host, port=self.port)

    @property
    def identity(self) -> Identity:
        """What the quorum needs to know of it."""
        alone = Identity(
            key=ReplicaKey(self.node_id, self.directory_id),
            cluster_id=self.cluster_id,
            endpoint=self.endpoint,
            voters=VoterSet(self.voters),
            kraft_version=self.kraft_version,
            is_volatile=self.is_volatile,
        )
        if self.voters:
            return alone
        # static voters are known by id and address alone (rule 5.37)
        directory_id = self.directory_id if self.kraft_version else ZERO_UUID
        return alone.with_voters((replace(alone.as_voter, voter_directory_id=directory_id),))
