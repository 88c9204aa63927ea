"""A request whose reply is pending, and the bytes of its reply."""

from ..core.handlers import response_to
from ..core.rpc import Request
from ..raft.protocol import Reply
from ..wire.frames import Exchange, Steps, last_of
from .envelope import Forwarded

Awaited = tuple[Exchange | Forwarded, bytes, Request]
"""What encodes the reply, the correlation id and the request."""


def encoded(awaited: Awaited, reply: Reply) -> bytes | Steps:
    """Returns the frame of the reply, or the steps that return it."""
    exchange, correlation_id, request = awaited
    if isinstance(exchange, Forwarded):
        return exchange.encode_reply(correlation_id, reply)
    response = response_to(request, reply, exchange.version)
    kept = exchange.kept(correlation_id, response)
    return exchange.encode_in_steps(correlation_id, response) if kept is None else kept


def encoded_at_once(awaited: Awaited, reply: Reply) -> bytes:
    """Returns the frame of the reply, however long that takes."""
    frame = encoded(awaited, reply)
    return frame if isinstance(frame, bytes) else last_of(frame)
