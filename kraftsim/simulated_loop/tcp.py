"""TCP between the processes of a simulated world: what their kernels do with bytes.

The bytes of one direction arrive in order. A segment that the network does not let through is sent
again after 0.2 s, 0.4 s, ... 120 s. So a cut delays a stream and loses nothing of it, until the
kernel gives up (ETIMEDOUT) after `RETRANSMITTED_MAX_US`.
"""

import errno
import os
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from kraftsim.controller.time.timeline import Action, Timeline

WINDOW_BYTES = 256 * 1024  # under way or unread, in one direction
RETRANSMISSION_US = 200_000
RETRANSMISSION_MAX_US = 120_000_000
RETRANSMITTED_MAX_US = 924_000_000  # Linux: tcp_retries2 = 15
SYN_US = 1_000_000
SYN_MAX_US = 127_000_000  # Linux: tcp_syn_retries = 6

Address = tuple[str, int]


class Links(Protocol):
    """The network between processes, by their names."""

    def is_open(self, sender: str, receiver: str, /) -> bool:
        """True if what `sender` sends arrives at `receiver`."""

    def delay_us(self, sender: str, receiver: str, /) -> int:
        """Draws how long a segment takes."""


class OpenLinks:
    """A network without delays and faults."""

    def is_open(self, sender: str, receiver: str, /) -> bool:
        """True: no link is cut."""
        return True

    def delay_us(self, sender: str, receiver: str, /) -> int:
        """0: a segment arrives at once."""
        return 0


class Direction:
    """The segments from one process to another, which arrive in order.

    `give_up` is called once the network has let nothing through for RETRANSMITTED_MAX_US.
    """

    def __init__(
        self, timeline: Timeline, links: Links, sender: str, receiver: str, give_up: Action
    ) -> None:
        self._timeline, self._links = timeline, links
        self._sender, self._receiver, self._give_up = sender, receiver, give_up
        self._waiting: deque[Action] = deque()  # segments under way, and those behind them
        self._latest_us = 0  # the arrival of the last segment
        self._wait_us = 0  # since the last transmission of a lost segment; 0: none is lost
        self._lost_us = 0

    def carry(self, arrive: Action) -> None:
        """Calls `arrive` when the segment arrives."""
        now_us = self._timeline.now_us
        at_us = now_us + self._links.delay_us(self._sender, self._receiver)
        self._latest_us = max(at_us, self._latest_us)
        self._waiting.append(arrive)
        self._timeline.at(self._latest_us, self._arrive)

    def end(self) -> None:
        """Lets nothing arrive any more."""
        self._waiting.clear()

    def _arrive(self) -> None:
        if self._wait_us or not self._waiting:
            return  # it waits behind a lost one
        if self._links.is_open(self._sender, self._receiver):
            self._waiting.popleft()()
        else:
            self._wait_us, self._lost_us = RETRANSMISSION_US, self._timeline.now_us
            self._timeline.after(self._wait_us, self._send_again)

    def _send_again(self) -> None:
        if not self._waiting:
            self._wait_us = 0
        elif self._links.is_open(self._sender, self._receiver):
            self._wait_us = 0
            late = len(self._waiting)
            while self._waiting and late:
                late -= 1
                self._waiting.popleft()()
        elif self._timeline.now_us - self._lost_us >= RETRANSMITTED_MAX_US:
            self.end()
            self._give_up()
        else:
            self._wait_us = min(2 * self._wait_us, RETRANSMISSION_MAX_US)
            self._timeline.after(self._wait_us, self._send_again)


def _ignore() -> None:
    """Nobody waits for this end of a connection."""


