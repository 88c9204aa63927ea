"""A load generator: N connections with one request in flight each, on raw sockets and epoll.

It polls without sleeping, because waking an idle processor would cost the server more than a
response and would distort the ratio.
"""

import select
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one run.

    `cpu_us` is the server's processor time per request; `p50_us` and `p99_us` are round trips, all
    in microseconds.
    """

    per_second: float
    cpu_us: float
    p50_us: float
    p99_us: float


def run(port: int, frames: Sequence[bytes], pid: int, *, seconds: float) -> Result:
    """Sends `frames[i]` repeatedly on connection i.

    Each request is sent after the response to the previous request.
    """
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in frames]
    by_number = {
        connection.fileno(): (connection, frame)
        for connection, frame in zip(sockets, frames, strict=True)
    }
    poll = select.epoll()
    for connection in sockets:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        poll.register(connection.fileno(), select.EPOLLIN)
    sent = dict.fromkeys(by_number, 0)
    for number, (connection, frame) in by_number.items():
        sent[number] = time.perf_counter_ns()
        connection.send(frame)
    count, trips, cpu = 0, [], cpu_seconds(pid)
    began = time.perf_counter()
    end = began + seconds
    while (now := time.perf_counter()) < end:
        for number, _ in poll.poll(0):
            connection, frame = by_number[number]
            connection.recv(65536)
            count += 1
            clock = time.perf_counter_ns()
            if count % 16 == 0:
                trips.append(clock - sent[number])
            sent[number] = clock
            connection.send(frame)
    used = cpu_seconds(pid) - cpu
    for connection in sockets:
        connection.close()
    poll.close()
    p99_us = quantiles(trips, n=100)[98] / 1e3
    return Result(count / (now - began), used / count * 1e6, median(trips) / 1e3, p99_us)


def distinct(port: int, frames: Iterator[bytes], *, in_flight: int, seconds: float) -> float:
    """Returns the responses per second when every request is different."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(in_flight)]
    by_number = {connection.fileno(): connection for connection in sockets}
    poll = select.epoll()
    for connection in sockets:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll.register(connection.fileno(), select.EPOLLIN)
        connection.sendall(next(frames))
    count, began = 0, time.perf_counter()
    end = began + seconds
    while (now := time.perf_counter()) < end:
        for number, _ in poll.poll(0.01):
            connection = by_number[number]
            if not connection.recv(4096):
                raise RuntimeError("the controller closed a connection")
            count += 1
            connection.sendall(next(frames))
    for connection in sockets:
        connection.close()
    poll.close()
    return count / (now - began)


def request(port: int, frame: bytes) -> bytes | None:
    """Sends one request on a connection of its own; returns the response, None if there is none."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(frame)
            data = connection.recv(65536)
            while 0 < len(data) < 4 or (data and len(data) < 4 + int.from_bytes(data[:4], "big")):
                data += connection.recv(65536)
    except OSError:
        return None
    return data[4:] or None


def cpu_seconds(pid: int) -> float:
    """Returns the user and system processor time of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def rss_mb(pid: int) -> float:
    """Returns the resident memory of a process in MiB."""
    with open(f"/proc/{pid}/status") as file:
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
