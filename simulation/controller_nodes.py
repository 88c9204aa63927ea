"""Builds the controllers of a topology: their configurations, and the node of each process."""

from collections.abc import Callable
from dataclasses import replace

from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import ZERO_UUID, random_uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.snapshot import SnapshotFormat

from .disks import Stored
from .topology import ControllerSpec, Topology

# A follower retries a lost request after 2 s, which is also its fetch timeout. The spread gives
# every controller but the first time to retry in a lossy network before it starts an election.
FETCH_TIMEOUT_SPREAD_MS = 20

Draw = Callable[[], float]


def configs_of(topology: Topology, draw_of: Callable[[NodeId], Draw]) -> tuple[NodeConfig, ...]:
    """Returns the configuration of every controller, with all controllers as voters.

    Each controller draws its own directory id. With `kraft_version` 0 the voters have no
    directory ids, because static voters are known by id and address only.
    """
    configs = [
        _config(controller, topology, draw_of(controller_node(controller.node_id)))
        for controller in topology.controllers
    ]
    voters = tuple(config.identity.as_voter for config in configs)
    if topology.kraft_version == 0:  # static voters: known by id and address
        voters = tuple(replace(voter, voter_directory_id=ZERO_UUID) for voter in voters)
    return tuple(replace(config, voters=voters) for config in configs)


def _config(spec: ControllerSpec, topology: Topology, draw: Draw) -> NodeConfig:
    return NodeConfig(
        node_id=spec.node_id,
        cluster_id=topology.cluster_id,
        host=spec.host,
        port=spec.port,
        directory_id=random_uuid(draw),
        metadata_version=topology.first_metadata_version,
        kraft_version=topology.kraft_version,
        policies=topology.policies,
        static=topology.static,
    )


def installed_of(topology: Topology) -> dict[int, Profile]:
    """Returns the release of each controller of the topology, by its id."""
    return {spec.node_id: spec.profile or topology.profile for spec in topology.controllers}


def node_of(
    config: NodeConfig,
    stored: Stored,
    topology: Topology,
    profile: Profile,
    draw: Draw,
    snapshot_format: SnapshotFormat,
) -> Node:
    """Returns the node of a new process, with the durable state of the previous process.

    `profile` is the release that the process runs.
    The fetch timeout grows with the controller's position in the topology
    (`FETCH_TIMEOUT_SPREAD_MS`).
    """
    index = [controller.node_id for controller in topology.controllers].index(config.node_id)
    fetch_timeout_ms = topology.settings.controller_quorum_fetch_timeout_ms
    return Node(
        replace(config, directory_id=stored.directory_id),
        profile=profile,
        settings=replace(
            topology.settings,
            controller_quorum_fetch_timeout_ms=fetch_timeout_ms + index * FETCH_TIMEOUT_SPREAD_MS,
        ),
        random=draw,
        snapshot_format=snapshot_format,
        log=stored.log,
        stored=stored.election,
        snapshot=stored.snapshot,
    )