class Endpoint:
    """One end of a connection, as the kernel of its process has it.

    `peer` is the other end. `on_readable` is called when there is something to `receive`, and
    `on_writable` when there is room again after a `send` that did not take everything.
    """

    peer: "Endpoint"

    def __init__(
        self, timeline: Timeline, links: Links, node: str, to: str, local: Address, remote: Address
    ) -> None:
        self.node, self.local, self.remote = node, local, remote
        self.on_readable: Action = _ignore
        self.on_writable: Action = _ignore
        self.error: OSError | None = None
        self.is_closed = False  # by its process
        self._direction = Direction(timeline, links, node, to, self._time_out)
        self._unread: deque[bytes | memoryview] = deque()
        self._sent_bytes = 0  # that the peer has not read
        self._is_full = False
        self._has_shut = False  # no more is sent
        self._is_at_end = False  # the peer has shut

    @property
    def is_readable(self) -> bool:
        """True if `receive` returns something, the end of the stream, or an error."""
        return bool(self._unread) or self._is_at_end or self.error is not None

    def send(self, data: memoryview) -> int:
        """Sends as much as there is room for; returns how many bytes that is.

        Raises OSError if the connection has ended.
        """
        if self.error is not None:
            raise self.error
        room = WINDOW_BYTES - self._sent_bytes
        taken = bytes(data[:room])
        self._is_full = len(taken) < len(data)
        if taken:
            self._sent_bytes += len(taken)
            self._direction.carry(partial(self.peer.accept, taken))
        return len(taken)

    def accept(self, data: bytes) -> None:
        """Takes a segment of the peer."""
        if self.is_closed:
            self._send_reset()
            return
        self._unread.append(data)
        self.on_readable()

    def receive(self, limit: int) -> bytes:
        """Returns up to `limit` bytes that have arrived; empty at the end of the stream.

        Raises OSError if the connection has ended, BlockingIOError if nothing has arrived.
        """
        if not self._unread:
            if self.error is not None:
                raise self.error
            if self._is_at_end:
                return b""
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        parts: list[bytes | memoryview] = []
        count = 0
        while self._unread and count < limit:
            part = self._unread.popleft()
            if count + len(part) > limit:
                part, rest = part[: limit - count], memoryview(part)[limit - count :]
                self._unread.appendleft(rest)
            parts.append(part)
            count += len(part)
        self.peer.note_read(count)
        return parts[0] if len(parts) == 1 and isinstance(parts[0], bytes) else b"".join(parts)

    def note_read(self, count: int) -> None:
        """Counts what the peer's process has read."""
        self._sent_bytes -= count
        if self._is_full and not self.is_closed:
            self._is_full = False
            self.on_writable()

    def shut(self) -> None:
        """Sends the end of the stream, behind everything that was sent (FIN)."""
        if not self._has_shut and self.error is None:
            self._has_shut = True
            self._direction.carry(self.peer.accept_end)

    def accept_end(self) -> None:
        """Takes the end of the peer's stream."""
        self._is_at_end = True
        if not self.is_closed:
            self.on_readable()

    def close(self) -> None:
        """Ends the connection as close(2) does: by a reset, if something is unread."""
        if self.is_closed:
            return
        is_unread = bool(self._unread)
        self._forget()
        if is_unread:
            self.reset()
        else:
            self.shut()

    def reset(self) -> None:
        """Ends the connection as the kernel of a process that was killed does (RST)."""
        self._forget()
        self._has_shut = True
        self._send_reset()

    def accept_reset(self) -> None:
        """Takes the reset of the peer."""
        self._fail(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))

    def _forget(self) -> None:
        self.is_closed = True
        self.on_readable = self.on_writable = _ignore
        self._unread.clear()

    def _send_reset(self) -> None:
        self._direction.carry(self.peer.accept_reset)

    def _time_out(self) -> None:
        self._fail(TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)))

    def _fail(self, error: OSError) -> None:
        if self.error is None and not self.is_closed:
            self.error = error  # `receive` returns first what has arrived, as in Linux
            self._direction.end()
            on_readable, on_writable = self.on_readable, self.on_writable
            on_readable()
            if self._is_full:
                on_writable()


class Listening:
    """A port at which a process accepts connections; `accept` gets the end of each."""

    def __init__(self, node: str, address: Address, accept: Callable[[Endpoint], None]) -> None:
        self.node, self.address, self.accept = node, address, accept


class Connecting:
    """The handshake of one connection.

    `done` gets its end, or the error: ConnectionRefusedError if nobody listens at the address,
    TimeoutError once SYN has been lost for SYN_MAX_US.
    """

    def __init__(
        self,
        timeline: Timeline,
        links: Links,
        node: str,
        local: Address,
        find: Callable[[], Listening | None],
        to: tuple[str, Address],
        done: Callable[[Endpoint | OSError], None],
    ) -> None:
        self._timeline, self._links = timeline, links
        self._node, self._local, self._find = node, local, find
        (self._to, self._remote), self._done = to, done
        self._wait_us, self._is_over = SYN_US, False
        self._began_us = timeline.now_us
        self._send()

    def cancel(self) -> None:
        """Ends the handshake: an answer to it is answered by a reset."""
        self._is_over = True

    def _send(self) -> None:
        if not self._is_over:
            delay_us = self._links.delay_us(self._node, self._to)
            self._timeline.after(delay_us, self._arrive)

    def _arrive(self) -> None:
        if self._is_over:
            return
        if not self._links.is_open(self._node, self._to):
            self._try_again()
            return
        listening = self._find()
        delay_us = self._links.delay_us(self._to, self._node)
        self._timeline.after(delay_us, partial(self._answered, listening))

    def _answered(self, listening: Listening | None) -> None:
        if self._is_over:
            return
        if not self._links.is_open(self._to, self._node):
            self._try_again()
            return
        self._is_over = True
        if listening is None:
            refused = errno.ECONNREFUSED
            at = ":".join(map(str, self._remote[:2]))
            text = f"{os.strerror(refused)}: no server listens at {at} of {self._to}"
            self._done(ConnectionRefusedError(refused, text))
            return
        ours = Endpoint(
            self._timeline, self._links, self._node, self._to, self._local, self._remote
        )
        theirs = Endpoint(
            self._timeline, self._links, self._to, self._node, self._remote, self._local
        )
        ours.peer, theirs.peer = theirs, ours
        listening.accept(theirs)
        self._done(ours)

    def _try_again(self) -> None:
        if self._timeline.now_us - self._began_us + self._wait_us > SYN_MAX_US:
            self._is_over = True
            self._done(TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)))
            return
        self._timeline.after(self._wait_us, self._send)
        self._wait_us *= 2
