"""Heartbeats at a steady rate: `python -m bench.large_cluster.pulse PORT PER_SECOND SECONDS`.

Heartbeats are due at fixed times, independent of earlier responses; latency counts from the due
time. Prints one JSON array of [due, latency], both in seconds of the monotonic clock.
"""

import json
import select
import socket
import sys
import time

CONNECTIONS = 16
WARM_UP_S = 1.0


def main(port: int, per_second: float, seconds: float) -> None:
    """Sends heartbeats for `seconds` and prints the latencies after the warm-up."""
    frames = [bytes.fromhex(line) for line in sys.stdin]
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    for connection in sockets:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    waiting: dict[socket.socket, list[float]] = {connection: [] for connection in sockets}
    latencies: list[tuple[float, float]] = []
    begin = time.perf_counter()
    sent = 0
    while (now := time.perf_counter()) < begin + seconds:
        due = begin + sent / per_second
        if due <= now:
            connection = sockets[sent % CONNECTIONS]
            connection.sendall(frames[sent % len(frames)])
            waiting[connection].append(due)
            sent += 1
        for connection in select.select(sockets, (), (), max(0.0, due - now))[0]:
            answered = time.perf_counter()
            for _ in range(_count(connection.recv(65536))):
                due = waiting[connection].pop(0)
                if due > begin + WARM_UP_S:
                    latencies.append((due, answered - due))
    print(json.dumps(latencies), flush=True)


def _count(data: bytes) -> int:
    """Returns the number of frames in `data`; responses are short, so frames are never split."""
    count = 0
    while data:
        data = data[4 + int.from_bytes(data[:4], "big") :]
        count += 1
    return count


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
