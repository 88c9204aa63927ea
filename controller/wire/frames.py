"""Frames: an int32 length, a header, a body; both directions, for servers and for clients.

In this module, a frame is the bytes after the length. The client id is a non-compact nullable
string in every header; flexible headers end with tagged fields, except for the header of an
ApiVersions response.
"""

from collections.abc import Generator
from dataclasses import replace
from struct import Struct as Packing
from struct import error
from typing import Any, NamedTuple, cast

from ..core.apis import ROWS
from ..core.rpc import Request, Response
from ..core.rpc.senders import Requester, TelemetryClient
from .apis.table import API_VERSIONS, APIS, ENVELOPE, FETCH, fetched_from_broker
from .codec.compiler import Encoder, decoder, encoder, step_encoder
from .codec.decode_source import skip_tags
from .codec.schema import Message
from .errors import DecodeError

FRAME_BYTES_MAX = 100 * 1024 * 1024  # of a response, such as a slice of a snapshot
REQUEST_BYTES_MAX = 4 * 1024 * 1024  # of a request that is no Produce
PRODUCE_BYTES_MAX = 100 * 1024 * 1024  # the default of socket.request.max.bytes, for all requests
CACHED_REPLIES_MAX = 64  # of one version of an API at a listener; a heartbeat has eight
CACHED_BYTES_MAX = 16 * 1024  # of a cached reply
REPEATED_BYTES_MAX = 1024  # of the body of a request that is compared with the next
_LENGTH = Packing(">i")
_HEADER = Packing(">hhih")  # key, version, correlation id, length of the client's id
_CORRELATION_ID = Packing(">i")


class RequestHeader(NamedTuple):
    """The header of a request; `body_offset` is the position of the body in the frame."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body_offset: int


def read_request_header(frame: bytes) -> RequestHeader:
    """Decodes the header of a request; raises DecodeError for malformed bytes.

    For an unknown API or version, `body_offset` is wrong and all other fields are right.
    """
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
    return tuple.__new__(RequestHeader, values)  # takes half the time of RequestHeader(...)


_FLEXIBLE = {
    (key, version)
    for key, api in APIS.items()
    for version in range(api.min_version, api.max_version + 1)
    if api.is_flexible(version)
}


def decode_request(header: RequestHeader, frame: bytes) -> Request:
    """Decodes the body of a request.

    Trailing bytes are ignored, as in Kafka (librdkafka sends some).
    """
    message = APIS[header.api_key].request
    request, _ = decoder(message, header.api_version)(frame, header.body_offset)
    if ROWS[header.api_key].has_requester:
        request = replace(cast(Any, request), requester=_requester(header, len(frame)))
    return cast(Request, request)


def _requester(header: RequestHeader, size_bytes: int) -> Requester:
    return Requester(
        client_id=header.client_id or "", version=header.api_version, size_bytes=size_bytes
    )


def encode_response(
    api_key: int,
    api_version: int,
    correlation_id: int,
    response: Response,
    *,
    start_time_tag: bool = False,
) -> bytes:
    """Returns a response as a whole frame, with its length."""
    body = encoder(APIS[api_key].response, api_version, start_time_tag)(response)
    frame = _CORRELATION_ID.pack(correlation_id) + _header_tags(api_key, api_version) + body
    return _LENGTH.pack(len(frame)) + frame


def _header_tags(api_key: int, api_version: int) -> bytes:
    """Returns the bytes of a response header after the correlation id.

    These are an empty tag section, or nothing.
    """
    is_flexible = APIS[api_key].is_flexible(api_version) and api_key != API_VERSIONS
    return b"\0" if is_flexible else b""


Spelling = tuple[Message, int, bool]  # a response, its version, and whether it has a start time
# The last replies of a listener by their spelling and identities, as (reply, length, body).
Bodies = dict[Spelling, dict[int, tuple[Response, bytes, bytes]]]


Steps = Generator[None, None, bytes]  # of about a millisecond each, which return a frame


def last_of(steps: Steps) -> bytes:
    """Returns what the steps return, however long they take."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return cast(bytes, end.value)


