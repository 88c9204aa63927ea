"""The Kafka listeners of a fleet in its own process: at most one for each of its brokers."""

import asyncio
import logging
from functools import partial

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.fleet import Fleet
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.server.runtime import Runtime

from .binding import binding
from .facades import ClientView, Facade
from .followed_listener import FollowedListener

log = logging.getLogger(__name__)


class FleetFacades:
    """The facades of a fleet. `bootstrap_servers` lists their addresses; empty if none is bound."""

    def __init__(self, fleet: Fleet, runtime: Runtime) -> None:
        self._fleet = fleet
        self._runtime = runtime
        self._listeners: dict[int, FollowedListener] = {}
        self.data_plane = DataPlane(log.warning)
        self.bootstrap_servers = ""

    async def bind(self, broker_id: int, host: str, port: int) -> int:
        """Binds a port for the broker before it registers, and returns the port.

        Raises PortUnavailable if the port is in use or forbidden.
        """
        listener = FollowedListener("broker", f"broker-{broker_id}", host)
        with binding("kafka_port", host, port):
            bound = await listener.bind(port)
        self._listeners[broker_id] = listener
        servers = (self.bootstrap_servers, f"{host}:{bound}")
        self.bootstrap_servers = ",".join(filter(None, servers))
        return bound

    def serve(self, view: ClientView) -> None:
        """Starts to answer requests on every bound port."""
        for broker_id, listener in self._listeners.items():
            ask = partial(self._fleet.forward, broker_id)
            facade = Facade(
                view, self._fleet.agents[broker_id], self._runtime, ask, self.data_plane
            )
            listener.serve(self._runtime, facade.describe, facade.answer, view.profile)

    def follow(self, broker_id: int, state: ProcessState) -> None:
        """Opens, holds or closes the broker's listener as the state of its process requires."""
        listener = self._listeners.get(broker_id)
        if listener is not None:
            agent = self._fleet.agents[broker_id]
            listener.follow(state, lambda: agent.is_alive)

    async def close(self) -> None:
        """Closes every listener."""
        await asyncio.gather(*(listener.shut() for listener in self._listeners.values()))
