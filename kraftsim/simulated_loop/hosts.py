"""The hosts of a simulated world: their names and addresses, and who listens at which port."""

import errno
import os
import socket
from collections.abc import Callable
from functools import partial

from kraftsim.controller.time.timeline import Timeline

from .tcp import Address, Connecting, Endpoint, Links, Listening

LOOPBACK = "127.0.0.1"
ANY = (None, "", "0.0.0.0", "::")  # who listens there listens at every address of its host
LOCAL_NAMES = ("localhost", LOOPBACK, "::1", *ANY)
FIRST_CLIENT_PORT, FIRST_FREE_PORT = 32_768, 49_152


class Hosts:
    """Who has which name, address and port.

    A host has its name and an address of 10.0.0.0/16. All hosts share the loopback address, as the
    processes of one machine do: a port there belongs to the host that listens at it.

    `links` is the present network; a connection outlives it.
    """

    def __init__(self, timeline: Timeline, links: Links) -> None:
        self.timeline, self.links = timeline, links
        self._addresses: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._listening: dict[Address, Listening] = {}
        self._next_client_port, self._next_free_port = FIRST_CLIENT_PORT, FIRST_FREE_PORT

    def add(self, name: str) -> str:
        """Gives a host an address, and returns it."""
        if name not in self._addresses:
            number = len(self._addresses) + 1
            address = f"10.0.{number // 250}.{number % 250 + 1}"
            self._addresses[name], self._names[address] = address, name
        return self._addresses[name]

    def resolve(self, host: str | None) -> str:
        """Returns the address of a name. Raises socket.gaierror for a name that nobody has."""
        if host is None or host in LOCAL_NAMES:
            return LOOPBACK
        if host in self._names:
            return host
        if host in self._addresses:
            return self._addresses[host]
        known = ", ".join(sorted(self._addresses))
        raise socket.gaierror(
            socket.EAI_NONAME,
            f"no node of the simulated network has the name {host!r}: it has {known}",
        )

    def name_of(self, address: str) -> str:
        """Returns the name of the host that has an address; the address itself if none has."""
        return self._names.get(address, address)

    def listen(
        self, node: str, host: str | None, port: int, accept: Callable[[Endpoint], None]
    ) -> Listening:
        """Listens at a port, at a free one if `port` is 0.

        At every address of the host, the port of the loopback address may belong to another node.
        Raises OSError (EADDRINUSE) if somebody listens there.
        """
        address = self.resolve(host)
        port = port or self._free_port(address)
        own = (self.add(node) if host in ANY else address), port
        if own in self._listening:
            raise OSError(errno.EADDRINUSE, f"{os.strerror(errno.EADDRINUSE)}: {own[0]}:{port}")
        first = own if (address, port) in self._listening else (address, port)
        listening = Listening(node, first, accept)
        self._listening[own] = self._listening[first] = listening
        return listening

    def claim(self, port: int, name: str) -> None:
        """Gives a port of the loopback address to a host, which listens at its own address too."""
        listening = self._listening[LOOPBACK, port]
        listening.node = name
        self._listening[self.add(name), port] = listening

    def unlisten(self, listening: Listening) -> None:
        """Frees a port; connections that were accepted there go on."""
        for address, other in list(self._listening.items()):
            if other is listening:
                del self._listening[address]

    def connect(
        self,
        node: str,
        host: str | None,
        port: int,
        done: Callable[[Endpoint | OSError], None],
    ) -> Connecting:
        """Begins to connect; `done` gets the end of the connection, or the error."""
        remote = self.resolve(host), port
        listening = self._listening.get(remote)
        to = listening.node if listening is not None else self._names.get(remote[0], node)
        local = (LOOPBACK if remote[0] == LOOPBACK else self.add(node)), self._client_port()
        find = partial(self._listening.get, remote)
        return Connecting(self.timeline, self, node, local, find, (to, remote), done)

    def is_open(self, sender: str, receiver: str, /) -> bool:
        """True if the present network lets through what `sender` sends."""
        return self.links.is_open(sender, receiver)

    def delay_us(self, sender: str, receiver: str, /) -> int:
        """Draws how long a segment takes in the present network."""
        return self.links.delay_us(sender, receiver)

    def _free_port(self, address: str) -> int:
        while (address, self._next_free_port) in self._listening:
            self._next_free_port += 1
        self._next_free_port += 1
        return self._next_free_port - 1

    def _client_port(self) -> int:
        port = self._next_client_port
        self._next_client_port = FIRST_CLIENT_PORT if port + 1 == FIRST_FREE_PORT else port + 1
        return port