class Exchange:
    """The codec for all requests of one connection with the same API, version and client id.

    A connection repeats the same request, so it caches the last exchange and its last request. A
    frame belongs to the exchange if `frame[:4] == start` and `frame[8:end] == tail`. `header` is
    that of the first frame. The connections of a listener share the bytes of its replies, `bodies`.
    `client` is the client that telemetry requests name.
    """

    __slots__ = (
        "_cached",
        "_decode",
        "_encode",
        "_is_telemetry",
        "_last",
        "_request",
        "_requester",
        "_step_encode",
        "_tags",
        "client",
        "end",
        "header",
        "is_api_versions",
        "is_envelope",
        "start",
        "tail",
        "version",
    )

    def __init__(
        self,
        header: RequestHeader,
        frame: bytes,
        *,
        start_time_tag: bool,
        bodies: Bodies | None = None,
        client: TelemetryClient | None = None,
    ) -> None:
        self.header = header
        self.client = client
        self.version = header.api_version
        self.is_api_versions = header.api_key == API_VERSIONS
        self.is_envelope = header.api_key == ENVELOPE
        row = ROWS[header.api_key]
        self._requester = _requester(header, len(frame)) if row.has_requester else None
        self._is_telemetry = row.is_telemetry
        self.start = frame[:4]  # key and version
        self.end = header.body_offset
        self.tail = frame[8 : self.end]  # client id and tags
        self._decode = decoder(APIS[header.api_key].request, header.api_version)
        response = APIS[header.api_key].response
        spelling = (response, header.api_version, start_time_tag)
        self._encode: Encoder | None = None
        self._step_encode = step_encoder(*spelling)
        if self._step_encode is None:
            self._encode = encoder(*spelling)
        self._tags = _header_tags(header.api_key, header.api_version)
        self._cached: dict[int, tuple[Response, bytes, bytes]] | None = None
        if response.is_cached or response.is_shared:
            self._cached = {} if bodies is None else bodies.setdefault(spelling, {})
        self._last = b""  # of the frame of `_request`, all after its correlation id
        self._request: Request | None = None

    def matches(self, frame: bytes) -> bool:
        """True if the frame has the API, version and client id of this exchange."""
        return frame[8 : self.end] == self.tail and frame[:4] == self.start

    def repeated(self, frame: bytes) -> Request | None:
        """Returns the last request if the frame repeats it with any correlation id; or None."""
        last = self._last
        is_same = len(frame) - 8 == len(last) and frame[8:] == last and frame[:4] == self.start
        return self._request if is_same else None

    def decode(self, frame: bytes) -> Request:
        """Returns the request of a frame that the exchange matches."""
        request = cast(Request, self._decode(frame, self.end)[0])
        if self._requester is not None:
            if self._requester.size_bytes != len(frame):
                self._requester = _requester(self.header, len(frame))
            request = replace(cast(Any, request), requester=self._requester)
        if self.client is not None and self._is_telemetry:
            request = replace(cast(Any, request), client=self.client)
        if len(frame) - self.end <= REPEATED_BYTES_MAX and not self.is_envelope:
            self._request, self._last = request, frame[8:]
        return request

    def encode(self, correlation_id: bytes, response: Response) -> bytes:
        """Returns a response as a whole frame, with its length."""
        kept = self.kept(correlation_id, response)
        if kept is not None:
            return kept
        return last_of(self.encode_in_steps(correlation_id, response))

    def kept(self, correlation_id: bytes, response: Response) -> bytes | None:
        """Returns the frame of a response whose bytes are cached; None if they are not.

        Some APIs reply with the same few objects, whose bytes are cached without the correlation
        id.
        """
        if self._cached is not None:
            entry = self._cached.get(id(response))
            if entry is not None and entry[0] is response:
                return entry[1] + correlation_id + entry[2]
        return None

    def encode_in_steps(self, correlation_id: bytes, response: Response) -> Steps:
        """Returns the frame of a response in steps."""
        if self._step_encode is not None:
            body = yield from self._step_encode(response)
        elif self._encode is not None:
            body = self._encode(response)
        return self._framed(correlation_id, response, body)

    def _framed(self, correlation_id: bytes, response: Response, body: bytes) -> bytes:
        """Returns the frame of a response, and keeps its bytes if they are few."""
        body = self._tags + body
        length = _LENGTH.pack(len(correlation_id) + len(body))
        cached = self._cached
        if cached is not None and len(body) <= CACHED_BYTES_MAX:
            if len(cached) == CACHED_REPLIES_MAX:
                cached.clear()
            cached[id(response)] = (response, length, body)  # the reference keeps the id unique
        return length + correlation_id + body


def encode_request(
    api_key: int, api_version: int, correlation_id: int, client_id: str | None, request: Request
) -> bytes:
    """Returns a client's request as a whole frame, with its length."""
    message = APIS[api_key].request
    name = b"" if client_id is None else client_id.encode()
    length = -1 if client_id is None else len(name)
    frame = (
        _HEADER.pack(api_key, api_version, correlation_id, length)
        + name
        + (b"\0" if APIS[api_key].is_flexible(api_version) else b"")
        + encoder(message, api_version)(request)
    )
    return _LENGTH.pack(len(frame)) + frame


def decode_response(api_key: int, api_version: int, frame: bytes) -> tuple[int, Response]:
    """Returns the correlation id and the response; trailing bytes are ignored."""
    return _decode(APIS[api_key].response, api_key, api_version, frame)


def decode_broker_response(api_key: int, api_version: int, frame: bytes) -> tuple[int, Response]:
    """Returns the correlation id and the response of a broker, whose batches stay bytes."""
    message = fetched_from_broker() if api_key == FETCH else APIS[api_key].response
    return _decode(message, api_key, api_version, frame)


def _decode(message: Message, api_key: int, api_version: int, frame: bytes) -> tuple[int, Response]:
    pos = _CORRELATION_ID.size
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(frame)
        if _header_tags(api_key, api_version):
            pos = skip_tags(frame, pos)
    except (error, IndexError):
        raise DecodeError(f"expected a response header, got {len(frame)} bytes") from None
    response, _ = decoder(message, api_version)(frame, pos)
    return correlation_id, cast(Response, response)
