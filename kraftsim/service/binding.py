"""Errors of ports that cannot be bound, by the option that chose the port."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import CommandError, HostUnavailable, PortUnavailable

REASONS = {errno.EADDRINUSE: "in use", errno.EACCES: "permission denied"}
NO_ADDRESS = (errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL)


@contextmanager
def binding(option: str, host: str, port: int, *, takes_zero: bool = True) -> Iterator[None]:
    """Turns the error of a port that is in use or forbidden into PortUnavailable.

    Raises HostUnavailable if the host is no address of this machine, CommandError at the limit of
    open files.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.EMFILE:
            raise CommandError(
                f"{host}:{port} cannot be bound (too many open files): raise the limit of open "
                "files (ulimit -n), or start fewer brokers"
            ) from None
        if error.errno in NO_ADDRESS:
            raise HostUnavailable(host) from None
        if error.errno not in REASONS:
            raise
        reason = REASONS[error.errno]
        raise PortUnavailable(option, f"{host}:{port}", reason, takes_zero=takes_zero) from None
