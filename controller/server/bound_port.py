"""The port that a server has bound."""

import asyncio
import errno
import os


def bound_port(server: asyncio.Server) -> int:
    """Returns the port; raises OSError if the server has no socket.

    asyncio and uvloop hide why no socket was made: at the limit of open files, they return a server
    without one.
    """
    if not server.sockets:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    port: int = server.sockets[0].getsockname()[1]
    return port
