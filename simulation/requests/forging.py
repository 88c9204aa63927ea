"""A rule that answers requests instead of their receiver."""

from collections.abc import Callable

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import Request, Response

from .aim import Aim
from .arrival import Arrival, ReplyTo
from .rule import GoOn, RequestRule

Forged = Callable[[Request, NodeId], Response | None]
"""Returns the reply to a request of a node; None leaves the request to its receiver."""


class Forge(RequestRule):
    """Sends a forged reply, and the request is not handled."""

    effect = "request_forged"

    def __init__(self, aim: Aim, forged: Forged) -> None:
        super().__init__(aim)
        self._forged = forged

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        is_controller = arrival.sender is not None and arrival.sender.kind is Kind.CONTROLLER
        reply = self._forged(arrival.request, arrival.receiver) if is_controller else None
        if reply is None:
            go_on(reply_to)
            return
        arrival.prevent(reply)
        reply_to(reply)
