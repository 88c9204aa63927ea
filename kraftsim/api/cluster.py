"""The Python API of a cluster: start it, inject faults and observe it, in one process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import fields, replace
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING

from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.uuid import random_uuid, uuid_text
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import (
    FIRST_BROKER_ID,
    FIRST_CONTROLLER_ID,
)
from kraftsim.simulation.world import World

from .. import machine_code
from ..errors import CommandError
from ..options import ClusterOptions
from ..service.binding import binding
from ..service.clock_control import ClockControl
from ..service.followed_listener import FollowedListener
from ..service.listeners import Service
from ..service.request_journal import RequestJournal
from .argument_checks import expect_int
from .documents import ResetCluster
from .new_brokers import NewBrokers
from .running import Running, continued, new_simulation
from .states import Clock

if TYPE_CHECKING:
    from ..lessons.lessons import Lessons
    from ..lessons.offer import Offer
    from .snapshots import Kept, Snapshots

START_LIMIT = "60s"


class Cluster(NewBrokers):
    """A cluster in this process, on a real, scaled or virtual clock.

    `async with Cluster(brokers=3) as kraft:` starts a cluster and returns once every broker is
    unfenced. With a number K as `clock`, time passes K times as fast. With `clock="virtual"`, it
    advances only during `advance`, `run_until`, `wait`, `sleep` and `transfer_leadership`, as fast
    as the processor allows; with `clock="auto"` also while a client waits for a response. Ports of
    None (the default) open no sockets; 0 lets the system choose a port. HTTP requests must carry
    `http_token` if it is not None: that is `token`, or a random token if `host` is not a loopback
    address. `world_listeners` are called with each new simulation, of the start and of each reset,
    before it begins.
    """

    opens_lessons = False  # to visitors without the token
    offer: "Offer | None" = None  # of a run, which is a lesson beside the library
    _running: Running | None = None
    _snapshots: "Snapshots | None" = None
    _lessons: "Lessons | None" = None
    _origin: "Kept | None" = None  # of a branch
    _fresh: "Kept | None" = None  # what a reset with the present seed gives

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
        listeners: Mapping[str, int] | None = None,
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
            listeners=listeners or {},
            controller_port=controller_port,
            http_port=http_port,
            token=token,
        )
        self._set_up()

    def _set_up(self) -> None:
        """Sets what a cluster has before it starts."""
        options = self.options
        self._streams = Streams(options.seed)
        self.generation = 0
        drawn = self._streams.draw_of("cluster")
        self.cluster_id = options.cluster_id or uuid_text(random_uuid(drawn))
        self.world_listeners: list[Callable[[World], None]] = []
        self._service = Service(options.host, options.http_token())

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
            if self._origin is not None:
                self._go_on(self._origin)
            else:
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
        self._running = self._new_simulation()

    def _go_on(self, kept: "Kept") -> None:
        """Serves a copied state, with its faults."""
        self._running = continued(kept.world, self.options, self._service)
        if kept.faults is not None:
            self.faults.take_over(*kept.faults)

    def _new_simulation(self) -> Running:
        options, listeners = self.options, self.world_listeners
        return new_simulation(options, self.cluster_id, self._streams, self._service, listeners)

    async def reset(self, seed: int | None = None) -> ResetCluster:
        """Replaces the cluster by a new one, and returns once every broker is unfenced.

        The new cluster has the options, addresses and cluster id of this one, the next
        `generation` and, unless another `seed` is given, its seed. Every connection of a Kafka
        client ends, and every call that waits raises CommandError.
        """
        if seed is not None:
            expect_int("seed", seed)
        async with self._replacing(self._initial_brokers):
            if seed not in (None, self.options.seed):
                self.options, self._fresh = replace(self.options, seed=seed), None
            self._streams = Streams(self.options.seed)
            if self._fresh is not None and self._repeats:
                self._go_on(self._fresh.copy())
                self.recorder.begin_at_copy()
            else:
                self._running = self._new_simulation()
        await self.until_ready()
        if self._fresh is None and self._repeats:
            self._fresh = self._kept().copy()
        return {
            "clusterId": self.cluster_id,
            "generation": self.generation,
            "seed": self.options.seed,
        }

    @property
    def _repeats(self) -> bool:
        """True if a reset with the same seed may be a copy: nobody notices, and it is possible."""
        return self.options.repeats and not self.world_listeners and not machine_code.is_used()

    @asynccontextmanager
    async def _replacing(self, broker_ids: Container[int]) -> AsyncIterator[None]:
        """Ends the simulation and every connection, and serves what the block begins.

        The listeners of brokers that are not among `broker_ids` are closed.
        """
        async with self._service.clearing:
            self._now_running.close()
            await self._service.clear(broker_ids)
            self.generation += 1
            yield
        if self._service.http is not None:
            self._service.http.serve(self.world)

    # Lessons

    @property
    def lessons(self) -> "Lessons":
        """The lessons that visitors play; they never affect the cluster."""
        if self._lessons is None:
            self._lessons = import_module("kraftsim.lessons.lessons").Lessons(self.offer)
        return self._lessons

    # Snapshots

    @property
    def snapshots(self) -> "Snapshots":
        """The snapshots of the cluster: `await kraft.snapshots.save("before")`."""
        if self._snapshots is None:
            module = import_module("kraftsim.api.snapshots")  # not needed at every start
            self._snapshots = module.Snapshots(self._kept, self._go_back, self.branch)
        return self._snapshots

    def _kept(self) -> "Kept":
        kept: type[Kept] = import_module("kraftsim.api.snapshots").Kept
        return kept(self.world, None if self._faults is None else self._faults.kept())

    async def _go_back(self, kept: "Kept") -> None:
        """Lets the cluster go on from a copied state, which it then owns."""
        await self._open_brokers(kept.world)
        async with self._replacing(kept.world.agents):
            self._go_on(kept)
            self.recorder.refuse("the cluster went back to a snapshot: a recording has none")

    async def _open_brokers(self, world: World) -> None:
        """Binds the ports of the brokers of a copied world that have no listener now."""
        if self.options.kafka_port is None:
            return
        for broker_id in world.agents.keys() - self._service.brokers.keys():
            port = world.hosts[broker_node(broker_id)].spec.port
            await self._service.open_broker(broker_id, port)
            await self._service.open_named(broker_id, self.options.listeners)

    def branch(self, name: str | None = None) -> "Cluster":
        """Returns a cluster that goes on from a snapshot (default: from now) in virtual time.

        `async with kraft.branch() as branch:` starts it. It has no sockets; this cluster and the
        branch do not affect each other.
        """
        options = replace(
            self.options,
            cluster_id=self.cluster_id,
            clock="virtual",
            kafka_port=None,
            listeners={},
            controller_port=None,
            http_port=None,
        )
        branch = Cluster(**{field.name: getattr(options, field.name) for field in fields(options)})
        branch._origin = self.snapshots.copy_of(name)
        return branch

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
        self._service.http = module.HttpServer(self, self._service.data_plane)
        host, port = self.options.host, self.options.http_port or 0
        with binding("http_port", host, port):
            await self._service.http.open(host, port)
        self._service.watch_loop()

    async def close(self) -> None:
        """Closes every socket and ends the simulation. A closed cluster cannot be started again."""
        if self._running is not None:
            self._running.close()
        await self._service.close()
        if self._lessons is not None:  # after HTTP, whose last request may ask for the first lesson
            await self._lessons.close()

    async def down(self) -> None:
        """Ends the cluster as `close` does, and lets programs go on that await `until_down`."""
        self.request_end()
        await self.close()

    def request_end(self) -> None:
        """Asks the program that runs the cluster to end it, as `kraftsim down` and HTTP do.

        `kraftsim up` closes the cluster and exits; a program of your own awaits `until_down`. The
        cluster does not end by itself, because the response to the request has to be sent first.
        """
        self._service.end_requested.set()

    async def until_down(self) -> None:
        """Waits until `down` or `request_end` is called, or `kraftsim down` asks for the end."""
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
        return self._addresses(self._service.brokers)

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

    def _entered(self) -> AbstractContextManager[None]:
        """Enters the timeline for an external change; CommandError if the cluster does not run."""
        return self._runtime.entered()

    @property
    def _runtime(self) -> Runtime:
        return self._now_running.runtime
