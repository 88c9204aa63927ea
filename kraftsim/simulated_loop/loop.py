"""The event loop of one process of a simulated world: names, connections and threads.

Connections go over TCP of the world (`tcp.py`), to whoever listens there. What only the real
system has is refused (`refused.py`).
"""

import asyncio
import socket
import ssl as tls
from asyncio import sslproto
from asyncio.base_events import Server
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, Unpack

from kraftsim.controller.time.clock import Clock

from .errors import NotSimulated
from .hosts import Hosts
from .refused import Refused
from .tcp import Endpoint, Listening
from .threads import Job
from .timed_loop import TimedLoop
from .transport import SimulatedSocket, SimulatedTransport

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Factory = Callable[[], asyncio.BaseProtocol]


class Tls(NamedTuple):
    """How a connection is encrypted; the timeouts are in seconds."""

    context: tls.SSLContext | None
    server_hostname: str | None
    handshake_timeout_s: float | None
    shutdown_timeout_s: float | None


class SimulatedLoop(Refused, TimedLoop):
    """The loop of the process `name`, which has a host of that name.

    `open_transports` are its connections, in the order in which they began.
    """

    def __init__(self, hosts: Hosts, name: str, clock: Clock | None = None) -> None:
        super().__init__(hosts.timeline, name, clock)
        self.hosts = hosts
        self.open_transports: dict[SimulatedTransport, None] = {}
        self._listening: dict[SimulatedSocket, Listening] = {}
        self._connected: dict[int, Endpoint] = {}  # by the descriptor of the user's socket
        hosts.add(name)

    def __repr__(self) -> str:
        return f"<SimulatedLoop {self.name} at {self.time():.6f} s>"

    def close(self) -> None:
        """Ends the loop; its listeners and connections end with it."""
        if not self.is_closed():
            super().close()
        self._leave_network()

    def kill(self) -> None:
        """Ends as a killed process does: its kernel resets every connection."""
        super().kill()
        self._leave_network()

    def _leave_network(self) -> None:
        for listening in self._listening.values():
            self.hosts.unlisten(listening)
        self._listening.clear()
        for transport in list(self.open_transports):
            transport.vanish()

    # Threads

    def run_in_executor(
        self,
        executor: object,
        func: Callable[[Unpack[Ts]], T],
        *args: *Ts,
    ) -> "asyncio.Future[T]":
        """Calls `func` in a thread that never runs at the same time as a loop.

        `executor` is not used: a pool would let the real system choose the order.
        """
        self._check(func, "run_in_executor")
        job = Job(self, func, args)
        self.call_soon(job.start)
        return job.future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Does nothing: each call of `run_in_executor` has a thread of its own."""

    # Names

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """Returns the address of a host of the world. Raises socket.gaierror if there is none."""
        name = host.decode() if isinstance(host, bytes) else host
        address = (self.hosts.resolve(name), int(port or 0))
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]

    async def getnameinfo(self, sockaddr: Any, flags: int = 0) -> tuple[str, str]:
        """Returns the name of the host that has an address, and the port."""
        return self.hosts.name_of(sockaddr[0]), str(sockaddr[1])

    # Connections

    async def _connect(self, host: str | None, port: int) -> Endpoint:
        future: asyncio.Future[Endpoint] = self.create_future()

        def done(result: Endpoint | OSError) -> None:
            if future.done():
                if isinstance(result, Endpoint):
                    result.reset()
            elif isinstance(result, OSError):
                future.set_exception(result)
            else:
                future.set_result(result)

        connecting = self.hosts.connect(self.name, host, port, done)
        try:
            return await future
        except asyncio.CancelledError:
            connecting.cancel()
            raise

    async def create_connection(  # type: ignore[override]  # its many overloads
        self,
        protocol_factory: Factory,
        host: str | None = None,
        port: int | None = None,
        *,
        ssl: tls.SSLContext | bool | None = None,
        sock: socket.socket | None = None,
        server_hostname: str | None = None,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
        **of_real_sockets: Any,
    ) -> tuple[asyncio.BaseTransport, asyncio.BaseProtocol]:
        """Connects to a listener of the world, over its network."""
        if server_hostname is not None and not ssl:
            raise ValueError("server_hostname is only meaningful with ssl")
        if ssl and server_hostname is None:
            if not host:
                raise ValueError("You must set server_hostname when using ssl without a host")
            server_hostname = host
        endpoint = await self._endpoint(host, port, sock)
        secured = None
        if ssl:
            context = ssl if isinstance(ssl, tls.SSLContext) else None
            secured = Tls(context, server_hostname, ssl_handshake_timeout, ssl_shutdown_timeout)
        protocol, waiter = protocol_factory(), self.create_future()
        transport = self._transport(endpoint, protocol, waiter, secured)
        try:
            await waiter
        except BaseException:
            transport.close()
            raise
        return transport, protocol

    async def _endpoint(
        self, host: str | None, port: int | None, sock: socket.socket | None
    ) -> Endpoint:
        if sock is None:
            if host is None and port is None:
                raise ValueError("host and port was not specified and no sock specified")
            return await self._connect(host, int(port or 0))  # which may be a text
        endpoint = self._connected.pop(sock.fileno(), None)
        if endpoint is None:
            raise NotSimulated(
                f"{sock} was not connected by loop.sock_connect: a real socket would leave the "
                "simulated network"
            )
        sock.close()  # the transport owns it, and does not need it
        return endpoint

    def _transport(
        self,
        endpoint: Endpoint,
        protocol: asyncio.BaseProtocol,
        waiter: "asyncio.Future[None] | None",
        secured: Tls | None,
        server: Server | None = None,
    ) -> asyncio.Transport:
        if secured is None:
            return SimulatedTransport(
                self, self.open_transports, endpoint, protocol, waiter, server
            )
        make: Any = sslproto.SSLProtocol  # whose types typeshed has otherwise
        over = make(
            self,
            protocol,
            secured.context,
            waiter,
            server is not None,
            secured.server_hostname,
            ssl_handshake_timeout=secured.handshake_timeout_s,
            ssl_shutdown_timeout=secured.shutdown_timeout_s,
        )
        SimulatedTransport(self, self.open_transports, endpoint, over, server=server)
        transport: asyncio.Transport = over._app_transport
        return transport

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        """Connects a socket, which is only a key: `create_connection(sock=...)` takes it."""
        self._connected[sock.fileno()] = await self._connect(address[0], address[1])

    # Listeners

    async def create_server(  # type: ignore[override]  # its many overloads
        self,
        protocol_factory: Factory,
        host: str | Sequence[str] | None = None,
        port: int | None = None,
        *,
        sock: socket.socket | None = None,
        backlog: int = 100,
        ssl: tls.SSLContext | None = None,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
        start_serving: bool = True,
        **of_real_sockets: Any,
    ) -> Server:
        """Listens in the world; at the port of a real socket too, which stays silent."""
        if isinstance(ssl, bool):
            raise TypeError("ssl argument must be an SSLContext or None")
        if sock is not None:
            host, port = sock.getsockname()[:2]
        elif host is None and port is None:
            raise ValueError("Neither host/port nor sock were specified")
        names = [host] if host is None or isinstance(host, str) else list(host)
        sockets = [self._bind(name, int(port or 0)) for name in names]
        make: Any = Server  # whose types typeshed does not have
        timeouts = (ssl_handshake_timeout, ssl_shutdown_timeout)
        server: Server = make(self, sockets, protocol_factory, ssl, backlog, *timeouts)
        if start_serving:
            await server.start_serving()
        return server

    def _bind(self, host: str | None, port: int) -> SimulatedSocket:
        listening = self.hosts.listen(self.name, host, port, Endpoint.reset)
        sock = SimulatedSocket(listening.address)
        self._listening[sock] = listening
        return sock

    def _start_serving(
        self,
        protocol_factory: Factory,
        sock: SimulatedSocket,
        sslcontext: tls.SSLContext | None = None,
        server: Server | None = None,
        backlog: int = 100,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
    ) -> None:
        """Called by `Server` as it starts to serve."""
        secured = None
        if sslcontext is not None:
            secured = Tls(sslcontext, None, ssl_handshake_timeout, ssl_shutdown_timeout)

        def accept(endpoint: Endpoint) -> None:
            self.call_soon(self._accept, endpoint, protocol_factory, secured, server)

        self._listening[sock].accept = accept

    def _accept(
        self,
        endpoint: Endpoint,
        protocol_factory: Factory,
        secured: Tls | None,
        server: Server | None,
    ) -> None:
        waiter = None
        if secured is not None:
            waiter = self.create_future()
            waiter.add_done_callback(_look_at_exception)
        self._transport(endpoint, protocol_factory(), waiter, secured, server)

    def _stop_serving(self, sock: SimulatedSocket) -> None:
        """Called by `Server` as it closes."""
        listening = self._listening.pop(sock, None)
        if listening is not None:
            self.hosts.unlisten(listening)


def _look_at_exception(future: "asyncio.Future[None]") -> None:
    """Lets a failed handshake of a server end with its connection, and nobody else."""
    if not future.cancelled():
        future.exception()
