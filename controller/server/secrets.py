"""Removes the secrets of clients from what is kept and shown of their requests.

A salted password lets whoever has it authenticate as its user. In the journal and in recordings
MARK stands for each of its bytes: the length stays, so a replay accepts and refuses the same
requests and writes records of the same size. Only the keys in the credential's record differ.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from ..core.apis import ROWS
from ..core.rpc import Request
from ..core.rpc.envelope import EnvelopeRequest
from ..wire.errors import DecodeError
from ..wire.frames import RequestHeader, decode_request, encode_request, read_request_header

MARK = b"*"
_UNDECODABLE = b"\xff"
_LENGTH_BYTES = 4
APIS_WITH_SECRETS = frozenset(row.key for row in ROWS.values() if row.secret)


def without_secrets(header: RequestHeader, frame: bytes) -> bytes:
    """Returns the frame of a request of APIS_WITH_SECRETS with MARK for each byte of the secret."""
    try:
        request = decode_request(header, frame)
    except DecodeError:
        return frame[: header.body_offset]
    if isinstance(request, EnvelopeRequest):
        request = _of_envelope(request)
    else:
        request = cast(Request, _marked(request, ROWS[header.api_key].secret.split(".")))
    key, version, number, client_id, _ = header
    return encode_request(key, version, number, client_id, request)[_LENGTH_BYTES:]


def _marked(struct: Any, path: Sequence[str]) -> Any:
    """Returns the struct with MARK for each byte of the field at `path`."""
    name, *inner = path
    found = getattr(struct, name)
    if inner:
        return replace(struct, **{name: tuple(_marked(element, inner) for element in found)})
    return replace(struct, **{name: MARK * len(found)})


def _of_envelope(envelope: EnvelopeRequest) -> Request:
    """Only a refused envelope is kept as such; without a valid request it is refused again."""
    forwarded = envelope.request_data
    try:
        header = read_request_header(forwarded)
    except DecodeError:
        return envelope
    if header.api_key not in APIS_WITH_SECRETS:
        return envelope
    body = forwarded[header.body_offset :]
    return replace(
        envelope, request_data=forwarded[: header.body_offset] + _UNDECODABLE * len(body)
    )
