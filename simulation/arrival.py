"""A request that has reached the listener of a controller or a broker, before it is handled."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import FetchRequest, Request
from kraftsim.controller.raft.protocol import Reply

ReplyTo = Callable[[Reply | None], None]
Submit = Callable[[Request, Any], None]  # of peers, replies are never ApiError
Change = Callable[[bytes], bytes]


def _nothing() -> None:
    """Does nothing."""


class Arrival:
    """A request at a listener.

    `receiver` is the node that listens. `broker_id` is the broker that sent the request or that the
    request is about; for other requests it is the broker that listens, and -1 if a controller
    listens. `client_id` and `version` are known for requests that came over a socket. `submit`
    handles the request, `reply_to` sends a reply (None: the connection fails). `lose` is called if
    no reply will be sent, with true if the request is handled; `on_held` if a rule holds it.
    `send_damaged` sends a reply whose bytes are changed, and then closes the connection if its last
    argument is true; None for requests that have no bytes.
    """

    __slots__ = (
        "broker_id",
        "client_id",
        "lose",
        "on_held",
        "receiver",
        "reply_to",
        "request",
        "send_damaged",
        "submit",
        "version",
    )

    def __init__(
        self,
        request: Request,
        receiver: NodeId,
        submit: Submit,
        reply_to: ReplyTo,
        lose: Callable[[bool], None],
        *,
        client_id: str | None = None,
        version: int | None = None,
        send_damaged: Callable[[Reply, Change, bool], None] | None = None,
        on_held: Callable[[], None] = _nothing,
    ) -> None:
        self.request = request
        self.receiver = receiver
        self.submit = submit
        self.reply_to = reply_to
        self.lose = lose
        self.client_id = client_id
        self.version = version
        self.send_damaged = send_damaged
        self.on_held = on_held
        self.broker_id = _broker_of(request, receiver)

    @property
    def epoch(self) -> int | None:
        """The epoch of the broker's registration that the request names, or None."""
        request = self.request
        if isinstance(request, FetchRequest):
            return request.replica_state.replica_epoch
        return getattr(request, "broker_epoch", None)


def _broker_of(request: Request, receiver: NodeId) -> int:
    if isinstance(request, FetchRequest):
        return max(request.replica_id, request.replica_state.replica_id)
    named: int | None = getattr(request, "broker_id", getattr(request, "replica_id", None))
    if named is not None:
        return named
    return receiver.number if receiver.kind is Kind.BROKER else -1
