"""Which connections a listener admits: at most so many, and at most so many from one address.

At its limit of open files a process loses new connections without a line in its log, and can open
neither files nor listeners. So the limit of open files bounds the connections too.
"""

import asyncio
import logging
import resource
from collections import Counter

log = logging.getLogger(__name__)


class Admission:
    """Counts the open connections of the listener `name`, by address.

    `spare_files` of the open files that the system permits stay free for other uses.
    """

    def __init__(self, name: str, *, spare_files: int) -> None:
        self._name = name
        self._spare_files = spare_files
        self._per_address: Counter[str] = Counter()

    def admit(
        self, transport: asyncio.BaseTransport, connections_max: int, per_address_max: int
    ) -> bool:
        """Counts a new connection; returns False if there are too many, or too many open files."""
        address, counts = address_of(transport), self._per_address
        if counts.total() >= connections_max or counts[address] >= per_address_max:
            log.warning(
                "%s: refused a connection from %s: expected at most %d connections, of which %d "
                "from one address",
                self._name,
                address,
                connections_max,
                per_address_max,
            )
            return False
        files_max, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 < files_max < _open_files(transport) + self._spare_files:
            log.warning(
                "%s: refused a connection from %s: expected at most %d open files, of which %d "
                "stay free for other uses: raise the limit of open files (ulimit -n)",
                self._name,
                address,
                files_max,
                self._spare_files,
            )
            return False
        counts[address] += 1
        return True

    def forget(self, address: str) -> None:
        """Uncounts an admitted connection that has ended."""
        self._per_address[address] -= 1
        if not self._per_address[address]:
            del self._per_address[address]


def address_of(transport: asyncio.BaseTransport) -> str:
    """Returns the address of the client without its port; "" if it is unknown."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def port_of(transport: asyncio.BaseTransport) -> int:
    """Returns the port of the client; 0 if it is unknown."""
    peer = transport.get_extra_info("peername")
    return int(peer[1]) if peer else 0


def _open_files(transport: asyncio.BaseTransport) -> int:
    """Returns how many files are open at least: a new socket gets the lowest free number."""
    socket = transport.get_extra_info("socket")
    number: int = -1 if socket is None else socket.fileno()
    return number + 1
