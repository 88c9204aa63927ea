"""The sockets of a cluster: a listener for each controller, one for each broker, and HTTP."""

import asyncio
import logging
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.kept_replies import KeptReplies
from kraftsim.broker_agent.log.retention_bytes import RETENTION_BYTES
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.broker_agent.topic_creation import TopicCreation
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.listener import Describe, Dispatch
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.frames import RequestHeader
from kraftsim.simulation.controller_process import ControllerProcess
from kraftsim.simulation.message import Message
from kraftsim.simulation.requests.arrival import Arrival, Change, ReplyTo, broker_of
from kraftsim.simulation.requests.rules import RequestRules
from kraftsim.simulation.topology import FIRST_BROKER_ID
from kraftsim.simulation.world import OUTSIDE, World

from ..recording.recorder import Recorder
from .binding import binding
from .broker_apis import BrokerApis
from .cluster_description import client_view
from .configuration_warnings import ConfigurationWarnings
from .event_loop.simulated import simulated_loop
from .event_loop.watch import LoopWatch
from .followed_listener import FollowedListener
from .outside import Outside
from .request_journal import RefusedVersions, RequestJournal
from .traffic import Traffic

log = logging.getLogger(__name__)


class HttpServer(Protocol):
    """The server of `kraftsim.http.server`, which is slow to import."""

    port: int

    async def open(self, host: str, port: int) -> None:
        """Listens on `host` and `port`, which is a free one if it is 0."""

    def serve(self, world: World) -> None:
        """Serves another world of the same cluster from now on; every stream of events ends."""

    async def close(self) -> None:
        """Stops listening and ends every connection."""


