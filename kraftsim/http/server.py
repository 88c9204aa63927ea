"""The HTTP server of a cluster: the application, its connections and its port."""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from aiohttp import web

from kraftsim.controller.server.bound_port import bound_port

from ..service.listeners import Service
from ..service.observed import Observed
from .app import http_application
from .connections import HttpConnections
from .protocol import HttpProtocol

if TYPE_CHECKING:
    from kraftsim.simulation.world import World

    from ..api.cluster import Cluster

SHUTDOWN_S = 0.2  # for the responses under way when the server closes


class HttpServer:
    """Serves a cluster over HTTP from `open` to `close`."""

    def __init__(self, kraft: "Cluster", service: Service) -> None:
        self._connections = HttpConnections()
        self._world = kraft.world
        self._data_plane = service.data_plane
        self._observed = Observed(self._world)
        application = http_application(
            kraft,
            lambda api, body: service.requests.note_json(api, body),  # a reset has another journal
            self._connections,
            self._scraped,
        )
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_S)
        self._server: asyncio.Server | None = None
        self.port = 0

    def serve(self, world: "World") -> None:
        """Shows the metrics of this world from now on."""
        self._observed.close()
        self._world, self._observed = world, Observed(world)

    async def open(self, host: str, port: int) -> None:
        """Listens on `host` and `port`, which is a free one if it is 0."""
        await self._runner.setup()
        server, loop = self._runner.server, asyncio.get_running_loop()
        assert server is not None, "set up"
        self._connections.handlers = lambda: HttpProtocol(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # as aiohttp's runner passes it
        )
        self._server = await loop.create_server(self._connections.new, host, port)
        self.port = bound_port(self._server)

    async def close(self) -> None:
        """Stops listening and ends every connection."""
        self._observed.close()
        if self._server is not None:
            self._server.close()
        await self._runner.cleanup()

    async def _scraped(self, _: web.Request) -> web.Response:
        # The library of Prometheus is slow to import, and most services are never scraped.
        metrics = await asyncio.to_thread(import_module, "kraftsim.http.metrics")
        text = metrics.metrics_text(self._world, self._observed, self._data_plane)
        return web.Response(body=text, headers={"Content-Type": metrics.CONTENT_TYPE})
