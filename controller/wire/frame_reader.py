"""Splits what a socket gives into frames."""

from struct import Struct as Packing

from .errors import DecodeError

APART_BYTES_MIN = 32 * 1024  # of the rest of a frame that is kept apart until it is complete
_KEY_BYTES = 2  # with which a request begins; those of Produce are 0
_LENGTH = Packing(">i")
_TLS = (b"\x16\x03", b"\x15\x03")  # a record of TLS with a hello, and one with an alert
_HTTP = (b"GET ", b"HEAD", b"POST", b"PUT ", b"PATC", b"DELE", b"OPTI", b"CONN", b"PRI ")


def _expect_kafka(data: bytes | bytearray, pos: int) -> None:
    """Raises DecodeError if HTTP or TLS begins at `pos`; its start is no length of a frame."""
    start = bytes(data[pos : pos + 4])
    if start[:2] in _TLS:
        raise DecodeError(
            "expected a Kafka frame, got the start of a TLS connection: kraftsim has no TLS yet, "
            "use security.protocol=PLAINTEXT"
        )
    if start == b"HTTP":
        raise DecodeError("expected a Kafka response, got an HTTP response: that is an HTTP port")
    if start in _HTTP:
        raise DecodeError(
            f"expected a Kafka request, got an HTTP request ({start.decode().strip()} ...): "
            "send HTTP to the port of the HTTP service"
        )


class FrameReader:
    """Splits a stream into frames.

    `take` returns the frames one at a time, so that a read with thousands of requests costs nothing
    until they are handled. `data` are the bytes in memory: those of frames that were not taken,
    complete or not, and before them those of frames that were; it is empty if all were taken. The
    rest of a large frame is kept apart until it is complete, so that it is copied once.
    """

    __slots__ = (
        "_frame_bytes_max",
        "_later",
        "_later_bytes",
        "_pos",
        "_produce_bytes_max",
        "data",
    )

    def __init__(self, frame_bytes_max: int, produce_bytes_max: int = 0) -> None:
        self._frame_bytes_max, self._produce_bytes_max = frame_bytes_max, produce_bytes_max
        self.data: bytes | bytearray = b""
        self._pos = 0  # of the first byte that was not taken
        self._later: list[bytes] = []  # behind `data`
        self._later_bytes = 0

    @property
    def held_bytes(self) -> int:
        """The bytes in memory."""
        return len(self.data) + self._later_bytes

    @property
    def next_bytes(self) -> int:
        """The length of the next frame, complete or not; 0 if it is unknown or invalid."""
        if len(self.data) - self._pos < _LENGTH.size:
            return 0
        length: int = _LENGTH.unpack_from(self.data, self._pos)[0]
        return length if length <= self._frame_bytes_max or self._is_produce(length) else 0

    @property
    def has_frame(self) -> bool:
        """True if the next frame is complete, or if its length is invalid."""
        size = len(self.data) - self._pos
        if size < _LENGTH.size:
            return False
        length: int = _LENGTH.unpack_from(self.data, self._pos)[0]
        if length <= size - _LENGTH.size:
            return True
        return length > self._frame_bytes_max and not self._is_produce(length)

    def _is_produce(self, length: int) -> bool:
        """True if the next frame may be longer than others: a Produce, or its key is not there."""
        start = self._pos + _LENGTH.size
        key = self.data[start : start + _KEY_BYTES]
        return 0 <= length <= self._produce_bytes_max and not any(key)

    def _refusal(self, length: int) -> DecodeError:
        _expect_kafka(self.data, self._pos)
        most, of_produce = self._frame_bytes_max, self._produce_bytes_max
        also = f" (of Produce {of_produce})" if of_produce > most else ""
        return DecodeError(f"expected a frame of 0 to {most} bytes{also}, got {length}")

    def feed(self, data: bytes) -> None:
        """Appends bytes of the stream."""
        if not self.data:
            self.data = data
            return
        size = len(self.data) - self._pos
        missing = self.next_bytes + _LENGTH.size - size
        if missing > APART_BYTES_MIN and size >= _LENGTH.size + _KEY_BYTES:
            self._later.append(data)
            self._later_bytes += len(data)
            if self._later_bytes >= missing:
                self.data = b"".join((memoryview(self.data)[self._pos :], *self._later))
                self._pos = self._later_bytes = 0
                self._later.clear()
            return
        if isinstance(self.data, bytes) or self._pos:
            self.data, self._pos = bytearray(memoryview(self.data)[self._pos :]), 0
        self.data += data

    def take(self) -> bytes | None:
        """Returns the next frame without its length; None if it is incomplete.

        Raises DecodeError for a length that is negative or exceeds the limit of the stream.
        """
        data, start = self.data, self._pos + _LENGTH.size
        if start > len(data):
            return None
        (length,) = _LENGTH.unpack_from(data, self._pos)
        if not (0 <= length <= self._frame_bytes_max or self._is_produce(length)):
            raise self._refusal(length)
        end = start + length
        if end > len(data):
            return None
        if end == len(data):
            self.data, self._pos = b"", 0
        else:
            self._pos = end
        return bytes(memoryview(data)[start:end])  # one copy, also of a bytearray
