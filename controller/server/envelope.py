"""Envelopes: the requests that brokers forward for their clients (KIP-590).

An envelope is decided as the request in it, and the response goes back in an Envelope response. Its
bytes and elements are bounded as those of every request: it is within a frame of REQUEST_BYTES_MAX,
and the request in it is decoded like one that came by itself.
"""

import socket
import struct
from collections.abc import Container
from dataclasses import replace
from typing import cast

from ..core.apis import ROWS
from ..core.errors import ApiError, ErrorCode
from ..core.handlers import response_to
from ..core.rpc import Request
from ..core.rpc.configs import AlterConfigsRequest, IncrementalAlterConfigsRequest
from ..core.rpc.envelope import EnvelopeRequest, EnvelopeResponse, ForwardedPrincipal
from ..raft.protocol import Reply
from ..wire.apis.table import APIS, principal_schema
from ..wire.codec.compiler import decoder
from ..wire.errors import DecodeError
from ..wire.frames import Exchange, RequestHeader, read_request_header

_NEVER_FORWARDED = {key for key in APIS if not ROWS[key].is_forwardable}
_FAMILIES = {4: socket.AF_INET, 16: socket.AF_INET6}  # by the length of an address in bytes


class Forwarded:
    """A request that came in an envelope; `address` is the IP address of the client.

    `frame` has the request with its header, but without a length. `envelope` is the exchange of the
    connection, which encodes the Envelope response.
    """

    __slots__ = ("_envelope", "_exchange", "address", "frame", "header", "request", "version")

    def __init__(
        self, envelope: Exchange, exchange: Exchange, address: str, frame: bytes, request: Request
    ) -> None:
        self._envelope, self._exchange = envelope, exchange
        self.address, self.frame, self.request = address, frame, request
        self.header, self.version = exchange.header, exchange.version

    def encode_reply(self, correlation_id: bytes, reply: Reply) -> bytes:
        """Returns the Envelope response; `correlation_id` is that of the envelope.

        NOT_CONTROLLER (41) becomes the error of the envelope: the broker that forwarded the request
        looks for the active controller and tries again, and its client never reads it.
        """
        if isinstance(reply, ApiError) and reply.code == ErrorCode.NOT_CONTROLLER:
            return refused_envelope(self._envelope, correlation_id, reply)
        answer = response_to(self.request, reply, self.version)
        data = self._exchange.encode(self.frame[4:8], answer)[4:]
        return self._envelope.encode(correlation_id, EnvelopeResponse(response_data=data))


def refused_envelope(envelope: Exchange, correlation_id: bytes, error: ApiError) -> bytes:
    """Returns the Envelope response that has an error, and no response to a client."""
    return envelope.encode(correlation_id, EnvelopeResponse(error_code=error.code))


def open_envelope(
    exchange: Exchange, frame: bytes, spoken: Container[tuple[int, int]]
) -> Forwarded:
    """Returns the request in an envelope; `spoken` are the keys and versions of the listener.

    Raises ApiError as Kafka does (EnvelopeUtils.scala): PRINCIPAL_DESERIALIZATION_FAILURE for the
    principal, INVALID_REQUEST for the address of the client or an API that is not forwarded,
    UNSUPPORTED_VERSION for a request that cannot be decoded.
    """
    envelope = cast(EnvelopeRequest, exchange.decode(frame))
    _read_principal(envelope.request_principal)
    address = _address(envelope.client_host_address)
    forwarded = envelope.request_data
    header = _read_header(forwarded)
    if header.api_key in _NEVER_FORWARDED:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"expected an API to forward, got key {header.api_key}"
        )
    return _forwarded(exchange, address, forwarded, header, spoken)


def _forwarded(
    envelope: Exchange,
    address: str,
    frame: bytes,
    header: RequestHeader,
    spoken: Container[tuple[int, int]],
) -> Forwarded:
    key, version = header[:2]
    if (key, version) not in spoken:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"expected an API and version of this listener, got key {key} version {version}",
        )
    exchange = Exchange(header, frame, start_time_tag=False)
    try:
        request = exchange.decode(frame)
    except DecodeError as error:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, str(error)) from None
    if isinstance(request, IncrementalAlterConfigsRequest | AlterConfigsRequest):
        request = replace(request, is_forwarded=True)
    return Forwarded(envelope, exchange, address, frame, request)


def _read_header(frame: bytes) -> RequestHeader:
    try:
        return read_request_header(frame)
    except DecodeError as error:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, str(error)) from None


def _read_principal(data: bytes | None) -> ForwardedPrincipal:
    """Returns the principal of the client; without an authorizer it is only checked."""
    try:
        (version,) = struct.unpack_from(">h", data or b"")
        schema = principal_schema()
        if version != schema.max_version:
            raise DecodeError(f"expected version {schema.max_version}, got {version}")
        return cast(ForwardedPrincipal, decoder(schema, version)(data or b"", 2)[0])
    except (struct.error, DecodeError) as error:
        code = ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE
        raise ApiError(code, f"principal: {error}") from None


def _address(data: bytes) -> str:
    family = _FAMILIES.get(len(data))
    if family is None:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"address of the client: expected 4 or 16 bytes, got {len(data)}",
        )
    return socket.inet_ntop(family, data)
