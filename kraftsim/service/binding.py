"""Errors of ports that cannot be bound, by the option that chose the port."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import PortUnavailable

REASONS = {errno.EADDRINUSE: "in use", errno.EACCES: "permission denied"}


@contextmanager
def binding(option: str, host: str, port: int, *, takes_zero: bool = True) -> Iterator[None]:
    """Turns the error of a port that is in use or forbidden into PortUnavailable."""
    try:
        yield
    except OSError as error:
        if error.errno not in REASONS:
            raise
        reason = REASONS[error.errno]
        raise PortUnavailable(option, f"{host}:{port}", reason, takes_zero=takes_zero) from None