class Service:
    """The listeners of one cluster.

    Ports are bound before any broker registers, so that registrations name the real ports.
    `brokers` are the listeners PLAINTEXT of brokers, `named` their other ones by name.
    `arriving` are the ids of brokers whose ports are being bound. `token` is the bearer token of
    the HTTP service; None if requests need none. `retention_bytes` bounds the messages that the
    brokers hold. `requests` has the newest requests of clients,
    `recorder` the inputs of the world since `serve`.
    """

    def __init__(
        self, host: str, token: str | None = None, retention_bytes: int = RETENTION_BYTES
    ) -> None:
        self.host = host
        self.token = token
        self.arriving: set[int] = set()
        self.http: HttpServer | None = None
        self.is_closed = False
        self.clearing = asyncio.Lock()  # held from `clear` to the next `serve`
        self.end_requested = asyncio.Event()
        self.requests = RequestJournal(Timeline(wall_start_ms=0))
        self.controllers: dict[int, FollowedListener] = {}
        self.brokers: dict[int, FollowedListener] = {}
        self.named: dict[int, dict[str, FollowedListener]] = {}
        self.data_plane = DataPlane(log.warning, retention_bytes)
        self.refused_versions = RefusedVersions()
        self._configuration_warnings = ConfigurationWarnings()
        self._kept: dict[tuple[str, str], KeptReplies] = {}  # by listener and profile
        self._creations: dict[FollowedListener, TopicCreation] = {}
        self.recorder: Recorder | None = None
        self._world: World | None = None
        self._outside: Outside | None = None
        self._loop_watch: LoopWatch | None = None

    def watch_loop(self) -> None:
        """Warns from now on of calls that block the loop, which keep the listeners from it.

        A simulated loop refuses such calls.
        """
        if self._loop_watch is None and simulated_loop() is None:
            self._loop_watch = LoopWatch()

    async def open_controller(self, node_id: int, port: int) -> int:
        """Binds a controller's port and returns it; requests are answered only after `serve`."""
        listener = self._new_listener("controller", f"controller-{node_id}")
        with binding("controller_port", self.host, port):
            bound = await listener.bind(port)
        self.controllers[node_id] = listener
        return bound

    def _new_listener(self, kind: str, name: str) -> FollowedListener:
        listener = FollowedListener(kind, name, self.host)
        listener.note_refused = partial(self.refused_versions.note, name)
        return listener

    async def open_broker(self, broker_id: int, port: int) -> int:
        """Binds a broker's port and returns it; requests are answered only after `serve_broker`."""
        listener = self._new_listener("broker", f"broker-{broker_id}")
        with binding("kafka_port", self.host, port):
            bound = await listener.bind(port)
        self.brokers[broker_id] = listener
        return bound

    async def open_named(self, broker_id: int, first_ports: Mapping[str, int]) -> dict[str, int]:
        """Binds a broker's other listeners and returns their ports; the first broker's are given.

        A port of 0 is chosen by the system.
        """
        for name, first in first_ports.items():
            listener = self._new_listener("broker", f"broker-{broker_id}")
            port = first and first + broker_id - FIRST_BROKER_ID
            with binding("listeners", self.host, port):
                await listener.bind(port)
            self.named.setdefault(broker_id, {})[name] = listener
        return self.named_ports(broker_id)

    def named_ports(self, broker_id: int) -> dict[str, int]:
        """Returns the ports of a broker's listeners beside PLAINTEXT, by name."""
        return {name: listener.port for name, listener in self.named.get(broker_id, {}).items()}

    def _of_broker(self, broker_id: int) -> dict[str, FollowedListener]:
        """Returns all listeners of a broker, by name."""
        own = self.brokers.get(broker_id)
        return ({} if own is None else {CLIENT_LISTENER: own}) | self.named.get(broker_id, {})

    def serve(self, world: World, runtime: Runtime) -> None:
        """Starts to answer requests to the controllers, and follows the states of all processes."""
        self._world, self._creations = world, {}
        self.requests, self.recorder = RequestJournal(world.timeline), Recorder(world, runtime)
        self.requests.recorder = self.recorder
        if simulated_loop() is not None:
            self.recorder.refuse("its event loop is simulated: its seed repeats it")
        if self.named:
            self.recorder.refuse("its brokers have several listeners: a recording has one")
        self._begin(world, runtime)
        for node_id, listener in self.controllers.items():
            process = world.controllers[node_id]
            listener.note = partial(self.requests.note, listener.name)
            intercept(listener, world.request_rules, controller_node(node_id))
            listener.serve(
                runtime, _describe(process), _submit(world, process), process.node.profile
            )
        world.agent_listeners.append(self._on_agent_state)
        world.controller_listeners.append(self._on_controller)
        world.committed_listeners.append(self._on_committed)

    def _begin(self, world: World, runtime: Runtime) -> None:
        """Forgets who waits in the world before, and reaches nodes outside of this one."""
        assert self.recorder is not None, "serve makes one"
        self.data_plane.begin()
        self._close_outside()
        self._outside = Outside(world, runtime, self.recorder, self.data_plane)
        if self._listeners():
            self.watch_loop()
            world.network.send_outside = self._outside.send

    def _close_outside(self) -> None:
        if self._outside is not None:
            self._outside.close()
            self._outside = None

    def serve_broker(self, broker_id: int, runtime: Runtime) -> None:
        """Starts to answer requests to the broker's listeners; the broker must be in the world."""
        if self._outside is not None:
            self._running.agents[broker_id].on_metadata = partial(self._outside.follow, broker_id)
        for name, listener in self._of_broker(broker_id).items():
            self._serve(broker_id, name, listener, runtime)

    def _serve(
        self, broker_id: int, name: str, listener: FollowedListener, runtime: Runtime
    ) -> None:
        world = self._running
        agent = world.agents[broker_id]
        profile = agent.agent.config.profile
        listener.start_time_tag = world.topology.settings.start_time_tag
        apis = self.apis_of(broker_id, runtime, name)
        self._creations[listener] = apis.topic_creation
        listener.note = partial(self.requests.note, listener.name)
        listener.note_ended = apis.telemetry.end_connection
        listener.produce_bytes_max = apis.produce_bytes_max
        intercept(listener, world.request_rules, broker_node(broker_id))
        listener.shortened = apis.shortened
        answer = self._answer_with(broker_id, listener, apis)
        listener.serve(runtime, apis.describe, answer, profile)

    def _answer_with(
        self, broker_id: int, listener: FollowedListener, apis: BrokerApis
    ) -> Dispatch:
        """Returns what answers the requests to a listener of a broker."""
        return apis.answer

    def apis_of(self, broker_id: int, runtime: Runtime, name: str = CLIENT_LISTENER) -> BrokerApis:
        """Returns the request handlers of a broker, for a listener that may not be open."""
        world = self._running
        agent = world.agents[broker_id]
        profile = agent.agent.config.profile
        kept = self._kept.setdefault((name, profile.name), KeptReplies())
        return BrokerApis(
            replace(client_view(world), listener=name, profile=profile, kept=kept),
            agent,
            runtime,
            partial(world.send_request, broker_node(broker_id), is_forwarded=True),
            self.data_plane,
            partial(_release_of, world),
        )

    def traffic(self, runtime: Runtime) -> Traffic:
        """Returns what the clients of all listeners send."""
        return Traffic(self._listeners, runtime.turns, self._created)

    def _created(self) -> Iterator[Request]:
        """Yields the requests for topics that a broker creates and does not know yet."""
        for creation in self._creations.values():
            yield from creation.pending()

    def _listeners(self) -> tuple[FollowedListener, ...]:
        named = (listener for own in self.named.values() for listener in own.values())
        return (*self.controllers.values(), *self.brokers.values(), *named)

    def connections(self) -> list[str]:
        """Returns the open connections of Kafka clients: listener and address."""
        return [
            f"{listener.name} from {connection.address}"
            for listener in self._listeners()
            for connection in listener.connections
        ]

    async def clear(self, broker_ids: Container[int]) -> None:
        """Ends every connection, and opens the listeners again, of brokers only of `broker_ids`.

        No listener answers before the next `serve`.
        """
        for broker_id in [number for number in self.brokers if number not in broker_ids]:
            for listener in self._of_broker(broker_id).values():
                await listener.shut()
            self.named.pop(broker_id, None)
            del self.brokers[broker_id]
        for listener in self._listeners():
            await listener.clear()

    async def close(self) -> None:
        """Closes every listener; the service cannot be opened again."""
        self.is_closed = True
        self._close_outside()
        if self._loop_watch is not None:
            self._loop_watch.close()
        await asyncio.gather(*(listener.shut() for listener in self._listeners()))
        if self.http is not None:
            await self.http.close()

    def follow_all(self) -> None:
        """Opens, holds or closes each listener for the present state of its process."""
        for node_id in self.controllers:
            self._on_controller(node_id, self._running.controllers[node_id].state)
        for broker_id in self.brokers:
            self._on_agent_state(broker_id, self._running.agents[broker_id].state)

    def _on_committed(self, node_id: int, batch: Batch) -> None:
        profile = self._running.controllers[node_id].profile
        self._configuration_warnings.check(profile, batch)

    def _on_agent_state(self, broker_id: int, state: ProcessState) -> None:
        agent = self._running.agents[broker_id]
        for name, listener in self._of_broker(broker_id).items():
            is_of_another = listener.profile_name != agent.agent.config.profile.name
            if listener.runtime is not None and is_of_another:  # a new process of another release
                self._serve(broker_id, name, listener, listener.runtime)
            listener.follow(state, lambda: agent.is_alive)
        if agent.on_metadata is not None:
            agent.on_metadata()  # a process follows leaders while it lives

    def _on_controller(self, node_id: int, state: ProcessState) -> None:
        listener = self.controllers.get(node_id)
        if listener is not None:
            process = self._running.controllers[node_id]
            # Host and release may change with each new process.
            listener.dispatch = _submit(self._running, process)
            listener.speak(process.node.profile)
            listener.follow(state, lambda: process.is_alive)

    @property
    def _running(self) -> World:
        assert self._world is not None, "serve comes first"
        return self._world


