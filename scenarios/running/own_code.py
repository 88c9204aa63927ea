"""Who runs the code of a scenario's own nodes: `nodes: {operator: "my_package.operator:main"}`.

Code needs an event loop, which this package does not have. `kraftsim.own_nodes` has one, and
registers itself once a user has allowed that the code of a scenario runs.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from kraftsim.controller.time.clock import Clock
from kraftsim.simulation.world import World

from ..document.own_node import OwnNode
from ..document.step import LimitError

SOURCES: dict[str, str] = {}
"""The Python files beside scenarios that their nodes run, by the name of the file."""


class Hosted(Protocol):
    """The own nodes of one run."""

    def open(self) -> None:
        """Opens the listeners of the cluster for them; the world has started."""

    def begin(self) -> None:
        """Starts their processes."""

    def close(self) -> None:
        """Ends them, with the run."""


class NoNodes:
    """The own nodes of a run without any."""

    def open(self) -> None:
        """Does nothing."""

    begin = close = open


Host = Callable[[World, Mapping[str, OwnNode], int], Hosted]
HOSTS: list[Host] = []


def name_nodes(world: World, nodes: Mapping[str, OwnNode]) -> None:
    """Gives the nodes of a scenario their names, racks and clocks, before anything runs."""
    for name, node in nodes.items():
        number = world.own.name(name)
        world.clocks[number] = Clock(world.timeline)
        if node.rack is not None:
            world.own.racks[number] = node.rack


def hosted(world: World, nodes: Mapping[str, OwnNode], seed: int) -> Hosted:
    """Returns the own nodes of a run. Raises LimitError if nobody has allowed their code."""
    if not nodes:
        return NoNodes()
    if not HOSTS:
        mains = ", ".join(node.main for node in nodes.values())
        raise LimitError(f"expected --allow-code, because the nodes of the scenario run {mains}")
    return HOSTS[0](world, nodes, seed)
