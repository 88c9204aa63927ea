"""A connection as asyncio software sees it: a transport over an endpoint of a simulated kernel.

The order of calls is that of asyncio's own transport over a socket: `connection_made`, then the
first bytes, then whoever waits for the connection; one `data_received` in a pass of the loop.
"""

import asyncio
import socket
import sys
from asyncio import constants, transports
from asyncio.log import logger
from collections import deque
from typing import TYPE_CHECKING, Any

from kraftsim.controller.time.timeline import Action

from .tcp import Address, Endpoint
from .timed_loop import TimedLoop

if TYPE_CHECKING:
    from asyncio.base_events import Server


READ_BYTES = 256 * 1024
NEEDS_TRANSPORT = sys.version_info >= (3, 13)  # of the methods with which a server counts


class SimulatedSocket:
    """What `get_extra_info("socket")` returns, and what a server listens at: no descriptor."""

    family, type, proto = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP

    def __init__(self, local: Address, remote: Address | None = None) -> None:
        self._local, self._remote = local, remote
        self._options: dict[tuple[int, int], int | bytes] = {}

    def fileno(self) -> int:
        """-1: there is no descriptor."""
        return -1

    def getsockname(self) -> Address:
        """Returns the own address and port."""
        return self._local

    def getpeername(self) -> Address:
        """Returns address and port of the other end. Raises OSError if there is none."""
        if self._remote is None:
            raise OSError("a listening socket has no peer")
        return self._remote

    def setsockopt(self, level: int, option: int, value: int | bytes, *length: int) -> None:
        """Keeps the value for `getsockopt`: segments are never delayed, and peers never idle."""
        self._options[level, option] = value

    def getsockopt(self, level: int, option: int, *length: int) -> int | bytes:
        """Returns the value that was set, or 0."""
        return self._options.get((level, option), 0)

    def listen(self, backlog: int = 0) -> None:
        """Does nothing: the loop listens."""

    def setblocking(self, blocking: bool) -> None:
        """Does nothing: nobody reads from this socket itself."""

    def close(self) -> None:
        """Does nothing: the transport closes its endpoint."""


