"""The cluster as the code of a node sees it: the verbs of `Cluster`, over a world that runs."""

import asyncio
from typing import NoReturn

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import broker_node
from kraftsim.simulation.ports import FIRST_CONTROLLER_PORT
from kraftsim.simulation.topology import FIRST_BROKER_ID, unbound_port
from kraftsim.simulation.world import World

from ..api.cluster import Cluster
from ..api.running.simulation import Running
from ..errors import CommandError
from ..service.clock.clock_control import ClockControl
from .runtime import WorldRuntime
from .service import WorldService


class WorldCluster(Cluster):
    """A cluster whose world somebody else drives, with listeners in the simulated network.

    It is made in the loop that serves them. With a `data_plane`, it is that of the sockets of the
    same cluster.
    """

    def __init__(self, world: World, data_plane: DataPlane | None) -> None:
        topology = world.topology
        super().__init__(
            brokers=len(topology.brokers),
            controllers=len(topology.controllers),
            cluster_id=topology.cluster_id,
            profile=topology.profile.name,
            kafka_port=unbound_port(FIRST_BROKER_ID),
            controller_port=FIRST_CONTROLLER_PORT,
        )
        service = self._live.service = WorldService(self.options.host, data_plane)
        runtime = WorldRuntime(world)
        traffic = service.traffic(runtime)
        clock = ClockControl(world, runtime, traffic, moves_for_requests=False, skips=False)
        self._live.running = Running(world, runtime, clock)
        self._opening: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Opens the listeners of all nodes, and of those that come later."""
        world, service = self.world, self._live.service
        for position, node_id in enumerate(world.controllers):
            await service.open_controller(node_id, FIRST_CONTROLLER_PORT + position)
        for broker_id in world.agents:
            await service.open_broker(broker_id, self._port_of(broker_id))
        service.serve(world, self._live.now.runtime)
        for broker_id in service.brokers:
            service.serve_broker(broker_id, self._live.now.runtime)
        service.follow_all()
        loop = asyncio.get_running_loop()

        def on_agent(broker_id: int, state: ProcessState) -> None:
            if broker_id not in service.brokers and broker_id not in service.arriving:
                service.arriving.add(broker_id)
                task = loop.create_task(self._listen_of(broker_id))
                self._opening.add(task)
                task.add_done_callback(self._opening.discard)

        world.agent_listeners.append(on_agent)

    async def _listen_of(self, broker_id: int) -> None:
        """Opens the listener of a broker that has joined."""
        service = self._live.service
        await service.open_broker(broker_id, self._port_of(broker_id))
        service.serve_broker(broker_id, self._live.now.runtime)
        service.arriving.discard(broker_id)

    def _port_of(self, broker_id: int) -> int:
        return self.world.hosts[broker_node(broker_id)].spec.port

    async def start(self) -> NoReturn:
        """Raises CommandError: the cluster runs already, and its nodes do not end it."""
        raise CommandError("a node of the cluster neither starts, nor resets, nor ends it")

    async def reset(self, seed: int | None = None) -> NoReturn:
        """Raises CommandError, as `start` does."""
        await self.start()

    async def close(self) -> None:
        """Raises CommandError, as `start` does."""
        await self.start()
