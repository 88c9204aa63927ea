"""The way between one broker and the controllers, where faults of the network live.

Mute: what the broker sends does not arrive. Deaf: what comes back does not. Nobody is told; whoever
waits learns it by waiting too long.
"""

from collections.abc import Callable

from kraftsim.broker_agent.hosted_agent import Reply
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.timeline import Timeline

Ask = Callable[[int, Request, Callable[[Reply], None]], None]


class Link:
    def __init__(self, timeline: Timeline, ask: Ask, *, latency_us: int = 0) -> None:
        self.is_mute = False
        self.is_deaf = False
        self._timeline = timeline
        self._ask = ask
        self._latency_us = latency_us

    def send(
        self, request: Request, reply_to: Callable[[Reply], None], controller_id: int = -1
    ) -> None:
        """Ask the controller `controller_id`; -1: whichever answers."""
        if not self.is_mute:
            self._timeline.after(
                self._latency_us, lambda: self._arrive(controller_id, request, reply_to)
            )

    def _arrive(
        self, controller_id: int, request: Request, reply_to: Callable[[Reply], None]
    ) -> None:
        self._ask(controller_id, request, lambda reply: self._return(reply, reply_to))

    def _return(self, reply: Reply, reply_to: Callable[[Reply], None]) -> None:
        if not self.is_deaf:
            self._timeline.after(self._latency_us, lambda: reply_to(reply))
