"""Envelope (58, KIP-590): a request that a broker forwards to a controller for a client."""

from ..value import value


@value
class EnvelopeRequest:
    """A client's request with its header, its principal, and the IP address of the client."""

    request_data: bytes
    request_principal: bytes | None = None
    client_host_address: bytes = b""


@value
class EnvelopeResponse:
    """The response to the client with its header; or an error of the envelope, and no response."""

    response_data: bytes | None = None
    error_code: int = 0


@value
class ForwardedPrincipal:
    """The client that a broker has authenticated, such as User:ANONYMOUS."""

    type: str
    name: str
    token_authenticated: bool = False
