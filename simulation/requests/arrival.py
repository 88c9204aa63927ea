"""A request that has reached the listener of a controller or a broker, before it is handled."""

from collections.abc import Callable

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import FetchRequest, Request
from kraftsim.controller.raft.protocol import Reply

ReplyTo = Callable[[Reply | None], None]
Change = Callable[[bytes], bytes]


class Arrival:
    """A request at the listener of `receiver`; a subclass knows how it came.

    `broker_id` is that of `broker_of`. `client_id` and `version` are known for requests that came
    over a socket. `reply_to` sends a reply; None makes the connection fail.
    """

    __slots__ = ("broker_id", "client_id", "receiver", "reply_to", "request", "version")

    def __init__(
        self,
        request: Request,
        receiver: NodeId,
        broker_id: int,
        reply_to: ReplyTo,
        client_id: str | None = None,
        version: int | None = None,
    ) -> None:
        self.request = request
        self.receiver = receiver
        self.broker_id = broker_id
        self.reply_to = reply_to
        self.client_id = client_id
        self.version = version

    @property
    def sender(self) -> NodeId | None:
        """The node that sent the request, or None if it came over a socket."""
        return None

    @property
    def epoch(self) -> int | None:
        """The epoch of the broker's registration that the request names, or None."""
        request = self.request
        if isinstance(request, FetchRequest):
            return request.replica_state.replica_epoch
        return getattr(request, "broker_epoch", None)

    def submit(self, reply_to: ReplyTo) -> None:
        """Has the request handled."""
        raise NotImplementedError

    def lose(self, is_handled: bool) -> None:
        """Records that the sender gets no reply. `is_handled`: the request was handled first."""
        raise NotImplementedError

    def prevent(self, reply: Reply) -> None:
        """Records that a rule gives this reply, and that the request is not handled."""

    def ignore(self) -> None:
        """Records that nobody gets the reply to a repetition of the request."""

    def hold(self, is_handled: bool) -> None:
        """Records that a rule holds the request, or its reply if the request `is_handled`."""

    def release(self) -> None:
        """Records that no rule holds the request any more."""

    def fail(self, reason: str, reply_to: ReplyTo) -> None:
        """Fails the connection; a sender inside this process gets `reason` as an error."""
        reply_to(None)

    def send_damaged(self, reply: Reply, change: Change, closes: bool, reply_to: ReplyTo) -> None:
        """Sends a reply with changed bytes; without bytes, the connection fails.

        With `closes` the connection is closed afterwards.
        """
        reply_to(None)


def broker_of(request: Request, receiver: NodeId) -> int:
    """Returns the broker that sent the request or that the request is about.

    For other requests it is the broker that receives the request, and -1 if a controller does.
    """
    if isinstance(request, FetchRequest):
        return max(request.replica_id, request.replica_state.replica_id)
    named: int | None = getattr(request, "broker_id", getattr(request, "replica_id", None))
    if named is not None:
        return named
    return receiver.number if receiver.kind is Kind.BROKER else -1
