"""Runs the own nodes of a world on its timeline, beside listeners of its brokers."""

import asyncio
import gc
import random
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.scenarios.document.own_node import OwnNode
from kraftsim.scenarios.running.own_code import HOSTS
from kraftsim.simulation.world import World

from ..simulated_loop.attached import NetworkLinks
from ..simulated_loop.hosts import Hosts
from ..simulated_loop.process import SimulatedProcess
from ..simulated_loop.real_clocks import ReplacedClocks, chance_seeded, collected_by_loops
from .cluster import WorldCluster
from .mains import main_of

SERVICE = "kraft"  # the host of what serves the cluster


STREAM = random.Random(0)  # of chance in the run under way
CLOCKS = ReplacedClocks(STREAM)


class HostedNodes:
    """Processes of own nodes on the timeline of a world, beside one that serves its cluster."""

    def __init__(
        self, world: World, nodes: Mapping[str, OwnNode], data_plane: DataPlane | None = None
    ) -> None:
        self._world, self._data_plane = world, data_plane
        self._hosts = Hosts(world.timeline, NetworkLinks(world))
        self._service = SimulatedProcess(self._hosts, SERVICE, self._serve, _tell_nobody)
        self._cluster: WorldCluster | None = None
        self._processes = [self._added(name, node) for name, node in nodes.items()]

    def _added(self, name: str, node: OwnNode) -> SimulatedProcess:
        own, number = self._world.own, self._world.own.named(name)
        main, report = partial(self._run, node), partial(own.note_state, name)
        clock = self._world.clocks[number]
        process = own.processes[number] = SimulatedProcess(self._hosts, name, main, report, clock)
        return process

    def open(self) -> None:
        """Opens the listeners."""
        self._service.start()

    async def _serve(self) -> None:
        self._cluster = WorldCluster(self._world, self._data_plane)
        await self._cluster.listen()
        await self._opened(self._cluster)
        await asyncio.Event().wait()

    async def _opened(self, cluster: WorldCluster) -> None:
        """Called once the listeners are open."""

    def begin(self) -> None:
        """Starts the processes."""
        if self._service.error is not None:
            raise self._service.error
        for process in self._processes:
            process.start()

    async def _run(self, node: OwnNode) -> None:
        assert self._cluster is not None, "the listeners open before"
        await main_of(node)(self._cluster)

    def close(self) -> None:
        """Ends the processes with the world."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # a killed process closes nothing
            for process in (*self._processes, self._service):
                process.forget()
            gc.collect()


def _tell_nobody() -> None:
    """Nobody asks for the state of what serves the cluster."""


class NodesOfRun(HostedNodes):
    """The own nodes of one run of a scenario, with the clocks and the chance of the run."""

    def __init__(self, world: World, nodes: Mapping[str, OwnNode], seed: int) -> None:
        super().__init__(world, nodes)
        self._seed = seed
        self._undo = ExitStack()

    def open(self) -> None:
        """Replaces the real clocks, and opens the listeners."""
        STREAM.seed(self._seed)
        CLOCKS.replace()
        self._undo.callback(CLOCKS.put_back)
        self._undo.enter_context(chance_seeded(self._seed))
        self._undo.enter_context(collected_by_loops())
        super().open()

    def close(self) -> None:
        """Ends the processes with the run."""
        super().close()
        self._undo.close()


def allow() -> None:
    """Lets the nodes of scenarios run their code in this process."""
    HOSTS[:] = [NodesOfRun]
