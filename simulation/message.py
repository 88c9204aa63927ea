"""A message between two nodes of a world, and what a client and a broker exchange."""

from typing import NamedTuple

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.raft.protocol import Reply


class Message:
    """A request, or, with `is_reply`, the reply to `request`.

    A `reply` of None means that the connection failed. A request that a fault has answered instead
    of its receiver has the reply of the fault.
    """

    __slots__ = ("is_reply", "receiver", "reply", "request", "sender")

    def __init__(
        self,
        sender: NodeId,
        receiver: NodeId,
        request: Request,
        is_reply: bool = False,
        reply: Reply | None = None,
    ) -> None:
        self.sender = sender
        self.receiver = receiver
        self.request = request
        self.is_reply = is_reply
        self.reply = reply

    def answered(self, reply: Reply | None) -> "Message":
        """Returns the message with the reply to this request."""
        return Message(self.receiver, self.sender, self.request, True, reply)

    def __repr__(self) -> str:
        content = (
            f"the answer to {self.request}: {self.reply}" if self.is_reply else f"{self.request}"
        )
        return f"from {self.sender} to {self.receiver} {content}"


class Exchange(NamedTuple):
    """A request of a client about messages and the broker's response, which may still be lost.

    `response` is None as the request is sent.
    """

    broker_id: int
    request: Request
    response: Response | None
