"""Starts the simulation of a cluster, and replaces it at a reset or by a kept state."""

from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.uuid import random_uuid, uuid_text
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import FIRST_BROKER_ID, FIRST_CONTROLLER_ID, broker_ids
from kraftsim.simulation.world import World

from ... import machine_code
from ...errors import CommandError
from .added_faults import AddedFaults
from .kept import Kept, KeptStates
from .live import Live
from .simulation import Running, continued, new_simulation
from .waits import states_text

START_LIMIT = "60s"


class Lifecycle:
    """The start of a cluster and its resets, of which `generation` is the number.

    `world_listeners` are called with each new simulation before it begins.
    """

    _fresh: Kept | None = None  # what a reset with the present seed gives

    def __init__(
        self,
        live: Live,
        faults: AddedFaults,
        states: KeptStates,
        world_listeners: Sequence[Callable[[World], None]],
    ) -> None:
        self._live, self._faults, self._states = live, faults, states
        self._world_listeners = world_listeners
        self._streams = Streams(live.options.seed)
        drawn = self._streams.draw_of("cluster")
        self.cluster_id = live.options.cluster_id or uuid_text(random_uuid(drawn))
        self.generation = 0

    async def open(self) -> None:
        """Binds the ports and starts the simulation; CommandError if it was started before."""
        live, options, service = self._live, self._live.options, self._live.service
        if live.running is not None or service.is_closed:
            raise CommandError(
                "a Cluster object starts only once: create another with `Cluster(...)`"
            )
        options.log_settings_without_effect()
        if options.controller_port is not None:
            for position in range(options.controllers):
                port = options.controller_port and options.controller_port + position
                await service.open_controller(FIRST_CONTROLLER_ID + position, port)
        if options.kafka_port is not None:
            for position in range(options.brokers):
                port = options.kafka_port and options.kafka_port + position
                await service.open_broker(FIRST_BROKER_ID + position, port)
                await service.open_named(FIRST_BROKER_ID + position, options.listeners)
        live.running = self._new_simulation()

    async def until_ready(self) -> None:
        """Waits until a controller is active and no initial broker is fenced."""
        expected = self._initial_brokers
        await self._live.until(
            lambda: self._live.world.are_unfenced(expected),
            START_LIMIT,
            "every broker unfenced",
            lambda: states_text(self._live.world, expected),
        )

    async def reset(self, seed: int | None) -> None:
        """Replaces the simulation by a new one, and waits until it is ready."""
        live = self._live
        async with self._replacing(self._initial_brokers):
            if seed not in (None, live.options.seed):
                live.options, self._fresh = replace(live.options, seed=seed), None
            self._streams = Streams(live.options.seed)
            if self._fresh is not None and self._repeats:
                self.go_on(self._fresh.copy())
                live.recorder.begin_at_copy()
            else:
                live.running = self._new_simulation()
        await self.until_ready()
        if self._fresh is None and self._repeats:
            self._fresh = self._states.copy_of(None)

    def go_on(self, kept: Kept) -> None:
        """Serves a copied state, with its faults."""
        live = self._live
        live.running = continued(kept.world, live.options, live.service)
        if kept.faults is not None:
            self._faults.take_over(*kept.faults)

    async def go_back(self, kept: Kept) -> None:
        """Lets the cluster go on from a copied state, which it then owns."""
        await self._open_brokers(kept.world)
        async with self._replacing(kept.world.agents):
            self.go_on(kept)
            self._live.recorder.refuse("the cluster went back to a snapshot: a recording has none")

    @property
    def _initial_brokers(self) -> range:
        return broker_ids(self._live.options.brokers)

    def _new_simulation(self) -> Running:
        return new_simulation(
            self._live.options,
            self.cluster_id,
            self._streams,
            self._live.service,
            self._world_listeners,
        )

    @property
    def _repeats(self) -> bool:
        """True if a reset with the same seed may be a copy: nobody notices, and it is possible."""
        options = self._live.options
        return options.repeats and not self._world_listeners and not machine_code.is_used()

    @asynccontextmanager
    async def _replacing(self, broker_ids: Container[int]) -> AsyncIterator[None]:
        """Ends the simulation and every connection, and serves what the block begins.

        The listeners of brokers that are not among `broker_ids` are closed.
        """
        service = self._live.service
        async with service.clearing:
            self._live.now.close()
            await service.clear(broker_ids)
            self.generation += 1
            yield
        if service.http is not None:
            service.http.serve(self._live.world)

    async def _open_brokers(self, world: World) -> None:
        """Binds the ports of the brokers of a copied world that have no listener now."""
        options, service = self._live.options, self._live.service
        if options.kafka_port is None:
            return
        for broker_id in world.agents.keys() - service.brokers.keys():
            port = world.hosts[broker_node(broker_id)].spec.port
            if CLIENT_LISTENER in options.advertised_listeners:  # then it need not be the bound one
                port = options.kafka_port and options.kafka_port + broker_id - FIRST_BROKER_ID
            await service.open_broker(broker_id, port)
            await service.open_named(broker_id, options.listeners)
