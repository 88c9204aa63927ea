"""The calm after a run: who is healed, and what stays broken beside them.

A cluster that heals only when everybody is well again is of little use: what must come right in the
end must do so with a majority of the controllers. So one is drawn, and the rest stays as the faults
have left it: killed, cut off or standing still.
"""

from random import Random

from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.simulation.world import World

from ..document.calm import ALL, Calm
from ..stage.stage import Stage


def core_of(calm: Calm, stage: Stage) -> frozenset[NodeId]:
    """Who is healed, and of whom it is asked that all is well in the end."""
    world, stream = stage.world, stage.stream("calm")
    controllers = () if calm.heals == ALL else _surviving_majority(world, stream)
    if not controllers:  # too few remember what they have promised: what is left needs everybody
        return frozenset(world.nodes)
    return frozenset((*controllers, *calm.brokers.nodes(world, stage.bound, stream)))


def _surviving_majority(world: World, stream: Random) -> tuple[NodeId, ...]:
    """Drawn from those that vote; whoever has lost its directory does not (KIP-853)."""
    latest = max((one.node.quorum for one in world.controllers.values()), key=lambda q: q.epoch)
    voters = latest.voters
    surviving = [
        controller_node(node_id)
        for node_id, process in world.controllers.items()
        if voters.includes(ReplicaKey(node_id, process.disk.stored.directory_id))
    ]
    if len(surviving) < voters.majority:
        return ()
    return tuple(sorted(stream.sample(surviving, voters.majority)))
