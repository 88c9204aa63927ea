"""Identities and disks of the nodes in a search."""

from dataclasses import dataclass, field

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import VoterEndpoint
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.identity import Identity
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.controller.raft.voters import ReplicaKey

FIRST_ID = 101  # neither an epoch nor an offset, because renaming finds ids by value
BROKER_ID = 1
CLUSTER_ID = "exploredexploredexplo4"
HOST, FIRST_PORT = "127.0.0.1", 9000
# 3.6-IV2: controllers that do not register have fewer requests to explore
CONTROLLERS_DO_NOT_REGISTER = 14


@dataclass
class Disk:
    """The durable state of a replica, which survives a crash."""

    election: ElectionState = field(default_factory=ElectionState)
    batches: list[Batch] = field(default_factory=list)
    snapshot: Snapshot | None = None


def directory_of(node_id: int) -> Uuid:
    """Returns the directory id that a node has in every search."""
    return f"directory-{node_id}".encode().rjust(16, b".")


def key_of(node_id: int) -> ReplicaKey:
    """Returns the replica key (id and directory id) of a node."""
    return ReplicaKey(node_id, directory_of(node_id))


def endpoint_of(node_id: int) -> VoterEndpoint:
    """Returns the endpoint of a controller."""
    return config_of(node_id, ()).endpoint


def config_of(node_id: int, voter_ids: tuple[int, ...]) -> NodeConfig:
    """Returns the configuration of the controller `node_id` in a quorum of `voter_ids`."""
    return NodeConfig(
        node_id=node_id,
        cluster_id=CLUSTER_ID,
        host=HOST,
        port=FIRST_PORT + node_id,
        directory_id=directory_of(node_id),
        voters=tuple(config_of(voter_id, ()).identity.as_voter for voter_id in voter_ids),
        metadata_version=CONTROLLERS_DO_NOT_REGISTER,
    )


def identity_of(node_id: int, voter_ids: tuple[int, ...]) -> Identity:
    """Returns the identity (id, directory id, endpoint) of the voter `node_id`."""
    return config_of(node_id, voter_ids).identity
