"""Buffers for requests of some size, used again and again: a new one costs as much as its bytes."""

SPARE_BYTES_MAX = 4 * 1024 * 1024  # of all buffers that wait for a request


class SpareBuffers:
    """The buffers of a process that no request uses."""

    def __init__(self) -> None:
        self._spare: list[bytearray] = []
        self._bytes = 0

    def take(self, size: int) -> bytearray:
        """Returns a buffer of exactly this size; its bytes are anything."""
        if not self._spare:
            return bytearray(size)
        buffer = self._spare.pop()
        self._bytes -= len(buffer)
        if len(buffer) > size:
            del buffer[size:]
        elif len(buffer) < size:
            buffer += bytes(size - len(buffer))
        return buffer

    def give(self, buffer: bytearray) -> None:
        """Takes a buffer back that nobody reads any more."""
        if self._bytes + len(buffer) <= SPARE_BYTES_MAX:
            self._bytes += len(buffer)
            self._spare.append(buffer)
