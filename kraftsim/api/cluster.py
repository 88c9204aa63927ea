"""The Python API of a cluster: start it, inject faults and observe it, in one process."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Literal, overload

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.log.retention_bytes import RETENTION_BYTES
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    DecommissionBrokerRequest,
    Request,
    Response,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)
from kraftsim.controller.raft.identity import LISTENER as CONTROLLER_LISTENER
from kraftsim.simulation.requests.spoken import Submit
from kraftsim.simulation.world import World

from ..options import ClusterOptions, options_of
from ..service.binding import binding
from .argument_checks import PAGE, check_wait, expect_int
from .parts import PARTS, part_of
from .running.active_controller import ActiveController
from .running.added_faults import AddedFaults
from .running.kept import Kept, KeptStates
from .running.lifecycle import Lifecycle
from .running.live import Live
from .running.telling import Telling
from .running.waits import until_broker, until_leader

if TYPE_CHECKING:
    from ..lessons.documents import Picture, StoryPage
    from ..lessons.lessons import Lessons
    from ..lessons.offer import Offer
    from ..lessons.process import LessonProcess
    from ..service.cluster_description import ClusterDescription
    from . import parts
    from .documents import ClusterDocument, LeaderDocument, ResetCluster
    from .snapshots import Snapshots
    from .states import BrokerState, BrokerStatesDocument, ClockName


class Cluster:
    """A cluster in this process, on a real, scaled or virtual clock.

    `async with Cluster(brokers=3) as kraft:` starts a cluster and returns once every broker is
    unfenced. With a number K as `clock`, time passes K times as fast. With `clock="virtual"`, it
    advances only during `wait`, `quorum.transfer_leadership` and the `advance`, `run_until` and
    `sleep` of `clock`, as fast as the processor allows; with `clock="auto"` also while a client
    waits for a response. `profiles={3002: "kafka-4.3"}` has the nodes of another release. Ports of
    None (the default) open no sockets; 0 lets the system choose a port. HTTP requests must carry
    `http_token` if it is not None: that is `token`, or a random token if `host` is not a loopback
    address. `world_listeners` are called with each new simulation, before it begins.
    """

    opens_lessons = False  # to visitors without the token
    offer: "Offer | None" = None  # of a run, which is a lesson beside the library
    _snapshots: "Snapshots | None" = None
    _lessons: "Lessons | None" = None
    _lesson_process: "LessonProcess | None" = None
    _origin: Kept | None = None  # of a branch

    brokers: "parts.Brokers"
    controllers: "parts.Controllers"
    topics: "parts.Topics"
    reassignments: "parts.Reassignments"
    configs: "parts.Configs"
    quorum: "parts.Quorum"
    clock: "parts.Clock"
    faults: "parts.Faults"
    chaos: "parts.Chaos"
    requests: "parts.Requests"
    log: "parts.Log"
    events: "parts.Events"
    nodes: "parts.Nodes"

    def __init__(
        self,
        brokers: int = 3,
        *,
        controllers: int = 1,
        cluster_id: str | None = None,
        profile: str = DEFAULT_PROFILE.name,
        profiles: Mapping[int, str] | None = None,
        metadata_version: str | None = None,
        clock: "ClockName | float" = "real",
        seed: int | None = None,
        racks: Sequence[str] = (),
        log_dirs: int = 1,
        retention_bytes: int = RETENTION_BYTES,
        settings: Mapping[str, object] | None = None,
        host: str = "127.0.0.1",
        advertised_host: str | None = None,
        kafka_port: int | None = None,
        listeners: Mapping[str, int] | None = None,
        advertised_listeners: Mapping[str, str] | None = None,
        controller_port: int | None = None,
        http_port: int | None = None,
        token: str | None = None,
    ) -> None:
        self._live = live = Live(options_of(locals()))
        self.world_listeners: list[Callable[[World], None]] = []
        self._controller = ActiveController(live)
        self._added = added = AddedFaults(live)
        self._states = states = KeptStates(live, added)
        self._lifecycle = Lifecycle(live, added, states, self.world_listeners)
        self._telling = Telling(live, added)

    if not TYPE_CHECKING:  # the type checker knows the parts, and no other names

        def __getattr__(self, name: str) -> object:
            """Creates a part at its first use, because the start of a cluster uses none."""
            if name not in PARTS:
                raise AttributeError(f"'Cluster' object has no attribute {name!r}")
            part = part_of(self, name)
            setattr(self, name, part)
            return part

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *PARTS]

    async def __aenter__(self) -> "Cluster":
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    # Lifecycle

    async def start(self) -> None:
        """Binds the ports, elects a controller, and returns once every broker is unfenced.

        Closes the cluster if it fails.
        """
        try:
            if self._origin is not None:
                self._lifecycle.go_on(self._origin)
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
        await self._lifecycle.open()

    async def reset(self, seed: int | None = None) -> "ResetCluster":
        """Replaces the cluster by a new one, and returns once every broker is unfenced.

        The new cluster has the options, addresses and cluster id of this one, the next
        `generation` and, unless another `seed` is given, its seed. Every connection of a Kafka
        client ends, and every call that waits raises CommandError.
        """
        if seed is not None:
            expect_int("seed", seed)
        await self._lifecycle.reset(seed)
        return {
            "clusterId": self.cluster_id,
            "generation": self.generation,
            "seed": self.options.seed,
        }

    @property
    def lessons(self) -> "Lessons":
        """The lessons that visitors play; they never affect the cluster."""
        if self._lessons is None:
            module = import_module("kraftsim.lessons.lessons")
            self._lesson_process = module.LessonProcess(self.offer)
            self._lessons = module.Lessons(self._lesson_process, self.offer)
        return self._lessons

    @property
    def snapshots(self) -> "Snapshots":
        """The snapshots of the cluster: `await kraft.snapshots.save("before")`."""
        if self._snapshots is None:
            module = import_module("kraftsim.api.snapshots")  # not needed at every start
            lifecycle, states = self._lifecycle, self._states
            branch = partial(_branched, self._live, lifecycle, states)
            self._snapshots = module.Snapshots(states, lifecycle.go_back, branch)
        return self._snapshots

    def branch(self, name: str | None = None) -> "Cluster":
        """Returns a cluster that goes on from a snapshot (default: from now) in virtual time.

        `async with kraft.branch() as branch:` starts it. It has no sockets; this cluster and the
        branch do not affect each other.
        """
        return _branched(self._live, self._lifecycle, self._states, name)

    async def until_ready(self) -> None:
        """Waits until a controller is active and no initial broker is fenced, then serves HTTP."""
        await self._lifecycle.until_ready()
        if self.options.http_port is not None and self._live.service.http is None:
            await self.open_http()

    async def open_http(self) -> None:
        """Starts the HTTP service; its slow import runs in a thread, while listeners respond."""
        module = await asyncio.to_thread(import_module, "kraftsim.http.server")
        service = self._live.service
        service.http = module.HttpServer(self, service)
        host, port = self.options.host, self.options.http_port or 0
        with binding("http_port", host, port):
            await service.http.open(host, port)
        service.watch_loop()

    async def close(self) -> None:
        """Closes every socket and ends the simulation. A closed cluster cannot be started again."""
        if self._live.running is not None:
            self._live.running.close()
        await self._live.service.close()
        if self._lesson_process is not None:  # after HTTP, whose last request may start the process
            await self._lesson_process.close()

    async def down(self) -> None:
        """Ends the cluster as `close` does, and lets programs go on that await `until_down`."""
        self.request_end()
        await self.close()

    def request_end(self) -> None:
        """Asks the program that runs the cluster to end it, as `kraftsim down` and HTTP do.

        `kraftsim up` closes the cluster and exits; a program of your own awaits `until_down`. The
        cluster does not end by itself, because the response to the request has to be sent first.
        """
        self._live.service.end_requested.set()

    async def until_down(self) -> None:
        """Waits until `down` or `request_end` is called, or `kraftsim down` asks for the end."""
        await self._live.service.end_requested.wait()

    @property
    def cluster_id(self) -> str:
        """The id of the cluster, which no reset changes."""
        return self._lifecycle.cluster_id

    @property
    def generation(self) -> int:
        """The number of resets and restored snapshots."""
        return self._lifecycle.generation

    @property
    def options(self) -> ClusterOptions:
        """The options of the cluster, with the seed of the last reset."""
        return self._live.options

    @property
    def world(self) -> World:
        """The simulation, for reading; change it only through the cluster and its parts."""
        return self._live.world

    # Addresses

    @property
    def bootstrap_servers(self) -> str:
        """The `host:port,...` list for Kafka clients; empty without `kafka_port`."""
        return self._live.advertised(CLIENT_LISTENER)

    @property
    def bootstrap_controllers(self) -> str:
        """The `host:port,...` list of the controllers; empty without `controller_port`."""
        return self._live.advertised(CONTROLLER_LISTENER)

    @property
    def http_url(self) -> str:
        """The URL of the HTTP service; empty until the service is started."""
        port = self._live.service.http.port if self._live.service.http is not None else 0
        host = self.options.advertised_host or self.options.host
        return f"http://{host}:{port}" if port else ""

    @property
    def connections(self) -> list[str]:
        """The open connections of Kafka clients, such as "broker-1 from 127.0.0.1"."""
        return self._live.service.connections()

    @property
    def http_token(self) -> str | None:
        """The bearer token that HTTP requests must carry; None if they need none."""
        return self._live.service.token

    # What concerns the cluster as a whole

    async def show(self) -> "ClusterDocument":
        """Returns id, active controller, features and end of the log."""
        from .views.state_views import cluster_view  # not needed at every start

        service = self._live.service
        return cluster_view(self.world, service.data_plane, service.refused_versions)

    async def unregister(self, broker_id: int) -> None:
        """Unregisters a broker. It leaves every ISR and stays in the replica assignments."""
        expect_int("broker_id", broker_id)
        await self.request(UnregisterBrokerRequest(broker_id=broker_id))

    async def unregister_controller(self, controller_id: int) -> None:
        """Unregisters a controller, which Kafka does from 4.4-IV2 on; one that runs comes back."""
        expect_int("controller_id", controller_id)
        await self.request(UnregisterControllerRequest(controller_id=controller_id))

    async def decommission(self, broker_id: int, force: bool = False) -> None:
        """Unregisters a broker and removes it from the replica assignments (KIP-631).

        Raises ApiError if the broker holds the last replica of a partition.
        """
        expect_int("broker_id", broker_id)
        await self.request(DecommissionBrokerRequest(broker_id=broker_id, force=force))

    async def describe_cluster(self, include_fenced: bool = False) -> "ClusterDescription":
        """Describes the cluster as DescribeCluster does (KIP-1073), with start times (KIP-436)."""
        from ..service.cluster_description import describe

        return describe(self.world, include_fenced)

    async def request(self, request: Request, submit: Submit | None = None) -> Response:
        """Sends a request to the active controller and returns the response.

        Raises ApiError if the controller refuses the request or does not answer in
        REQUEST_LIMIT_S, ConnectionClosed if a fault closes the connection. While no controller is
        active, a request that changes something waits up to HOLD_LIMIT for the next leader, as
        requests that a broker forwards do (rule 0A.2). On a virtual clock the request does not
        wait, because time stands still during this call; the clock "auto" moves for it, but not
        while a fault holds the request: then the limit is in real time. `submit`, if it is given,
        handles it instead of the controller.
        """
        return await self._controller.request(request, submit)

    @overload
    async def wait(
        self, broker: int, state: "BrokerState", timeout: str | float = "20s"
    ) -> "BrokerStatesDocument": ...

    @overload
    async def wait(
        self, *, leader: int | Literal["any"], timeout: str | float = "20s"
    ) -> "LeaderDocument": ...

    async def wait(
        self,
        broker: int | None = None,
        state: str | None = None,
        timeout: str | float = "20s",
        *,
        leader: int | str | None = None,
    ) -> "BrokerStatesDocument | LeaderDocument":
        """Waits until the broker is in `state`, or until the controller `leader` is active.

        `leader` is an id or "any". Returns the states of the broker, or the leader. Raises
        UsageError for other arguments, TimeoutError with the current states after `timeout`.
        """
        check_wait(broker, state, leader, timeout)
        if leader is not None:
            await until_leader(self._live, leader, timeout)
            return self.quorum.leader()
        assert broker is not None, "check_wait requires it without a leader"
        assert state is not None, "check_wait requires it without a leader"
        await until_broker(self._live, broker, state, timeout)
        return self.brokers.states(broker)

    async def explain(self, event: int) -> list[str]:
        """Returns the causes of an event, the first cause first, one line each.

        Raises UnknownEvent if the journal does not have the event.
        """
        return await self._telling.explain(event)

    async def scene(self, from_: int | None = None) -> "Picture":
        """Returns the picture of the cluster now: who leads, who has a lease, who believes what.

        With a number `from_` it also has the messages that ended since then: the picture before
        has the number as `next`, and 0 is the first. Raises UsageError for a negative number.
        """
        return await self._telling.scene(from_)

    async def story(self, from_: int = 0, limit: int = PAGE) -> "StoryPage":
        """Returns the events of the journal from number `from_` on, in sentences.

        Raises UsageError for a limit outside 1 to 10,000.
        """
        return await self._telling.story(from_, limit)


def _branched(live: Live, lifecycle: Lifecycle, states: KeptStates, name: str | None) -> Cluster:
    """Returns a cluster in virtual time, without sockets, that goes on from a kept state."""
    branch = Cluster(**live.options.of_branch(lifecycle.cluster_id))
    branch._origin = states.copy_of(name)
    return branch