def _describe(process: ControllerProcess) -> Describe:
    """Returns the function that answers ApiVersions.

    It asks the process for its node at every call, because a restart replaces the node.
    """
    return lambda request, version: api_versions.of_controller(process.node, request, version)


def _release_of(world: World, controller_id: int) -> Profile | None:
    process = world.controllers.get(controller_id)
    return None if process is None else process.profile


def _submit(world: World, process: ControllerProcess) -> Dispatch:
    """Returns the function that handles a client's request; properties see request and reply."""
    submit, network = process.hosted.submit, world.network
    if not network.arrived:
        return submit
    node = controller_node(process.node.config.node_id)

    def reported(request: Request, reply_to: Callable[[Reply], None]) -> None:
        def answer(reply: Reply) -> None:
            network.report(Message(node, OUTSIDE, request, True, reply))
            reply_to(reply)

        network.report(Message(OUTSIDE, node, request))
        submit(request, answer)

    return reported


def intercept(listener: KafkaListener, rules: RequestRules, node: NodeId) -> None:
    """Makes the listener of `node` ask the rules about each request of an armed type."""

    def on_request(connection: KafkaConnection, header: RequestHeader, request: Request) -> None:
        broker_id = broker_of(request, node)
        rules.arrive(SocketArrival(request, node, broker_id, listener, connection, header))

    listener.intercepted, listener.intercept = rules.armed, on_request


class SocketArrival(Arrival):
    """A request that a client has sent over a socket."""

    __slots__ = ("_connection", "_listener")

    def __init__(
        self,
        request: Request,
        node: NodeId,
        broker_id: int,
        listener: KafkaListener,
        connection: KafkaConnection,
        header: RequestHeader,
    ) -> None:
        self._listener, self._connection = listener, connection
        client_id, version = header.client_id, header.api_version
        super().__init__(request, node, broker_id, self._send, client_id, version)

    def _send(self, reply: Reply | None) -> None:
        if reply is None:
            self._connection.end()
        else:
            self._connection.reply(reply)

    def hold(self, is_handled: bool) -> None:
        self._connection.is_held = True

    def release(self) -> None:
        self._connection.is_held = False

    def submit(self, reply_to: ReplyTo) -> None:
        self._listener.handle(self.request, self.version or 0, reply_to)

    def lose(self, is_handled: bool) -> None:
        self._connection.fall_silent()

    def send_damaged(self, reply: Reply, change: Change, closes: bool, reply_to: ReplyTo) -> None:
        self._connection.reply_damaged(reply, change, closes)
