"""The Python API of a cluster: start it, inject faults and observe it, in one process."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING

from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.uuid import random_uuid, uuid_text
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.ports import PORT_MAX
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import (
    FIRST_BROKER_ID,
    FIRST_CONTROLLER_ID,
    BrokerSpec,
    expect_free,
    unbound_port,
)
from kraftsim.simulation.world import VIRTUAL_WALL_START_MS, World

from ..errors import CommandError
from ..options import ClusterOptions, topology_of
from ..service.binding import binding
from ..service.clock_control import ClockControl
from ..service.followed_listener import FollowedListener
from ..service.listeners import Service
from ..service.request_journal import RequestJournal
from ..service.snapshot_files import SNAPSHOT_FILES
from .argument_checks import check_broker, expect_int
from .documents import ResetCluster
from .reading import Reading
from .states import Clock

if TYPE_CHECKING:
    from .faults import Faults

START_LIMIT = "60s"
SIMULATED_MAX = 10_000  # simulated brokers of one cluster, including those added later


class Cluster(Reading):
    """A cluster in this process, on a real, scaled or virtual clock.

    `async with Cluster(brokers=3) as kraft:` starts a cluster and returns once every broker is
    unfenced. With a number K as `clock`, time passes K times as fast. With `clock="virtual"`, it
    advances only during `advance`, `run_until`, `wait`, `sleep` and `transfer_leadership`, as fast
    as the processor allows; with `clock="auto"` also while a client waits for a response. Ports of
    None (the default) open no sockets; 0 lets the system choose a port. HTTP requests must carry
    `http_token` if it is not None: that is `token`, or a random token if `host` is not a loopback
    address.
    """

    _faults: "Faults | None" = None

    def __init__(
        self,
        brokers: int = 3,
        *,
        controllers: int = 1,
        cluster_id: str | None = None,
        profile: str = DEFAULT_PROFILE.name,
        metadata_version: str | None = None,
        clock: Clock | float = "real",
        seed: int | None = None,
        racks: Sequence[str] = (),
        settings: Mapping[str, object] | None = None,
        host: str = "127.0.0.1",
        advertised_host: str | None = None,
        kafka_port: int | None = None,
        controller_port: int | None = None,
        http_port: int | None = None,
        token: str | None = None,
    ) -> None:
        self.options = ClusterOptions(
            brokers=brokers,
            controllers=controllers,
            cluster_id=cluster_id,
            profile=profile,
            metadata_version=metadata_version,
            clock=clock,
            seed=seed,
            racks=racks,
            settings=settings or {},
            host=host,
            advertised_host=advertised_host,
            kafka_port=kafka_port,
            controller_port=controller_port,
            http_port=http_port,
            token=token,
        )
        self._streams = Streams(seed)
        self.generation = 0
        self.cluster_id = cluster_id or uuid_text(random_uuid(self._streams.draw_of("cluster")))
        self._service = Service(host, self.options.http_token())
        self._running: Running | None = None

    async def __aenter__(self) -> "Cluster":
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # Lifecycle

    async def start(self) -> None:
        """Binds the ports, elects a controller, and returns once every broker is unfenced.

        Closes the cluster if it fails.
        """
        try:
            await self.open()
            await self.until_ready()
        except BaseException:
            await self.close()
            raise

    async def open(self) -> None:
        """Starts the cluster without waiting; its Kafka listeners respond once it returns.

        Raises CommandError if the cluster has been started before.
        """
        if self._running is not None or self._service.is_closed:
            raise CommandError(
                "a Cluster object starts only once: create another with `Cluster(...)`"
            )
        options, service = self.options, self._service
        if options.controller_port is not None:
            for position in range(options.controllers):
                port = options.controller_port and options.controller_port + position
                await service.open_controller(FIRST_CONTROLLER_ID + position, port)
        if options.kafka_port is not None:
            for position in range(options.brokers):
                port = options.kafka_port and options.kafka_port + position
                await service.open_facade(FIRST_BROKER_ID + position, port)
        self._begin()

    def _begin(self) -> None:
        """Starts a simulation on the ports that are bound."""
        options, service = self.options, self._service
        topology = topology_of(
            options,
            self.cluster_id,
            controller_ports=[listener.port for listener in service.controllers.values()],
            broker_ports=[listener.port for listener in service.facades.values()],
        )
        world = World(
            topology,
            streams=self._streams,
            snapshot_format=SNAPSHOT_FILES,
            wall_start_ms=VIRTUAL_WALL_START_MS
            if options.speed() != 1.0  # it may not run ahead of real time (rule 6.36)
            else time.time_ns() // 1_000_000,
        )
        runtime = Runtime(world.timeline, speed=options.speed())
        is_auto = options.clock == "auto"
        clock = ClockControl(world, runtime, service.traffic(runtime), moves_for_requests=is_auto)
        self._running = Running(world, runtime, clock)
        service.serve(world, runtime)
        world.start(elects_at_once=True)
        for broker_id in service.facades:
            service.serve_facade(broker_id, runtime)
        runtime.leave()

    async def reset(self, seed: int | None = None) -> ResetCluster:
        """Replaces the cluster by a new one, and returns once every broker is unfenced.

        The new cluster has the options, addresses and cluster id of this one, the next
        `generation` and, unless another `seed` is given, its seed. Every connection of a Kafka
        client ends, and every call that waits raises CommandError.
        """
        if seed is not None:
            expect_int("seed", seed)
        async with self._service.clearing:
            self._now_running.close()
            if seed is not None:
                self.options = replace(self.options, seed=seed)
            self._streams = Streams(self.options.seed)
            await self._service.clear(self._initial_brokers)
            self.generation += 1
            self._begin()
        if self._service.http is not None:
            self._service.http.serve(self.world)
        await self.until_ready()
        return {
            "clusterId": self.cluster_id,
            "generation": self.generation,
            "seed": self.options.seed,
        }

    async def until_ready(self) -> None:
        """Waits until a controller is active and no initial broker is fenced, then serves HTTP."""
        expected = self._initial_brokers
        await self._until(
            lambda: self.world.are_unfenced(expected),
            START_LIMIT,
            "every broker unfenced",
            lambda: self._states_text(expected),
        )
        if self.options.http_port is not None and self._service.http is None:
            await self.open_http()

    @property
    def _initial_brokers(self) -> range:
        return range(FIRST_BROKER_ID, FIRST_BROKER_ID + self.options.brokers)

    async def open_http(self) -> None:
        """Starts the HTTP service.

        The import of the HTTP application is the slowest part of a start. It runs here, in another
        thread, so that the Kafka listeners respond during the import.
        """
        module = await asyncio.to_thread(import_module, "kraftsim.http.server")
        self._service.http = module.HttpServer(self)
        host, port = self.options.host, self.options.http_port or 0
        with binding("http_port", host, port):
            await self._service.http.open(host, port)
        self._service.watch_loop()

    async def close(self) -> None:
        """Closes every socket and ends the simulation. A closed cluster cannot be started again."""
        if self._running is not None:
            self._running.close()
        await self._service.close()

    async def down(self) -> None:
        """Asks the program that runs the cluster to end: `kraftsim up` closes it and exits.

        A program of your own awaits `until_down`, or closes the cluster when it likes.
        """
        self._service.end_requested.set()

    async def until_down(self) -> None:
        """Waits until `down` is called."""
        await self._service.end_requested.wait()

    @property
    def world(self) -> World:
        """The simulation, for reading; change it only through the methods of this class."""
        return self._now_running.world

    @property
    def _clock(self) -> ClockControl:
        return self._now_running.clock

    @property
    def _now_running(self) -> "Running":
        if self._running is None or self._service.is_closed:
            raise CommandError(self._not_running())
        return self._running

    def _not_running(self) -> str:
        state = "closed" if self._service.is_closed else "not started"
        return f"the cluster is {state}: use `async with Cluster(...)`"

    # Addresses

    @property
    def bootstrap_servers(self) -> str:
        """The `host:port,...` list for Kafka clients; empty without `kafka_port`."""
        return self._addresses(self._service.facades)

    @property
    def bootstrap_controllers(self) -> str:
        """The `host:port,...` list of the controllers; empty without `controller_port`."""
        return self._addresses(self._service.controllers)

    def _addresses(self, listeners: Mapping[int, FollowedListener]) -> str:
        ports = (listener.port for _, listener in sorted(listeners.items()))
        return ",".join(f"{self._advertised}:{port}" for port in ports)

    @property
    def http_url(self) -> str:
        """The URL of the HTTP service; empty until the service is started."""
        port = self._service.http.port if self._service.http is not None else 0
        return f"http://{self._advertised}:{port}" if port else ""

    @property
    def connections(self) -> list[str]:
        """The open connections of Kafka clients, such as "broker-1 from 127.0.0.1"."""
        return self._service.connections()

    @property
    def request_journal(self) -> RequestJournal:
        """The newest requests of clients, through Kafka's listeners and through HTTP."""
        return self._service.requests

    @property
    def http_token(self) -> str | None:
        """The bearer token that HTTP requests must carry; None if they need none."""
        return self._service.token

    @property
    def _advertised(self) -> str:
        return self.options.advertised_host or self.options.host

    @property
    def faults(self) -> "Faults":
        """The faults of the cluster: `await kraft.faults.add({"net.partition": {"on": 2}})`."""
        if self._faults is None:
            module = import_module("kraftsim.api.faults")  # slow, and not needed at every start
            self._faults = module.Faults(lambda: self.world, lambda: self._clock, self._entered)
        return self._faults

    # Simulated brokers

    async def add_broker(self, rack: str | None = None, broker_id: int | None = None) -> int:
        """Starts another simulated broker and returns its id.

        Raises CommandError if the id is taken or no int, if the rack is no text of Kafka's
        protocol, or if the cluster has 10,000 simulated brokers.
        """
        world = self.world
        try:
            check_broker(rack)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if broker_id is not None:
            expect_int("broker_id", broker_id)
        chosen = self._free_id(broker_id)
        self._service.arriving.add(
            chosen
        )  # binding a port awaits; another call must not choose this id
        try:
            port = await self._broker_port(chosen)
            if world is not self.world:
                raise CommandError(f"broker {chosen}: the cluster was reset meanwhile")
            with self._entered():
                world.add_broker(
                    BrokerSpec(broker_id=chosen, host=self._advertised, port=port, rack=rack)
                )
                if self.options.kafka_port is not None:
                    self._service.serve_facade(chosen, self._now_running.runtime)
        finally:
            self._service.arriving.discard(chosen)
        return chosen

    def _free_id(self, requested: int | None) -> int:
        """Returns the requested id if it is free, else the next id above the simulated brokers."""
        world = self.world
        taken = {*world.agents, *self._service.arriving}
        if len(taken) >= SIMULATED_MAX:
            raise CommandError(f"expected at most {SIMULATED_MAX} simulated brokers")
        chosen: int | None = requested
        if chosen is None:
            chosen = max(taken, default=FIRST_BROKER_ID - 1) + 1
            while chosen in world.committed.brokers or chosen in world.controllers:
                chosen += 1
        try:
            return expect_free("broker_id", chosen, world.controllers, taken)
        except ValueError as error:
            raise CommandError(str(error)) from None

    async def _broker_port(self, broker_id: int) -> int:
        """Returns the bound port of the broker's facade; without sockets, any valid port."""
        first = self.options.kafka_port
        if first is None:
            return unbound_port(broker_id)
        port = first and first + broker_id - FIRST_BROKER_ID
        if not 0 <= port <= PORT_MAX:
            raise CommandError(
                f"broker {broker_id}: expected a port of at most {PORT_MAX}, got {port}; "
                "start with --kafka-port 0 to let the system choose"
            )
        return await self._service.open_facade(broker_id, port)

    def _entered(self) -> AbstractContextManager[None]:
        """Enters the timeline for an external change; CommandError if the cluster does not run."""
        return self._now_running.runtime.entered()


@dataclass(frozen=True, slots=True)
class Running:
    """The simulation of a running cluster, its driver and its clock."""

    world: World
    runtime: Runtime
    clock: ClockControl

    def close(self) -> None:
        """Ends the simulation: time no longer passes, and every wait ends with an error."""
        self.clock.close()
        self.runtime.close()
