"""A load generator: N connections with one request in flight each, on raw sockets and epoll.

It polls without sleeping, because waking an idle processor would cost the server more than a
response and would distort the ratio.
"""

import select
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run.

    `cpu_us` is the server's processor time per request, `p50_us` the median round trip.
    """

    per_second: float
    cpu_us: float
    p50_us: float


def run(port: int, frames: Sequence[bytes], pid: int, *, seconds: float) -> Result:
    """Sends `frames[i]` repeatedly on connection i, each after the response to the one before."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in frames]
    by_number = {one.fileno(): (one, frame) for one, frame in zip(sockets, frames, strict=True)}
    poll = select.epoll()
    for one in sockets:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one.setblocking(False)
        poll.register(one.fileno(), select.EPOLLIN)
    sent = dict.fromkeys(by_number, 0)
    for number, (one, frame) in by_number.items():
        sent[number] = time.perf_counter_ns()
        one.send(frame)
    count, trips, cpu = 0, [], cpu_seconds(pid)
    began = time.perf_counter()
    end = began + seconds
    while (now := time.perf_counter()) < end:
        for number, _ in poll.poll(0):
            one, frame = by_number[number]
            one.recv(4096)
            count += 1
            clock = time.perf_counter_ns()
            if count % 16 == 0:
                trips.append(clock - sent[number])
            sent[number] = clock
            one.send(frame)
    used = cpu_seconds(pid) - cpu
    for one in sockets:
        one.close()
    poll.close()
    return Result(count / (now - began), used / count * 1e6, median(trips) / 1e3)


def distinct(port: int, frames: Iterator[bytes], *, in_flight: int, seconds: float) -> float:
    """Returns the responses per second when every request is different."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(in_flight)]
    by_number = {one.fileno(): one for one in sockets}
    poll = select.epoll()
    for one in sockets:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll.register(one.fileno(), select.EPOLLIN)
        one.sendall(next(frames))
    count, began = 0, time.perf_counter()
    end = began + seconds
    while (now := time.perf_counter()) < end:
        for number, _ in poll.poll(0.01):
            one = by_number[number]
            if not one.recv(4096):
                raise RuntimeError("the controller closed a connection")
            count += 1
            one.sendall(next(frames))
    for one in sockets:
        one.close()
    poll.close()
    return count / (now - began)


def ask(port: int, frame: bytes) -> bytes | None:
    """Sends one request on its own connection; returns the response, None if there is none."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
            one.sendall(frame)
            data = one.recv(65536)
            while 0 < len(data) < 4 or (data and len(data) < 4 + int.from_bytes(data[:4], "big")):
                data += one.recv(65536)
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
