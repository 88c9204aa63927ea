"""Frames: an int32 length, a header, a body; both directions, for servers and for clients.

A frame here is what follows the length. The client's id is a plain nullable string in every
header; flexible headers end with tagged fields; the header of an ApiVersions response never does.
"""

from struct import Struct as Packing
from struct import error
from typing import NamedTuple, cast

from ..core.rpc import Request, Response
from .apis.table import API_VERSIONS, APIS
from .codec.compiler import decoder, encoder
from .codec.decode_source import skip_tags
from .errors import DecodeError

FRAME_BYTES_MAX = 100 * 1024 * 1024  # Kafka's socket.request.max.bytes
KEPT_MAX = 64  # replies of one exchange whose bytes are kept; a heartbeat has eight
_LENGTH = Packing(">i")
_HEADER = Packing(">hhih")  # key, version, correlation id, length of the client's id
_CORRELATION_ID = Packing(">i")


class RequestHeader(NamedTuple):
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body_offset: int


def read_request_header(frame: bytes) -> RequestHeader:
    """For an API or version that we do not speak, all but `body_offset` is still right."""
    try:
        key, version, correlation_id, length = _HEADER.unpack_from(frame)
        pos = _HEADER.size
        client_id = None
        if length >= 0:
            pos += length
            client_id = frame[_HEADER.size : pos].decode()
        if pos > len(frame) or length < -1:
            raise DecodeError(f"client id: expected at most {len(frame) - 10} bytes, got {length}")
        if (key, version) in _FLEXIBLE:
            pos = skip_tags(frame, pos) if frame[pos] else pos + 1
    except (error, IndexError):
        raise DecodeError(f"expected a request header, got {len(frame)} bytes") from None
    except UnicodeDecodeError as bad:
        raise DecodeError(f"client id: expected UTF-8, got {bad.object[:64]!r}") from None
    values = (key, version, correlation_id, client_id, pos)
    return tuple.__new__(RequestHeader, values)  # half the time of calling the class


_FLEXIBLE = {
    (key, version)
    for key, api in APIS.items()
    for version in range(api.min_version, api.max_version + 1)
    if api.request.is_flexible(version)
}


def decode_request(header: RequestHeader, frame: bytes) -> Request:
    """The body; what follows it is ignored, as Kafka ignores it (librdkafka sends such bytes)."""
    message = APIS[header.api_key].request
    request, _ = decoder(message, header.api_version)(frame, header.body_offset)
    return cast(Request, request)


def encode_response(
    api_key: int,
    api_version: int,
    correlation_id: int,
    response: Response,
    *,
    start_time_tag: bool = False,
) -> bytes:
    """The whole frame with its length, for one write."""
    body = encoder(APIS[api_key].response, api_version, start_time_tag)(response)
    frame = _CORRELATION_ID.pack(correlation_id) + _header_tags(api_key, api_version) + body
    return _LENGTH.pack(len(frame)) + frame


def _header_tags(api_key: int, api_version: int) -> bytes:
    """What stands between correlation id and body, where we write it: no tags, or nothing."""
    is_flexible = APIS[api_key].response.is_flexible(api_version) and api_key != API_VERSIONS
    return b"\0" if is_flexible else b""


class Exchange:
    """What all frames of one API, version and client id have in common: how to read a request and
    how to spell its reply. A connection asks for the same thing again and again, so it keeps the
    last one, and only the correlation id is read anew.

    A frame belongs to it if `frame[:4] == start` and `frame[8:end] == rest`."""

    __slots__ = (
        "_encode",
        "_kept",
        "_tags",
        "decode",
        "end",
        "is_api_versions",
        "rest",
        "start",
        "version",
    )

    def __init__(self, header: RequestHeader, frame: bytes, *, start_time_tag: bool) -> None:
        self.version = header.api_version
        self.is_api_versions = header.api_key == API_VERSIONS
        self.start = frame[:4]  # key and version
        self.end = header.body_offset
        self.rest = frame[8 : self.end]  # client id and tags
        self.decode = decoder(APIS[header.api_key].request, header.api_version)
        response = APIS[header.api_key].response
        self._encode = encoder(response, header.api_version, start_time_tag)
        self._tags = _header_tags(header.api_key, header.api_version)
        self._kept: dict[int, tuple[Response, bytes, bytes]] | None = {} if response.kept else None

    def matches(self, frame: bytes) -> bool:
        return frame[8 : self.end] == self.rest and frame[:4] == self.start

    def spell(self, correlation_id: bytes, response: Response) -> bytes:
        """The whole frame with its length, for one write. The replies of a few APIs are the same
        few objects again and again: what stands around the correlation id is kept for those."""
        kept = self._kept
        if kept is not None:
            found = kept.get(id(response))
            if found is not None and found[0] is response:
                return found[1] + correlation_id + found[2]
        body = self._tags + self._encode(response)
        length = _LENGTH.pack(len(correlation_id) + len(body))
        if kept is not None:
            if len(kept) == KEPT_MAX:
                kept.clear()
            kept[id(response)] = (response, length, body)  # holding it keeps its id its own
        return length + correlation_id + body


def encode_request(
    api_key: int, api_version: int, correlation_id: int, client_id: str | None, request: Request
) -> bytes:
    """A client's frame with its length."""
    message = APIS[api_key].request
    name = b"" if client_id is None else client_id.encode()
    length = -1 if client_id is None else len(name)
    frame = (
        _HEADER.pack(api_key, api_version, correlation_id, length)
        + name
        + (b"\0" if message.is_flexible(api_version) else b"")
        + encoder(message, api_version)(request)
    )
    return _LENGTH.pack(len(frame)) + frame


def decode_response(api_key: int, api_version: int, frame: bytes) -> tuple[int, Response]:
    """The correlation id and the response; what follows the body is ignored."""
    message = APIS[api_key].response
    pos = _CORRELATION_ID.size
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(frame)
        if _header_tags(api_key, api_version):
            pos = skip_tags(frame, pos)
    except (error, IndexError):
        raise DecodeError(f"expected a response header, got {len(frame)} bytes") from None
    response, _ = decoder(message, api_version)(frame, pos)
    return correlation_id, cast(Response, response)


class FrameReader:
    """Cuts a stream into frames. It holds at most one frame that is not complete."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that `data` completes, without their lengths."""
        if not self._rest:
            if len(data) > _LENGTH.size and _LENGTH.unpack_from(data)[0] == len(data) - 4:
                return [data[4:]]  # one whole frame, as nearly always
            frames, pos = _cut(data)
            if pos < len(data):
                self._rest += memoryview(data)[pos:]
            return frames
        self._rest += data
        frames, pos = _cut(self._rest)
        del self._rest[:pos]
        return frames


def _cut(data: bytes | bytearray) -> tuple[list[bytes], int]:
    """The whole frames of `data`, and where the first that is not whole begins."""
    frames: list[bytes] = []
    pos, size = 0, len(data)
    while size - pos >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(data, pos)
        if not 0 <= length <= FRAME_BYTES_MAX:
            raise DecodeError(f"expected a frame of 0 to {FRAME_BYTES_MAX} bytes, got {length}")
        end = pos + _LENGTH.size + length
        if end > size:
            break
        frames.append(bytes(data[pos + _LENGTH.size : end]))
        pos = end
    return frames, pos
