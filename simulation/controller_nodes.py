"""The controllers of a topology: their configurations, and a node over what a disk has stored."""

from collections.abc import Callable
from dataclasses import replace

from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.core.uuid import ZERO_UUID, random_uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.snapshot import SnapshotFormat

from .disks import Stored
from .topology import ControllerSpec, Topology

# A request that is lost is asked again after 2 s, as long as a follower waits for its leader. In a
# network that loses messages all but the first have time to ask again before they stand.
FETCH_TIMEOUT_SPREAD_MS = 20

Draw = Callable[[], float]


def configs_of(topology: Topology, draw_of: Callable[[NodeId], Draw]) -> tuple[NodeConfig, ...]:
    """Of every controller, with all of them as voters; each draws its own directory id."""
    configs = [
        _config(one, topology, draw_of(controller_node(one.node_id)))
        for one in topology.controllers
    ]
    voters = tuple(config.identity.as_voter for config in configs)
    if topology.kraft_version == 0:  # who votes is known by configuration, by id and address
        voters = tuple(replace(one, voter_directory_id=ZERO_UUID) for one in voters)
    return tuple(replace(config, voters=voters) for config in configs)


def _config(spec: ControllerSpec, topology: Topology, draw: Draw) -> NodeConfig:
    return NodeConfig(
        node_id=spec.node_id,
        cluster_id=topology.cluster_id,
        host=spec.host,
        port=spec.port,
        directory_id=random_uuid(draw),
        metadata_version=topology.metadata_version,
        kraft_version=topology.kraft_version,
    )


def node_of(
    config: NodeConfig,
    stored: Stored,
    topology: Topology,
    draw: Draw,
    snapshot_format: SnapshotFormat,
) -> Node:
    """A new process's, over what the one before had made durable."""
    place = [one.node_id for one in topology.controllers].index(config.node_id)
    fetch_timeout_ms = topology.settings.controller_quorum_fetch_timeout_ms
    return Node(
        replace(config, directory_id=stored.directory_id),
        profile=topology.profile,
        settings=replace(
            topology.settings,
            controller_quorum_fetch_timeout_ms=fetch_timeout_ms + place * FETCH_TIMEOUT_SPREAD_MS,
        ),
        random=draw,
        snapshot_format=snapshot_format,
        log=stored.log,
        stored=stored.election,
        snapshot=stored.snapshot,
    )
