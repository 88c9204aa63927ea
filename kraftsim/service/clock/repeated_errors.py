"""Replies to clients that repeat a request with a retriable error: they leave once time has passed.

Such a client waits for a change of the cluster, by its own clock. If the time of the cluster stood
still meanwhile, the change would never come.
"""

from collections.abc import Callable, Iterator
from functools import partial

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.message import Structure
from kraftsim.controller.core.rpc import MetadataRequest, Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.time.timeline import Action
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

LIMIT_US = 1_000_000  # of a delay without an event of a controller, and between two errors
CLIENTS_MAX = 1_000  # that are remembered with their errors
RETRIABLE: frozenset[int] = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_CONTROLLER,
    }
)
RETRIABLE_IN_METADATA: frozenset[int] = RETRIABLE | {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.LEADER_NOT_AVAILABLE,
}
_CODES = ("error_code", "partition_error_code")

Client = tuple[str, str | None]
Error = tuple[int | str | bytes, ...]
"""The code of a refusal; or the code of a part of a response, and by what a client knows it."""
Waiting = tuple[Request, Action]


class RepeatedErrors:
    """Delays a reply whose client got the same errors of the same API less than LIMIT_US before.

    The reply leaves at the next event of a controller, at the latest after LIMIT_US. `may_wait`
    returns False while nobody would move the clock for the client.
    """

    def __init__(self, world: World, may_wait: Callable[[], bool]) -> None:
        self._timeline, self._may_wait = world.timeline, may_wait
        self._got: dict[tuple[Client, type[Request]], set[Error]] = {}
        self._got_us = -LIMIT_US  # when the first
        self._waiting: list[Waiting] = []
        self._answered: Request | None = None  # whose delay ends just now
        world.journal.listeners.append(self._on_row)

    def waiting(self) -> Iterator[Request]:
        """Yields the requests whose replies are delayed."""
        return (request for request, _ in self._waiting)

    def delays(self, client: Client, request: Request, reply: Reply, send: Action) -> bool:
        """Returns True if the reply is delayed: `send` is called later.

        `client` is the address of a client, and the id that it has given itself.
        """
        errors = list(_errors(reply, _codes_of(request)))
        if not errors or not self._may_wait():
            return False
        now_us = self._timeline.now_us
        if now_us - self._got_us >= LIMIT_US or len(self._got) >= CLIENTS_MAX:
            self._got, self._got_us = {}, now_us
        got = self._got.setdefault((client, type(request)), set())
        if request is self._answered or not got.issuperset(errors):
            got.update(errors)
            return False
        waiting = (request, send)
        self._waiting.append(waiting)
        self._timeline.after(LIMIT_US, partial(self._end, waiting))
        return True

    def _on_row(self, row: EventRow) -> None:
        if self._waiting and row.node.startswith("controller-"):
            for waiting in self._waiting:
                self._timeline.after(0, partial(self._end, waiting))  # after the controller's step

    def _end(self, waiting: Waiting) -> None:
        if any(waiting is other for other in self._waiting):
            self._waiting = [other for other in self._waiting if other is not waiting]
            self._answered, send = waiting
            send()
            self._answered = None


def _codes_of(request: Request) -> frozenset[int]:
    return RETRIABLE_IN_METADATA if isinstance(request, MetadataRequest) else RETRIABLE


def _errors(reply: Reply, codes: frozenset[int]) -> Iterator[Error]:
    """Yields the parts of a reply that have one of the codes, or the code of a refusal."""
    if isinstance(reply, ApiError):
        if reply.code in codes:
            yield (reply.code,)
    elif isinstance(reply, Structure):
        yield from _parts(reply, codes)


def _parts(of: Structure, codes: frozenset[int]) -> Iterator[Error]:
    """Yields the names and numbers of each part that has an error."""
    if any(getattr(of, name, None) in codes for name in _CODES):
        values = (getattr(of, name) for name in of.__dataclass_fields__)
        yield tuple(value for value in values if isinstance(value, int | str | bytes))
    for name in of.ELEMENTS:
        for part in getattr(of, name) or ():
            if isinstance(part, Structure):
                yield from _parts(part, codes)
