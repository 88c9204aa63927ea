"""Splits a stream into frames, which begin with an int32 length."""

from struct import Struct as Packing

from .errors import DecodeError

APART_BYTES_MIN = 32 * 1024  # of the rest of a frame that is kept apart until it is complete
_LENGTH = Packing(">i")
LENGTH_BYTES = _LENGTH.size
_KEY_BYTES = 2  # with which a request begins; those of Produce are 0
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
    rest of a large frame is kept apart until it is complete, so that it is copied once, or arrives
    in a buffer of the frame's size (`open_buffer`), so that it is not copied at all.
    """

    __slots__ = (
        "_buffer",
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
        self._buffer = bytearray()  # in which the next frame arrives

    @property
    def held_bytes(self) -> int:
        """The bytes in memory."""
        return len(self.data) + self._later_bytes + len(self._buffer)

    @property
    def missing_bytes(self) -> int:
        """The bytes of the next frame that have not come, if all others are in `data`."""
        is_all = not (self._later or self._buffer) and self.next_bytes > 0
        return self.next_bytes + _LENGTH.size - len(self.data) + self._pos if is_all else 0

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

    def open_buffer(self, buffer: bytearray) -> memoryview:
        """Lets the next frame, of which `missing_bytes` are missing, arrive in a buffer.

        The buffer has its size. Returns the place of what is missing; `close_buffer` is called when
        it is there.
        """
        head = memoryview(self.data)[self._pos :]
        buffer[: len(head)] = head
        self._buffer = buffer
        self.data, self._pos = bytes(head[: _LENGTH.size + _KEY_BYTES]), 0
        return memoryview(buffer)[len(head) :]

    def close_buffer(self) -> None:
        """Notes that the frame in the buffer is complete."""
        self.data, self._buffer = self._buffer, bytearray()

    def take(self) -> bytes | None:
        """Returns the next frame without its length; None if it is incomplete.

        Raises DecodeError for a length that is negative or exceeds the limit of the stream.
        """
        whole = self.take_whole()
        return None if whole is None else without_length(whole)

    def take_whole(self) -> bytes | bytearray | None:
        """Returns the next frame with its length, not copied if nothing follows it; or None."""
        data, start = self.data, self._pos
        if start + _LENGTH.size > len(data):
            return None
        (length,) = _LENGTH.unpack_from(data, start)
        if not (0 <= length <= self._frame_bytes_max or self._is_produce(length)):
            raise self._refusal(length)
        end = start + _LENGTH.size + length
        if end > len(data):
            return None
        if end == len(data):
            self.data, self._pos = b"", 0
            return data[start:] if start else data
        self._pos = end
        return data[start:end]


def without_length(whole: bytes | bytearray) -> bytes:
    """Returns a frame without its length: one copy, also of a bytearray."""
    return bytes(memoryview(whole)[_LENGTH.size :])
