"""The way between one broker and its controller, where faults of the network live.

Mute: what the broker sends does not arrive. Deaf: what comes back does not. Nobody is told; whoever
waits learns it by waiting too long.
"""

from collections.abc import Callable

from kraftsim.broker_agent.hosted_agent import Reply
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.hosted import Dispatch
from kraftsim.controller.timeline import Timeline


class Link:
    def __init__(self, timeline: Timeline, dispatch: Dispatch, *, latency_us: int = 0) -> None:
        self.is_mute = False
        self.is_deaf = False
        self._timeline = timeline
        self._dispatch = dispatch
        self._latency_us = latency_us

    def send(self, request: Request, reply_to: Callable[[Reply], None]) -> None:
        if not self.is_mute:
            self._timeline.after(self._latency_us, lambda: self._arrive(request, reply_to))

    def _arrive(self, request: Request, reply_to: Callable[[Reply], None]) -> None:
        self._dispatch(request, lambda reply: self._return(reply, reply_to))

    def _return(self, reply: Reply, reply_to: Callable[[Reply], None]) -> None:
        if not self.is_deaf:
            self._timeline.after(self._latency_us, lambda: reply_to(reply))
