"""Ports that a test must know before what listens on them has started."""

import secrets
import socket
from contextlib import suppress

FIRST, COUNT = 20_000, 12_000


def free_ports(count: int) -> list[int]:
    """Returns ports that nobody listened on a moment ago.

    They lie below those that a system gives to connections: another test would get one of these
    while its server is down.
    """
    free: list[int] = []
    while len(free) < count:
        port = FIRST + secrets.randbelow(COUNT)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            free.append(port)
    return free


def free_port() -> int:
    (port,) = free_ports(1)
    return port
