"""Envelope (58), version 0: a broker forwards a client's request (KIP-590).

The principal in it is a version, an int16, and the bytes of PRINCIPAL
(DefaultPrincipalData.json).
"""

from ...core.rpc.envelope import EnvelopeRequest, EnvelopeResponse, ForwardedPrincipal
from ..codec.schema import BOOL, BYTES, INT16, STRING, Field, message

VERSIONS = (0, 0)

REQUEST = message(
    "EnvelopeRequest",
    EnvelopeRequest,
    VERSIONS,
    Field("request_data", BYTES),
    Field("request_principal", BYTES, nullable_since=0),
    Field("client_host_address", BYTES),
)

RESPONSE = message(
    "EnvelopeResponse",
    EnvelopeResponse,
    VERSIONS,
    Field("response_data", BYTES, nullable_since=0),
    Field("error_code", INT16),
)

PRINCIPAL = message(
    "DefaultPrincipalData",
    ForwardedPrincipal,
    VERSIONS,
    Field("type", STRING),
    Field("name", STRING),
    Field("token_authenticated", BOOL),
)
