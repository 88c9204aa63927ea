"""Connections of one simulated broker to the controllers, one for each conversation."""

from collections.abc import Callable
from struct import Struct

from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError, ClosedConnection, ErrorCode
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.core.rpc.envelope import (
    EnvelopeRequest,
    EnvelopeResponse,
    ForwardedPrincipal,
)
from kraftsim.controller.core.rpc.senders import ANONYMOUS
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server.kafka_caller import Address, Deliver, KafkaCaller
from kraftsim.controller.wire.apis.table import principal_schema
from kraftsim.controller.wire.codec.compiler import encoder
from kraftsim.controller.wire.frames import decode_response, encode_request

from .conversation import Channel, Send

LOOPBACK = bytes((127, 0, 0, 1))
_VERSION = Struct(">h")


class BrokerClient:
    """The connections of one broker, by channel."""

    def __init__(self, broker_id: int, deliver: Deliver) -> None:
        self._callers = {
            channel: KafkaCaller(f"{channel.value}-{broker_id}", deliver) for channel in Channel
        }

    def send(self, address: Address, send: Send, reply_to: Callable[[Reply | None], None]) -> None:
        """Send a request to a controller."""
        self._callers[send.channel].send(address, send.request, reply_to)

    def close(self) -> None:
        """Close all connections."""
        for caller in self._callers.values():
            caller.drop()


def enveloped(request: Request, version: int, client_id: str) -> EnvelopeRequest:
    """Returns the Envelope in which a broker forwards a client's request (KIP-590).

    The principal is that of every client, because no listener authenticates; the address is that
    of this machine.
    """
    key = row_of(request).key
    schema = principal_schema()
    user = ForwardedPrincipal(type="User", name=ANONYMOUS, token_authenticated=False)
    return EnvelopeRequest(
        request_data=encode_request(key, version, 0, client_id, request)[4:],
        request_principal=_VERSION.pack(schema.max_version)
        + encoder(schema, schema.max_version)(user),
        client_host_address=LOOPBACK,
    )


def opened(request: Request, version: int, response: Response | None) -> Reply | None:
    """Returns the reply to a client's request that came in an Envelope; None without a response.

    An Envelope that the controller cannot read ends the connection of the client (rule 5.48a).
    """
    if not isinstance(response, EnvelopeResponse):
        return response
    if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
        return ClosedConnection(f"the controller does not read {type(request).__name__} {version}")
    if response.error_code or response.response_data is None:
        code = ErrorCode(response.error_code or ErrorCode.UNKNOWN_SERVER_ERROR)
        return ApiError(code, "")
    return decode_response(row_of(request).key, version, response.response_data)[1]
