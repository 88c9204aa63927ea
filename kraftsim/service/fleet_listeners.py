"""The Kafka listeners of a fleet in its own process, by broker and name."""

import asyncio
import logging
from dataclasses import replace
from functools import partial

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.fleet import Fleet
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.kept_replies import KeptReplies
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.feature_levels import METADATA_VERSION
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.profile import PROFILES, Profile
from kraftsim.controller.server.runtime import Runtime

from .binding import binding
from .broker_apis import BrokerApis, message_waits
from .client_view import ClientView
from .followed_listener import FollowedListener

log = logging.getLogger(__name__)


class FleetListeners:
    """The Kafka listeners of a fleet.

    `bootstrap_servers` lists the addresses of each broker's first listener; it is empty if none is
    bound.
    """

    def __init__(self, fleet: Fleet, runtime: Runtime) -> None:
        self._fleet = fleet
        self._runtime = runtime
        self._listeners: dict[int, dict[str, FollowedListener]] = {}
        self.data_plane = DataPlane(log.warning)
        fleet.note_append = self._note_append
        self.bootstrap_servers = ""

    def _note_append(self, broker_id: int, key: PartitionKey, size: int) -> None:
        message_waits(self.data_plane, self._fleet.agents[broker_id]).appended(key, size)

    async def bind(self, broker_id: int, name: str, host: str, port: int) -> int:
        """Binds a port for a listener of the broker before it registers, and returns the port.

        Raises PortUnavailable if the port is in use or forbidden.
        """
        listener = FollowedListener("broker", f"broker-{broker_id}", host)
        with binding("kafka_port", host, port):
            bound = await listener.bind(port)
        listeners = self._listeners.setdefault(broker_id, {})
        if not listeners:
            servers = (self.bootstrap_servers, f"{host}:{bound}")
            self.bootstrap_servers = ",".join(filter(None, servers))
        listeners[name] = listener
        return bound

    def serve(self, view: ClientView) -> None:
        """Starts to answer requests on every bound port."""
        views: dict[tuple[str, str], ClientView] = {}
        for broker_id, listeners in self._listeners.items():
            agent = self._fleet.agents[broker_id]
            self._fleet.follow(broker_id)
            profile = agent.profile
            ask = partial(self._fleet.forward, broker_id, profile)
            for name, listener in listeners.items():
                key = (name, profile.name)
                if key not in views:
                    views[key] = replace(view, listener=name, profile=profile, kept=KeptReplies())
                known = partial(release_of, agent)
                apis = BrokerApis(views[key], agent, self._runtime, ask, self.data_plane, known)
                listener.note_ended = apis.telemetry.end_connection
                listener.produce_bytes_max = apis.produce_bytes_max
                listener.serve(self._runtime, apis.describe, apis.answer, profile)

    def follow(self, broker_id: int, state: ProcessState) -> None:
        """Opens, holds or closes the broker's listeners as the state of its process requires."""
        listeners = self._listeners.get(broker_id)
        if listeners is not None:
            agent = self._fleet.agents[broker_id]
            for listener in listeners.values():
                listener.follow(state, lambda: agent.is_alive)

    async def close(self) -> None:
        """Closes every listener."""
        every = [listener for of in self._listeners.values() for listener in of.values()]
        await asyncio.gather(*(listener.shut() for listener in every))


def release_of(agent: HostedAgent, controller_id: int) -> Profile | None:
    """Returns the release of a controller, by the levels that it has registered.

    None if the broker knows no registration of it, or no release with these levels.
    """
    registered = agent.agent.image.controllers.get(controller_id)
    if registered is None:
        return None
    levels = (level for level in registered.features if level.name == METADATA_VERSION)
    newest = max((level.max_supported_version for level in levels), default=0)
    return next((known for known in PROFILES.values() if known.metadata_version == newest), None)
