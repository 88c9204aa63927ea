"""The upgrade of nodes whose release lacks a finalized level: they could not serve in the calm."""

from collections.abc import Mapping

from kraftsim.controller.core.log.records import FeatureLevelRecord
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World


def upgrade(world: World, processes: Processes, core: frozenset[NodeId]) -> None:
    """Installs the newest release on nodes of the core whose release lacks a level.

    Kafka refuses the registration of such a broker (rule 1.30), and ends such a controller (rule
    5.65). A process that runs such a release restarts.
    """
    levels = _levels(world)
    for node in world.nodes:
        if node not in core:
            continue
        if _lacks(_installed(world, node), levels):
            processes.install(node, DEFAULT_PROFILE)
        process = world.controller_of(node) or world.agent_of(node)
        if process is not None and process.is_alive and _lacks(process.profile, levels):
            processes.restart(node)


def _levels(world: World) -> Mapping[str, int]:
    """Returns the highest level of each feature that a controller has committed, or may commit."""
    levels: dict[str, int] = {}
    for controller in world.controllers.values():
        node = controller.node
        found = [*node.committed.features.items()]
        found += [
            (record.name, record.feature_level)
            for batch in node.quorum.log.batches
            for record in batch.records
            if isinstance(record, FeatureLevelRecord)
        ]
        for name, level in found:
            levels[name] = max(level, levels.get(name, 0))
    return levels


def _installed(world: World, node: NodeId) -> Profile:
    if node.kind is Kind.CONTROLLER:
        return world.installed[node.number]
    return world.hosts[node].spec.profile or world.topology.profile


def _lacks(profile: Profile, levels: Mapping[str, int]) -> bool:
    ranges = {name: (low, high) for name, low, high in profile.supported_features}
    return any(
        not low <= level <= high
        for name, level in levels.items()
        for low, high in [ranges.get(name, (0, 0))]
        if level
    )
