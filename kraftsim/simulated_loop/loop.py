"""The event loop of one process of a simulated world.

It has no clock, no selector and no thread: its time is that of a timeline, on which it arms its
earliest timer and the next pass of its callbacks. Whoever runs the timeline runs the loop: its own
`run_forever`, the loop of another process, or a world.
"""

import asyncio
import sys
from asyncio import events, sslproto
from asyncio.base_events import Server
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from kraftsim.controller.time.timeline import NEVER_US

from .errors import Deadlock, NotSimulated
from .hosts import Hosts
from .refused import Refused
from .tasks import StableFuture, StableTask, waits_in
from .tcp import Endpoint, Listening
from .transport import SimulatedSocket, SimulatedTransport

if TYPE_CHECKING:
    from .threads import Threads

PASSES_AT_ONE_TIME = 1_000  # then a loop that polls lets time pass
CREEP_MAX_US = 1_000
CANCELLED_MIN = 100  # timers, before cancelled ones are dropped

T = TypeVar("T")


class SimulatedLoop(Refused, asyncio.BaseEventLoop):
    """The loop of the process `name`, which has a host of that name.

    `open_transports` are its connections, in the order in which they began.
    """

    _ready: deque[asyncio.Handle]
    _stopping: bool
    _debug: bool
    _thread_id: int | None

    def __init__(self, hosts: Hosts, name: str) -> None:
        super().__init__()
        self.hosts, self.name = hosts, name
        self.timeline = hosts.timeline
        self.open_transports: dict[SimulatedTransport, None] = {}
        self._clock_resolution = 1e-6
        self._address = hosts.add(name)
        self._timers: list[tuple[int, int, asyncio.TimerHandle]] = []  # a heap
        self._cancelled_count = 0
        self._armed_us = NEVER_US
        self._serials = count(1)
        self._task_numbers = count(1)
        self._pass_is_due = False
        self._passes, self._passes_at_us, self._creep_us = 0, 0, 1
        self._listening: dict[int, Listening] = {}  # by the id of the socket
        self._connected: dict[int, Endpoint] = {}  # by the descriptor of the user's socket
        self._generators: dict[int, Any] = {}
        self._threads: Threads | None = None

    def __repr__(self) -> str:
        return f"<SimulatedLoop {self.name} at {self.time():.6f} s>"

    # Time and timers

    def time(self) -> float:
        """Returns the time of the timeline in seconds."""
        return self.timeline.now_us / 1e6

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Calls `callback` after `delay` seconds; a delay over 0 takes 1 us or more."""
        if delay is None:
            raise TypeError("delay must not be None")
        handle = self.call_at(self.time() + delay, callback, *args, context=context)
        return handle

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Calls `callback` at a time; those of one time are called as they were scheduled."""
        if when is None:
            raise TypeError("when cannot be None")
        self._check(callback, "call_at")
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        now_us = self.timeline.now_us
        # A remainder such as 4e-17 s would let a loop that asks for it stand for ever.
        due_us = max(round(when * 1e6), now_us + (when > now_us / 1e6))
        heappush(self._timers, (due_us, next(self._serials), handle))
        handle._scheduled = True  # type: ignore[attr-defined]
        self._arm()
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._cancelled_count += 1
        if self._cancelled_count > max(CANCELLED_MIN, len(self._timers) // 2):
            self._timers = [timer for timer in self._timers if not timer[2].cancelled()]
            heapify(self._timers)
            self._cancelled_count = 0

    def _arm(self) -> None:
        if self._timers and self._timers[0][0] < self._armed_us:
            self._armed_us = self._timers[0][0]
            self.timeline.at(self._armed_us, self._wake)

    def _wake(self) -> None:
        """Moves the timers that are due to the callbacks that are ready."""
        now_us = self.timeline.now_us
        if now_us < self._armed_us or self._closed_now():
            return  # an earlier timer was armed, and has fired
        self._armed_us = NEVER_US
        while self._timers and (self._timers[0][0] <= now_us or self._timers[0][2].cancelled()):
            handle = heappop(self._timers)[2]
            handle._scheduled = False  # type: ignore[attr-defined]
            if handle.cancelled():
                self._cancelled_count -= 1
            else:
                self._ready.append(handle)
        self._schedule_pass()
        self._arm()

    # Callbacks

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Calls `callback` in the next pass, after those that were scheduled before."""
        self._check(callback, "call_soon")
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        if not self._pass_is_due:
            self._schedule_pass()
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Calls `callback` soon; only threads of `run_in_executor` may ask for it."""
        if self._threads is None or not self._threads.is_current:
            self._check_own_thread("call_soon_threadsafe")
        return self.call_soon(callback, *args, context=context)

    def _check(self, callback: Callable[..., object], method: str) -> None:
        if self._closed_now():
            raise RuntimeError("Event loop is closed")
        if self._debug:
            self._check_own_thread(method)
            if not callable(callback) or asyncio.iscoroutinefunction(callback):
                raise TypeError(
                    f"a callable object was expected by {method}(), got {callback!r}"
                    if not callable(callback)
                    else f"coroutines cannot be used with {method}()"
                )

    def _check_own_thread(self, method: str) -> None:
        import threading

        if self._thread_id is not None and self._thread_id != threading.get_ident():
            if self._threads is not None and self._threads.is_current:
                return
            raise RuntimeError(
                "Non-thread-safe operation invoked on an event loop other than the current one: "
                f"{method} of a simulated loop from a thread that it does not know; "
                "asyncio.to_thread makes one that it knows"
            )

    def _closed_now(self) -> bool:
        return self.is_closed()

    def _schedule_pass(self) -> None:
        if self._ready and not self._pass_is_due:
            self._pass_is_due = True
            self.timeline.at(self._next_pass_us(), self._pass)

    def _next_pass_us(self) -> int:
        """Returns now, unless the loop polls: then time creeps on."""
        now_us = self.timeline.now_us
        if now_us != self._passes_at_us:
            if self._passes < PASSES_AT_ONE_TIME:
                self._creep_us = 1
            self._passes, self._passes_at_us = 0, now_us
        self._passes += 1
        if self._passes <= PASSES_AT_ONE_TIME:
            return now_us
        creep_us, self._creep_us = self._creep_us, min(2 * self._creep_us, CREEP_MAX_US)
        self._passes_at_us = now_us + creep_us
        return now_us + creep_us

    def _pass(self) -> None:
        """Runs the callbacks that are ready, and not those that they add."""
        self._pass_is_due = False
        if self._stopping or self._closed_now():
            return  # the rest runs once somebody runs the loop again
        with self._running_here():
            ready = self._ready
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle.cancelled():
                    handle._run()
        self._schedule_pass()

    @contextmanager
    def _running_here(self) -> Generator[None]:
        """Context manager: this loop is the running one, whichever runs the timeline."""
        running = events._get_running_loop()
        if running is self:
            yield
            return
        hooks = sys.get_asyncgen_hooks()
        events._set_running_loop(self)
        sys.set_asyncgen_hooks(
            firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook
        )
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*hooks)
            events._set_running_loop(running)

    def _run_once(self) -> None:
        """Lets the next thing in the world happen; called by `run_forever`."""
        self._schedule_pass()
        if self.timeline.due_us == NEVER_US:
            raise Deadlock(
                "nothing can happen any more: no timer, no message, no thread; waiting: "
                f"{self._waiting()}"
            )
        self.timeline.run_next()

    def _waiting(self) -> str:
        tasks = sorted(asyncio.all_tasks(self), key=hash)
        texts = [f"task {task.get_name()!r} in {waits_in(task)}" for task in tasks]
        return f"{self.name}: {', '.join(texts) or 'no task'}"

    def stop(self) -> None:
        """Stops the loop after this pass."""
        super().stop()

    def close(self) -> None:
        """Ends the loop; its listeners and connections end with it."""
        if self.is_closed():
            return
        super().close()
        self._timers.clear()
        for listening in self._listening.values():
            self.hosts.unlisten(listening)
        for transport in list(self.open_transports):
            transport.vanish()

    def _write_to_self(self) -> None:
        """Does nothing: nobody sleeps in a selector."""

    def _process_events(self, event_list: Any) -> None:
        """Does nothing: there are no events but those of the timeline."""

    # Tasks, futures and generators

    def create_future(self) -> "asyncio.Future[Any]":
        """Returns a future whose order in a set is that of its creation."""
        return StableFuture(loop=self, serial=next(self._serials))

    def create_task(
        self,
        coro: "Generator[Any, None, T] | Coroutine[Any, Any, T]",
        *,
        name: str | None = None,
        context: Context | None = None,
        **options: Any,
    ) -> "asyncio.Task[T]":
        """Returns a task whose order in a set is that of its creation."""
        if self.get_task_factory() is not None:
            return super().create_task(coro, name=name, context=context, **options)
        if self._closed_now():
            raise RuntimeError("Event loop is closed")
        name = name or f"{self.name}-task-{next(self._task_numbers)}"
        serial = next(self._serials)
        return StableTask(coro, serial=serial, loop=self, name=name, context=context, **options)

    def _asyncgen_firstiter_hook(self, generator: Any) -> None:
        import weakref

        key = next(self._serials)
        self._generators[key] = weakref.ref(generator, lambda _: self._generators.pop(key, None))

    def _asyncgen_finalizer_hook(self, generator: Any) -> None:
        if not self.is_closed():
            self.call_soon(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self) -> None:
        """Closes the asynchronous generators in the order in which they began."""
        generators, self._generators = self._generators, {}
        known = [generator for of in generators.values() if (generator := of()) is not None]
        closings = [generator.aclose() for generator in known]
        results = await asyncio.gather(*closings, return_exceptions=True)
        for generator, result in zip(known, results, strict=True):
            if isinstance(result, Exception):
                message = f"an error occurred during closing of asynchronous generator {generator}"
                context = {"message": message, "exception": result, "asyncgen": generator}
                self.call_exception_handler(context)

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Does nothing: each call of `run_in_executor` has a thread of its own."""

    # Threads

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> Any:
        """Runs `func` in a thread that never runs at the same time as a loop.

        `executor` is not used: a pool would let the real system choose the order.
        """
        self._check(func, "run_in_executor")
        if self._threads is None:
            from .threads import Threads

            self._threads = Threads(self)
        return self._threads.run(func, args)

    # Names and connections

    async def getaddrinfo(
        self,
        host: Any,
        port: Any,
        *,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """Returns the address of a host of the world. Raises socket.gaierror if there is none."""
        import socket

        name = host.decode() if isinstance(host, bytes) else host
        number = int(port) if port is not None else 0
        address = (self.hosts.resolve(name), number)
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]

    async def getnameinfo(self, sockaddr: Any, flags: int = 0) -> tuple[str, str]:
        """Returns the name of the host that has an address, and the port."""
        return self.hosts.name_of(sockaddr[0]), str(sockaddr[1])

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

    async def create_connection(  # type: ignore[override]
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        host: str | None = None,
        port: int | None = None,
        *,
        ssl: Any = None,
        sock: Any = None,
        server_hostname: str | None = None,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
        **ignored: Any,
    ) -> tuple[asyncio.BaseTransport, asyncio.BaseProtocol]:
        """Connects to a listener of the world, over its network."""
        if server_hostname is not None and not ssl:
            raise ValueError("server_hostname is only meaningful with ssl")
        if ssl and server_hostname is None:
            if not host:
                raise ValueError("You must set server_hostname when using ssl without a host")
            server_hostname = host
        if sock is not None:
            endpoint = self._connected.pop(sock.fileno(), None)
            if endpoint is None:
                raise NotSimulated(
                    f"{sock} was not connected by loop.sock_connect: a real socket would leave "
                    "the simulated network"
                )
        elif host is None and port is None:
            raise ValueError("host and port was not specified and no sock specified")
        else:
            endpoint = await self._connect(host, port or 0)
        protocol = protocol_factory()
        waiter = self.create_future()
        transport = self._transport_of(
            endpoint,
            protocol,
            waiter,
            ssl,
            server_hostname=server_hostname,
            timeouts=(ssl_handshake_timeout, ssl_shutdown_timeout),
        )
        try:
            await waiter
        except BaseException:
            transport.close()
            raise
        return transport, protocol

    def _transport_of(
        self,
        endpoint: Endpoint,
        protocol: asyncio.BaseProtocol,
        waiter: "asyncio.Future[None] | None",
        ssl: Any,
        *,
        server_hostname: str | None = None,
        server: Server | None = None,
        timeouts: tuple[float | None, float | None] = (None, None),
    ) -> asyncio.Transport:
        if not ssl:
            return SimulatedTransport(self, endpoint, protocol, waiter, server)
        context = None if isinstance(ssl, bool) else ssl
        handshake_s, shutdown_s = timeouts
        over: Any = sslproto.SSLProtocol(  # type: ignore[call-arg]
            self,
            protocol,
            context,
            waiter,
            server is not None,
            server_hostname,
            ssl_handshake_timeout=handshake_s,
            ssl_shutdown_timeout=shutdown_s,
        )
        SimulatedTransport(self, endpoint, over, server=server)
        transport: asyncio.Transport = over._app_transport
        return transport

    async def sock_connect(self, sock: Any, address: Any) -> None:
        """Connects a socket, which is only a key: `create_connection(sock=...)` takes it."""
        self._connected[sock.fileno()] = await self._connect(address[0], address[1])

    async def create_server(  # type: ignore[override]
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        host: Any = None,
        port: int | None = None,
        *,
        sock: Any = None,
        backlog: int = 100,
        ssl: Any = None,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
        start_serving: bool = True,
        **ignored: Any,
    ) -> Server:
        """Listens in the world, at the port of a real socket too, which stays silent."""
        if isinstance(ssl, bool):
            raise TypeError("ssl argument must be an SSLContext or None")
        if sock is not None:
            host, port = sock.getsockname()[:2]
        elif host is None and port is None:
            raise ValueError("Neither host/port nor sock were specified")
        names = [host] if host is None or isinstance(host, str) else list(host)
        sockets: Any = [self._bind(name, port or 0) for name in names]
        server = Server(  # type: ignore[call-arg]
            self,
            sockets,
            protocol_factory,
            ssl,
            backlog,
            ssl_handshake_timeout,
            ssl_shutdown_timeout,
        )
        if start_serving:
            server._start_serving()  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        return server

    def _bind(self, host: str | None, port: int) -> SimulatedSocket:
        refuse: Callable[[Endpoint], None] = Endpoint.reset
        listening = self.hosts.listen(self.name, host, port, refuse)
        socket = SimulatedSocket(listening.address)
        self._listening[id(socket)] = listening
        return socket

    def _start_serving(
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        sock: SimulatedSocket,
        sslcontext: Any = None,
        server: Server | None = None,
        backlog: int = 100,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
    ) -> None:
        timeouts = (ssl_handshake_timeout, ssl_shutdown_timeout)

        def accept(endpoint: Endpoint) -> None:
            self.call_soon(
                partial(self._accept, endpoint, protocol_factory, sslcontext, server, timeouts)
            )

        self._listening[id(sock)].accept = accept

    def _accept(
        self,
        endpoint: Endpoint,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        ssl: Any,
        server: Server | None,
        timeouts: tuple[float | None, float | None],
    ) -> None:
        waiter = self.create_future() if ssl else None
        if waiter is not None:
            waiter.add_done_callback(_look_at_exception)
        protocol = protocol_factory()
        self._transport_of(endpoint, protocol, waiter, ssl, server=server, timeouts=timeouts)

    def _stop_serving(self, sock: SimulatedSocket) -> None:
        listening = self._listening.pop(id(sock), None)
        if listening is not None:
            self.hosts.unlisten(listening)


def _look_at_exception(future: "asyncio.Future[None]") -> None:
    """Lets a failed handshake of a server end with its connection, and nobody else."""
    if not future.cancelled():
        future.exception()
