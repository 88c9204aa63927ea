"""The request that is being decided in slices, and the requests that wait until it is decided.

Nothing else changes the state between two slices, so that a large request is decided as a whole and
in its turn: Kafka handles one event after the other (rule 0A.1). Only heartbeats that renew a lease
come in between.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from ..core.errors import ApiError, ErrorCode, Impossible
from ..core.handlers import Handler
from ..core.leases import HeartbeatNote
from ..core.rpc import BrokerHeartbeatRequest, Request
from ..core.settings import Settings
from ..core.state import Decision, State
from ..core.value import value
from ..time.timeline import NEVER_MS

Rest = Callable[[State, int], Decision]


@value(kw_only=False, eq=False)
class Waiting:
    """A request that is decided after those that came before it, unless that is after a time.

    `deadline_ms` is the last time at which it may be decided (rule 0A.9).
    """

    handler: Handler
    request: Request
    token: Any
    deadline_ms: int


class Undecided:
    """A request in slices, if there is one, and the requests behind it in order of arrival.

    `is_busy` while there is any such request; each heartbeat reads it.
    """

    def __init__(self) -> None:
        self.is_busy = False
        self._in_slices: tuple[Rest, Any] | None = None
        self._waiting: deque[Waiting] = deque()

    @property
    def is_in_slices(self) -> bool:
        """True while a request is decided in part."""
        return self._in_slices is not None

    def keep(self, rest: Rest, token: Any) -> None:
        """Keep what decides the rest of a request, and the token for its reply."""
        self._in_slices, self.is_busy = (rest, token), True

    def take(self) -> tuple[Rest, Any]:
        """Remove and return what decides the rest of the request in slices, and its token."""
        if self._in_slices is None:
            raise Impossible("no request is decided in part")
        taken, self._in_slices = self._in_slices, None
        self.is_busy = bool(self._waiting)
        return taken

    def wait(self, waiting: Waiting) -> None:
        """Let a request wait behind all others."""
        self._waiting.append(waiting)
        self.is_busy = True

    def first_waiting(self) -> Waiting | None:
        """Remove and return the request that has waited longest; None behind one in slices."""
        if self._in_slices is not None or not self._waiting:
            return None
        first = self._waiting.popleft()
        self.is_busy = bool(self._waiting)
        return first

    def failed(self) -> list[Any]:
        """Remove all requests after a loss of leadership; returns their tokens (rule 0A.13)."""
        in_slices = () if self._in_slices is None else (self._in_slices[1],)
        tokens = [*in_slices, *(waiting.token for waiting in self._waiting)]
        self._in_slices, self.is_busy = None, False
        self._waiting.clear()
        return tokens


def deadline_ms(request: Request, now_ms: int, settings: Settings) -> int:
    """Returns until when a request that arrives now may wait (rule 0A.9).

    A heartbeat waits for half of its interval, and another request as long as it says.
    """
    if isinstance(request, BrokerHeartbeatRequest):
        return now_ms + settings.broker_heartbeat_interval_ms // 2
    timeout_ms = getattr(request, "timeout_ms", None)
    return NEVER_MS if timeout_ms is None else now_ms + timeout_ms


def decided(handler: Handler, request: Request, state: State, now_ms: int) -> Decision:
    """Returns what `handler` decides on a request that has waited behind slices of another one."""
    return handler(state, request, now_ms)


def timed_out(state: State, request: Request, now_ms: int) -> Decision:
    """The handler of a request that has waited too long; raises REQUEST_TIMED_OUT."""
    raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "")


def only_renews(handler: Handler, request: Request, state: State, now_ms: int) -> bool:
    """True for a heartbeat that changes nothing but its lease, or nothing at all.

    A broker that begins a controlled shutdown gets no replicas from then on (rule 4.40).
    """
    if not isinstance(request, BrokerHeartbeatRequest):
        return False
    try:
        decision = handler(state, request, now_ms)
    except ApiError:
        return True
    note = decision.note
    begins_shutdown = isinstance(note, HeartbeatNote) and note.enters_controlled_shutdown
    return not decision.records and not begins_shutdown
