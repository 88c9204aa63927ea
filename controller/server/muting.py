"""A broker that throttles a client for its byte quota reads no further request of it (KIP-219)."""

from collections.abc import Callable
from functools import partial

from ..raft.protocol import Reply
from .awaited import Awaited
from .envelope import Forwarded
from .runtime import Runtime

PRODUCE, FETCH = 0, 1


class Muting:
    """Whether the client of a connection is muted: from a reply on, for its throttle time."""

    def __init__(self) -> None:
        self.is_on = False
        self._wait_ms = 0

    def note(self, awaited: Awaited, reply: Reply) -> None:
        """Notes the throttle time of a reply that is about to be sent."""
        exchange = awaited[0]
        is_limited = not isinstance(exchange, Forwarded) and exchange.header.api_key <= FETCH
        self._wait_ms = getattr(reply, "throttle_time_ms", 0) if is_limited else 0

    def waits(self, runtime: Runtime, answered: Awaited, then: Callable[[Awaited], None]) -> bool:
        """Returns True if the client is muted; calls `then` at the end.

        A consumer waits as it does for data: on a clock that others move it moves nothing.
        """
        wait_ms, self._wait_ms = self._wait_ms, 0
        self.is_on = wait_ms > 0
        if not self.is_on:
            return False
        if answered[0].header.api_key == FETCH:
            runtime.after_wait(wait_ms, partial(then, answered))
        else:
            runtime.timeline.after(wait_ms * 1000, partial(then, answered))
        return True
