"""The sockets of a cluster: the controller's listener, a facade for each broker, and HTTP.

A facade follows its broker's process: closed when that is gone, holding when it is paused.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kraftsim.broker_agent import facade
from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.forwarding import Forwarding
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.image import Image
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    DescribeClusterRequest,
    MetadataRequest,
    Request,
    Response,
)
from kraftsim.controller.hosted import Dispatch
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.runtime import Runtime
from kraftsim.scenarios.controller_process import ControllerProcess
from kraftsim.scenarios.world import World

from .description import brokers_for_clients

if TYPE_CHECKING:
    from aiohttp import web

ReplyTo = Callable[[Response | ApiError], None]

log = logging.getLogger(__name__)


class Service:
    """Ports are bound before anybody registers, so that a registration names the real ones."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.controller_ports: dict[int, int] = {}
        self.broker_ports: dict[int, int] = {}
        self.http_port: int | None = None
        self._controllers: dict[int, KafkaListener] = {}
        self._facades: dict[int, KafkaListener] = {}
        self._http: web.AppRunner | None = None
        self._reopening: dict[KafkaListener, asyncio.Task[None]] = {}
        self._world: World | None = None

    async def open_controller(self, node_id: int, port: int) -> int:
        """Bind a controller's port; nobody is answered before `serve`."""
        listener = self._controllers[node_id] = KafkaListener("controller", f"controller-{node_id}")
        self.controller_ports[node_id] = await listener.open(self.host, port)
        return self.controller_ports[node_id]

    async def open_facade(self, broker_id: int, port: int) -> int:
        listener = KafkaListener("broker", f"broker-{broker_id}")
        self.broker_ports[broker_id] = await listener.open(self.host, port)
        self._facades[broker_id] = listener
        return self.broker_ports[broker_id]

    def serve(self, world: World, runtime: Runtime) -> None:
        """From here on listeners answer."""
        self._world = world
        for node_id, listener in self._controllers.items():
            process = world.controllers[node_id]
            listener.serve(runtime, partial(_describe_controller, process), _answers(process))
        for broker_id in self._facades:
            self.serve_facade(broker_id, runtime)
        world.agent_listeners.append(self._on_agent_state)
        world.controller_listeners.append(self._on_controller)

    def serve_facade(self, broker_id: int, runtime: Runtime) -> None:
        assert self._world is not None, "serve comes first"
        listener = self._facades[broker_id]
        listener.start_time_tag = self._world.topology.settings.start_time_tag
        listener.serve(
            runtime,
            partial(self._describe_facade, self._world, broker_id),
            partial(self._answer_facade, self._world, broker_id),
        )

    async def open_http(self, application: "web.Application", port: int) -> int:
        from aiohttp import web

        self._http = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
        await self._http.setup()
        site = web.TCPSite(self._http, self.host, port)
        await site.start()
        self.http_port = self._http.addresses[0][1]
        return self.http_port

    async def close(self) -> None:
        for task in self._reopening.values():
            task.cancel()
        await asyncio.gather(*self._reopening.values(), return_exceptions=True)
        for listener in (*self._controllers.values(), *self._facades.values()):
            listener.close()
        if self._http is not None:
            await self._http.cleanup()

    def _describe_facade(
        self, world: World, broker_id: int, request: ApiVersionsRequest, version: int
    ) -> Response:
        image, profile = world.agents[broker_id].agent.image, world.topology.profile
        return api_versions.answer(
            request, version, listener="broker", image=image, profile=profile
        )

    def _answer_facade(
        self, world: World, broker_id: int, request: Request, reply_to: ReplyTo
    ) -> None:
        """What a broker knows it answers from what it has fetched; the rest it passes on."""
        image = world.agents[broker_id].agent.image
        match request:
            case MetadataRequest():
                reply_to(_metadata(world, image, request))
            case DescribeClusterRequest():
                reply_to(_described(world, image, request))
            case _:
                agent, send = world.agents[broker_id], world.links[broker_id].send
                Forwarding(world.timeline, send, lambda: agent.agent.controller_id).forward(
                    request, reply_to
                )

    def _on_agent_state(self, broker_id: int, state: str) -> None:
        listener = self._facades.get(broker_id)
        if listener is None:
            return
        if state == "NOT_RUNNING":
            listener.close()
        elif not listener.is_open:
            self._reopen_soon(
                listener, self.broker_ports[broker_id], self._running.agents[broker_id]
            )
        listener.hold(state == "PAUSED")

    def _on_controller(self, node_id: int, state: str) -> None:
        listener = self._controllers.get(node_id)
        if listener is None:
            return
        if state == "NOT_RUNNING":
            listener.close()
        elif not listener.is_open:
            process = self._running.controllers[node_id]
            self._reopen_soon(listener, self.controller_ports[node_id], process)
        listener.hold(state == "PAUSED")

    @property
    def _running(self) -> World:
        assert self._world is not None, "serve comes first"
        return self._world

    def _reopen_soon(
        self, listener: KafkaListener, port: int, process: "HostedAgent | ControllerProcess"
    ) -> None:
        if listener not in self._reopening:
            self._reopening[listener] = asyncio.ensure_future(self._reopen(listener, port, process))

    async def _reopen(
        self, listener: KafkaListener, port: int, process: "HostedAgent | ControllerProcess"
    ) -> None:
        """The port that was registered; unless its process is gone again by now."""
        try:
            await listener.open(self.host, port)
        except OSError as error:
            log.error("%s: no client can reach it any more: %s", listener.name, error)
        finally:
            del self._reopening[listener]
        if not process.is_alive:
            listener.close()


def _describe_controller(
    process: ControllerProcess, request: ApiVersionsRequest, version: int
) -> Response:
    node = process.node
    return api_versions.answer(
        request, version, listener="controller", image=node.committed, profile=node.profile
    )


def _answers(process: ControllerProcess) -> Dispatch:
    """Straight to the process that runs now: its listener is closed while there is none."""
    return lambda request, reply_to: process.hosted.submit(request, reply_to)


def _metadata(world: World, image: Image, request: MetadataRequest) -> Response:
    return facade.metadata(
        image,
        request,
        cluster_id=world.topology.cluster_id,
        listener=CLIENT_LISTENER,
        random=world.random,
    )


def _described(world: World, image: Image, request: DescribeClusterRequest) -> Response | ApiError:
    try:
        return brokers_for_clients(world, image, request)
    except ApiError as error:
        return error
