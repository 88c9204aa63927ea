"""A load generator of Produce and Fetch: connections with one request in flight each.

It polls without sleeping, and writes frames that were encoded before. It looks into no reply but
the first of each connection: a reply counts when all its bytes have come.
"""

import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchResponse
from kraftsim.controller.core.rpc.stored_messages import ProduceResponse
from kraftsim.controller.wire.frames import decode_response

from ..load import cpu_seconds

WARM_UP_S = 0.3
RETRIED_S = 10.0  # a young leader refuses for some milliseconds
Frames = Iterator[bytes]
_BUFFER = bytearray(4 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Load:
    """What a run gave: its requests, and the server's processor time in seconds."""

    requests: int
    seconds: float
    cpu_s: float

    @property
    def cpu_us(self) -> float:
        """The server's processor time for a request, in microseconds."""
        return self.cpu_s / self.requests * 1e6


class Connection:
    """One connection, which sends the next of its frames after each reply."""

    def __init__(self, port: int, frames: Frames) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frames = frames
        self._left = 0  # bytes of the reply that have not come
        self._unsent = memoryview(b"")

    def begin(self) -> None:
        """Makes the connection one that does not block, and sends its first request."""
        self.socket.setblocking(False)
        self.send()

    def send(self) -> None:
        """Sends the next request, as much of it as the socket takes."""
        self._unsent = memoryview(next(self._frames))
        self.go_on()

    def go_on(self) -> bool:
        """Sends what is left of the request; returns True if nothing is left."""
        try:
            while self._unsent:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        return not self._unsent

    def receive(self) -> bool:
        """Reads what has come; returns True if a reply is complete."""
        count = self.socket.recv_into(_BUFFER)
        if not count:
            raise RuntimeError("the server closed a connection")
        if not self._left:
            self._left = 4 + int.from_bytes(_BUFFER[:4], "big")  # a length is never split
        self._left -= count
        return not self._left


def check_first(port: int, frame: bytes) -> None:
    """Sends a request until its reply has no error; raises RuntimeError after RETRIED_S."""
    key, version = int.from_bytes(frame[4:6], "big"), int.from_bytes(frame[6:8], "big")
    end = time.monotonic() + RETRIED_S
    while True:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(frame)
            data = connection.recv(1 << 20)
            while len(data) < 4 + int.from_bytes(data[:4], "big"):
                data += connection.recv(1 << 20)
        codes = _codes(decode_response(key, version, data[4:])[1])
        if codes == {ErrorCode.NONE}:
            return
        if time.monotonic() > end:
            raise RuntimeError(f"expected no error from port {port}, got {codes}")
        time.sleep(0.02)


def _codes(response: object) -> set[int]:
    if isinstance(response, ProduceResponse):
        return {
            part.error_code for topic in response.responses for part in topic.partition_responses
        }
    assert isinstance(response, FetchResponse), type(response)
    return {part.error_code for topic in response.responses for part in topic.partitions}


def run(
    port: int,
    pid: int,
    frames: Sequence[Frames],
    *,
    seconds: float = 0.0,
    requests: int = 0,
) -> Load:
    """Loads a server for so many seconds, or requests."""
    connections = [Connection(port, own) for own in frames]
    with _Poll(connections) as poll:
        for connection in connections:
            connection.begin()
            if not connection.go_on():
                poll.wants(connection)
        if seconds:
            poll.serve(lambda count, now: now < WARM_UP_S)
        cpu = cpu_seconds(pid)
        count, took = poll.serve(lambda count, now: now < seconds if seconds else count < requests)
        return Load(count, took, cpu_seconds(pid) - cpu)


class _Poll:
    """The connections of one run, closed with its block."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._by_number = {connection.socket.fileno(): connection for connection in connections}
        self._poll = select.epoll()
        for number in self._by_number:
            self._poll.register(number, select.EPOLLIN)

    def __enter__(self) -> "_Poll":
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._by_number.values():
            connection.socket.close()
        self._poll.close()

    def wants(self, connection: Connection, *, writes: bool = True) -> None:
        """Waits for room for the rest of a request, or no longer."""
        events = select.EPOLLIN | select.EPOLLOUT if writes else select.EPOLLIN
        self._poll.modify(connection.socket.fileno(), events)

    def serve(self, goes_on: Callable[[int, float], bool]) -> tuple[int, float]:
        """Sends and reads while `goes_on(requests, seconds)`; returns both."""
        count, began = 0, time.perf_counter()
        while goes_on(count, (now := time.perf_counter() - began)):
            for number, event in self._poll.poll(0.01):
                connection = self._by_number[number]
                if event & select.EPOLLOUT and connection.go_on():
                    self.wants(connection, writes=False)
                if event & select.EPOLLIN and connection.receive():
                    count += 1
                    connection.send()
                    if not connection.go_on():
                        self.wants(connection)
        return count, now

    def collect(self, replies: int, again: Sequence[Connection]) -> None:
        """Reads so many replies; the connections in `again` send their next requests."""
        while replies:
            for number, _ in self._poll.poll(0.01):
                connection = self._by_number[number]
                if connection.receive():
                    replies -= 1
                    if connection in again:
                        connection.send()


def tail(port: int, pid: int, produce: bytes, fetches: Sequence[Frames], *, seconds: float) -> Load:
    """Produces one batch at a time, which all consumers get, whose long polls wait for it.

    The requests are those of the consumers.
    """
    producer = Connection(port, repeat(produce))
    consumers = [Connection(port, frames) for frames in fetches]
    with _Poll([producer, *consumers]) as poll:
        for consumer in consumers:
            consumer.begin()
        producer.socket.setblocking(False)
        counted = len(consumers) + 1
        count, cpu, began = 0, cpu_seconds(pid), time.perf_counter()
        while (took := time.perf_counter() - began) < seconds:
            producer.send()
            poll.collect(counted, consumers)
            count += len(consumers)
        return Load(count, took, cpu_seconds(pid) - cpu)
