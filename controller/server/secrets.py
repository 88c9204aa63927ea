"""Removes the secrets of clients from what is kept and shown of their requests.

A salted password lets whoever has it authenticate as its user. In the journal and in recordings
MARK stands for each of its bytes: the length stays, so a replay accepts and refuses the same
requests and writes records of the same size. Only the keys in the credential's record differ.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from ..core.rpc import Request
from ..core.rpc.envelope import EnvelopeRequest
from ..core.rpc.scram import AlterUserScramCredentialsRequest
from ..wire.apis.table import ENVELOPE
from ..wire.errors import DecodeError
from ..wire.frames import (
    RequestHeader,
    decode_request,
    encode_request,
    read_request_header,
)

MARK = b"*"
_UNDECODABLE = b"\xff"
_LENGTH_BYTES = 4


def without_secrets(header: RequestHeader, frame: bytes) -> bytes:
    """Returns the frame of a request of APIS_WITH_SECRETS with MARK for each byte of a secret."""
    try:
        request = _REMOVE[header.api_key](decode_request(header, frame))
    except DecodeError:
        return frame[: header.body_offset]
    key, version, number, client_id, _ = header
    return encode_request(key, version, number, client_id, request)[_LENGTH_BYTES:]


def _of_credentials(request: AlterUserScramCredentialsRequest) -> Request:
    marked = (
        replace(upsertion, salted_password=MARK * len(upsertion.salted_password))
        for upsertion in request.upsertions
    )
    return replace(request, upsertions=tuple(marked))


def _of_sasl(request: Any) -> Request:
    return cast(Request, replace(request, auth_bytes=MARK * len(request.auth_bytes)))


def _of_envelope(envelope: EnvelopeRequest) -> Request:
    """Only a refused envelope is kept as such; without a valid request it is refused again."""
    forwarded = envelope.request_data
    try:
        header = read_request_header(forwarded)
    except DecodeError:
        return envelope
    if header.api_key not in _REMOVE:
        return envelope
    body = forwarded[header.body_offset :]
    return replace(
        envelope, request_data=forwarded[: header.body_offset] + _UNDECODABLE * len(body)
    )


_REMOVE: Mapping[int, Callable[[Any], Request]] = {
    36: _of_sasl,
    51: _of_credentials,
    ENVELOPE: _of_envelope,
}
"""The functions that mark the secrets of a request, by the key of its API."""
APIS_WITH_SECRETS = frozenset(_REMOVE)