class SimulatedTransport(transports._FlowControlMixin, transports.Transport):
    """A transport over `endpoint`, whose bytes go to and come from `protocol`.

    It is among `open_transports` until it has ended.
    """

    _start_tls_compatible = True
    _loop: TimedLoop
    _maybe_pause_protocol: Action  # of the base, which typeshed does not have
    _maybe_resume_protocol: Action

    def __init__(
        self,
        loop: TimedLoop,
        open_transports: "dict[SimulatedTransport, None]",
        endpoint: Endpoint,
        protocol: asyncio.BaseProtocol,
        waiter: "asyncio.Future[None] | None" = None,
        server: "Server | None" = None,
    ) -> None:
        extra = {
            "socket": SimulatedSocket(endpoint.local, endpoint.remote),
            "sockname": endpoint.local,
            "peername": endpoint.remote,
        }
        super().__init__(extra, loop)
        self.set_protocol(protocol)
        self._endpoint, self._server = endpoint, server
        self._buffer: deque[memoryview] = deque()
        self._buffered_bytes = 0
        self._lost_writes = 0  # after the connection was lost
        self._is_lost = self._is_closing = self._is_paused = self._has_shut = False
        self._reads = False  # connection_made has been called
        self._read_is_due = self._has_ended = False
        endpoint.on_readable, endpoint.on_writable = self._on_readable, self._on_writable
        self._open_transports = open_transports
        open_transports[self] = None
        if server is not None:
            _attach(server, self)
        loop.call_soon(self._protocol.connection_made, self)
        loop.call_soon(self._begin_to_read)
        if waiter is not None:
            loop.call_soon(_set_unless_cancelled, waiter)

    def __repr__(self) -> str:
        state = "closing" if self._is_closing else "open"
        (host, port), (to_host, to_port) = self._endpoint.local, self._endpoint.remote
        return f"<SimulatedTransport {state} {host}:{port} to {to_host}:{to_port}>"

    # Reading

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Gives the following bytes to another protocol."""
        self._protocol: Any = protocol  # of a user: asyncio's own transports do not look either
        self._takes_buffers = isinstance(protocol, asyncio.BufferedProtocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Returns the protocol that gets the bytes."""
        protocol: asyncio.BaseProtocol = self._protocol
        return protocol

    def is_reading(self) -> bool:
        """True unless the transport is paused or closing."""
        return not self._is_closing and not self._is_paused

    def pause_reading(self) -> None:
        """Leaves what arrives in the kernel, until `resume_reading`."""
        if self.is_reading():
            self._is_paused = True

    def resume_reading(self) -> None:
        """Goes on with what has arrived."""
        if not self._is_closing and self._is_paused:
            self._is_paused = False
            self._on_readable()

    def _begin_to_read(self) -> None:
        self._reads = True
        self._on_readable()

    def _on_readable(self) -> None:
        if (
            not self._read_is_due
            and self._reads
            and not self._has_ended
            and self.is_reading()
            and self._endpoint.is_readable
        ):
            self._read_is_due = True
            self._loop.call_soon(self._read)

    def _read(self) -> None:
        self._read_is_due = False
        if not self.is_reading() or self._is_lost:
            return
        try:
            if self._takes_buffers:
                count = self._read_into_buffer()
            else:
                data = self._endpoint.receive(READ_BYTES)
                count = len(data)
                if data:
                    self._protocol.data_received(data)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(error)
            return
        except BaseException as error:  # whatever the protocol raises, as asyncio does
            self._fail(error)
            return
        if count:
            self._on_readable()
        else:
            self._end_reading()

    def _read_into_buffer(self) -> int:
        buffer = self._protocol.get_buffer(-1)
        if not len(buffer):
            raise RuntimeError("get_buffer() returned an empty buffer")
        data = self._endpoint.receive(len(buffer))
        memoryview(buffer)[: len(data)] = data
        if data:
            self._protocol.buffer_updated(len(data))
        return len(data)

    def _end_reading(self) -> None:
        self._has_ended = True
        try:
            stays_open = self._protocol.eof_received()
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever the protocol raises, as asyncio does
            self._fail(error)
            return
        if not stays_open:
            self.close()

    # Writing

    def write(self, data: "bytes | bytearray | memoryview[Any]") -> None:
        """Sends what there is room for, and keeps the rest."""
        given: object = data
        if not isinstance(given, (bytes, bytearray, memoryview)):
            kind = type(given).__name__
            raise TypeError(f"data argument must be a bytes-like object, not {kind!r}")
        if self._has_shut:
            raise RuntimeError("Cannot call write() after write_eof()")
        if not data:
            return
        if self._is_lost:
            self._note_lost_write()
            return
        rest = memoryview(data).cast("B") if isinstance(data, memoryview) else memoryview(data)
        if not self._buffer:
            sent = self._send(rest)
            if sent is None or sent == len(rest):
                return
            rest = rest[sent:]
        self._buffer.append(memoryview(bytes(rest)))
        self._buffered_bytes += len(rest)
        self._maybe_pause_protocol()

    def writelines(self, list_of_data: "Any") -> None:
        """Sends all of it as one."""
        self.write(b"".join(list_of_data))

    def _send(self, data: memoryview) -> int | None:
        try:
            return self._endpoint.send(data)
        except OSError as error:
            self._fail(error)
            return None

    def _note_lost_write(self) -> None:
        self._lost_writes += 1
        if self._lost_writes > constants.LOG_THRESHOLD_FOR_CONNLOST_WRITES:
            logger.warning("socket.send() raised exception.")

    def _on_writable(self) -> None:
        self._loop.call_soon(self._write_rest)

    def _write_rest(self) -> None:
        if self._is_lost:
            return
        while self._buffer:
            part = self._buffer.popleft()
            sent = self._send(part)
            if sent is None:
                return
            self._buffered_bytes -= sent
            if sent < len(part):
                self._buffer.appendleft(part[sent:])
                break
        self._maybe_resume_protocol()
        if not self._buffer and self._is_closing:
            self._lose(None)
        elif not self._buffer and self._has_shut:
            self._endpoint.shut()

    def get_write_buffer_size(self) -> int:
        """Returns how many bytes wait for room."""
        return self._buffered_bytes

    def can_write_eof(self) -> bool:
        """True: a stream may end in one direction."""
        return True

    def write_eof(self) -> None:
        """Ends the own direction, behind what was written."""
        if self._is_closing or self._has_shut:
            return
        self._has_shut = True
        if not self._buffer:
            self._endpoint.shut()

    # The end

    def is_closing(self) -> bool:
        """True once the transport closes, or has closed."""
        return self._is_closing

    def close(self) -> None:
        """Reads no more, and ends once everything is written."""
        if self._is_closing:
            return
        self._is_closing = True
        if not self._buffer:
            self._is_lost = True
            self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        """Ends at once; what waits for room is not sent."""
        self._force_close(None)

    def vanish(self) -> None:
        """Ends without a word to the protocol, as its process does that is killed."""
        self._is_closing = self._is_lost = True
        self._endpoint.reset()
        self._open_transports.pop(self, None)

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, OSError):
            context = {
                "message": "Fatal error on transport",
                "exception": error,
                "transport": self,
                "protocol": self._protocol,
            }
            self._loop.call_exception_handler(context)
        self._force_close(error)

    def _force_close(self, error: BaseException | None) -> None:
        if self._is_lost:
            return
        self._buffer.clear()
        self._buffered_bytes = 0
        self._is_closing = self._is_lost = True
        self._loop.call_soon(self._lose, error)

    def _lose(self, error: BaseException | None) -> None:
        self._is_lost = True
        try:
            self._protocol.connection_lost(error)
        finally:
            self._endpoint.close()
            self._open_transports.pop(self, None)
            self._protocol = None
            if self._server is not None:
                _detach(self._server, self)
                self._server = None


def _attach(server: Any, transport: SimulatedTransport) -> None:
    server._attach(transport) if NEEDS_TRANSPORT else server._attach()


def _detach(server: Any, transport: SimulatedTransport) -> None:
    server._detach(transport) if NEEDS_TRANSPORT else server._detach()


def _set_unless_cancelled(future: "asyncio.Future[None]") -> None:
    if not future.cancelled():
        future.set_result(None)
