"""The encoded replies of a connection that have not been written."""

import asyncio
from collections.abc import Sequence

WRITE_BUFFER_BYTES_MAX = 1024 * 1024  # of one connection; above it, its requests wait
JOINED_BYTES_MAX = 64 * 1024  # of replies that are joined before they are written


class Outgoing:
    """Pieces of replies, which leave in one write."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size_bytes = 0

    def put(self, pieces: Sequence[bytes]) -> int:
        """Adds the pieces of a reply; returns the bytes of all pieces that are not written."""
        for piece in pieces:
            self._pieces.append(piece)
            self._size_bytes += len(piece)
        return self._size_bytes

    def write(self, transport: asyncio.Transport | None) -> None:
        """Writes everything, or drops it if there is no transport; large pieces are not copied."""
        pieces = self._pieces
        if not pieces:
            return
        if transport is not None:
            if self._size_bytes > JOINED_BYTES_MAX:
                transport.writelines(pieces)
            else:
                transport.write(pieces[0] if len(pieces) == 1 else b"".join(pieces))
        self._pieces, self._size_bytes = [], 0
