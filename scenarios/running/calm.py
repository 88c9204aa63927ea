"""The calm after a run: selects the nodes that are healed.

Production clusters recover while some nodes are down, so a majority of the controllers must be
enough for recovery. A random majority is healed; the other controllers stay killed, cut off or
paused, as the faults left them.
"""

from random import Random

from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.simulation.world import World

from ..document.calm import ALL, Calm
from ..stage.stage import Stage


def core_of(calm: Calm, stage: Stage) -> frozenset[NodeId]:
    """Returns the core: the nodes that are healed, and must be healthy when the calm ends.

    The nodes of a user belong to it.
    """
    world, stream = stage.world, stage.stream("calm")
    own = stage.world.own.processes
    controllers = () if calm.heals == ALL else _surviving_majority(world, stream)
    if not controllers:  # too few voters still have their directory, so the quorum needs every node
        return frozenset((*world.nodes, *own))
    return frozenset((*controllers, *own, *calm.brokers.nodes(world, stage.bound, stream)))


def _surviving_majority(world: World, stream: Random) -> tuple[NodeId, ...]:
    """Draws a majority of the voters that still have their directories (KIP-853).

    Returns no node if fewer than a majority have them.
    """
    latest = max(
        (controller.node.quorum for controller in world.controllers.values()), key=lambda q: q.epoch
    )
    voters = latest.voters
    surviving = [
        controller_node(node_id)
        for node_id, process in world.controllers.items()
        if voters.includes(ReplicaKey(node_id, process.disk.stored.directory_id))
    ]
    if len(surviving) < voters.majority:
        return ()
    return tuple(sorted(stream.sample(surviving, voters.majority)))
