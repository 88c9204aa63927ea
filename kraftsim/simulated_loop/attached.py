"""A cluster in a simulated loop: its time, and the network between its nodes and those of loops."""

from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.controller.core.rpc import FetchRequest
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..errors import UsageError
from .loop import SimulatedLoop
from .runtime import LoopRuntime

SEGMENT = FetchRequest()  # what a segment counts as, for rules that stop and delay all requests


def attach(loop: SimulatedLoop, world: World, speed: float) -> LoopRuntime:
    """Lets a world live in the time of a loop, and connections meet the faults of its network.

    Raises UsageError if another cluster runs in the loop: a node is a node of one network.
    """
    if isinstance(loop.hosts.links, NetworkLinks):
        raise UsageError("expected no other cluster in the simulated loop: close it first")
    loop.hosts.links = NetworkLinks(world)
    world.own.name(loop.name)
    return LoopRuntime(world.timeline, speed=speed)


class NetworkLinks:
    """The network of a world, for the connections of simulated loops."""

    def __init__(self, world: World) -> None:
        self._world, self._network = world, world.network
        self._nodes: dict[str, NodeId] = {}

    def is_open(self, sender: str, receiver: str, /) -> bool:
        """True if neither a cut nor a rule stops what `sender` sends."""
        network = self._network
        if network.is_whole and not network.rules:
            return True
        from_node, to_node = self._node(sender), self._node(receiver)
        if not network.is_open(from_node, to_node):
            return False
        segment = Message(from_node, to_node, SEGMENT)
        for rule in network.rules:
            if rule.stops(segment):
                rule.hit(segment)
                return False
        return True

    def delay_us(self, sender: str, receiver: str, /) -> int:
        """Draws how long a segment takes."""
        if not self._network.delays or sender == receiver:
            return 0
        return self._network.lag_us(self._node(receiver), self._node(sender), is_reply=False)

    def _node(self, name: str) -> NodeId:
        if name not in self._nodes:
            kind, _, number = name.partition("-")
            if number.isdigit() and kind == "broker":
                self._nodes[name] = broker_node(int(number))
            elif number.isdigit() and kind == "controller":
                self._nodes[name] = controller_node(int(number))
            else:
                self._nodes[name] = self._world.own.name(name)
        return self._nodes[name]
