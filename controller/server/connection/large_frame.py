"""The rest of a large request arrives in a buffer of its size, where it is answered: no copies.

While it arrives, this protocol has the place of the connection at its transport.
"""

import asyncio
from typing import Protocol

from ...wire.frame_reader import FrameReader
from ..spare_buffers import SPARE_BYTES_MAX

MISSING_BYTES_MIN = 96 * 1024  # below, the two switches of protocols cost more than the copies
GROWTH_MAX = 16  # a buffer is so many times larger than what has arrived, at most


class Reader(Protocol):
    """A connection, as one that reads for it sees it."""

    def request_arrived(self, transport: asyncio.Transport) -> None:
        """Handle the request that is complete in the reader."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""

    def eof_received(self) -> bool:
        """Called by asyncio."""

    def pause_writing(self) -> None:
        """Called by asyncio."""

    def resume_writing(self) -> None:
        """Called by asyncio."""


def is_worth_it(reader: FrameReader) -> bool:
    """True if the rest of the next request should arrive in a buffer of its own."""
    missing, size = reader.missing_bytes, reader.next_bytes
    return missing > MISSING_BYTES_MIN and size < min(
        SPARE_BYTES_MAX, GROWTH_MAX * reader.held_bytes
    )


class LargeFrame(asyncio.BufferedProtocol):
    """Receives what is missing of the next request of `reader`, for a connection."""

    def __init__(
        self,
        connection: Reader,
        transport: asyncio.Transport,
        reader: FrameReader,
        rest: memoryview,
    ) -> None:
        self._connection, self._transport, self._reader = connection, transport, reader
        self._rest = rest

    def begin(self) -> None:
        """Take the place of the connection."""
        switch(self._transport, self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Called by asyncio before it reads."""
        return self._rest

    def buffer_updated(self, nbytes: int) -> None:
        """Called by asyncio when it has read."""
        self._rest = self._rest[nbytes:]
        if not self._rest:
            self._rest.release()
            self._reader.close_buffer()
            self._connection.request_arrived(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._connection.connection_lost(exc)

    def eof_received(self) -> bool:
        """Called by asyncio."""
        return self._connection.eof_received()

    def pause_writing(self) -> None:
        """Called by asyncio."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Called by asyncio."""
        self._connection.resume_writing()


def switch(transport: asyncio.Transport, protocol: asyncio.BaseProtocol) -> None:
    """Lets a transport read for a protocol of another kind: uvloop looks when it begins to read."""
    transport.set_protocol(protocol)
    transport.pause_reading()
    transport.resume_reading()
