"""One request in flight on one channel, with its timeout (rule 1.45)."""

from enum import Enum

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import NEVER_MS


class Channel(Enum):
    """A connection of a real broker to the controllers.

    The value is the beginning of the client id that the broker uses there.
    """

    LEASE = "heartbeat"
    METADATA = "raft-client"
    PARTITIONS = "alter-partition"
    DIRECTORIES = "directory-assignments"


@value(kw_only=False)
class Send:
    """A request to send; `number` distinguishes its reply from late replies to earlier requests."""

    channel: Channel
    request: Request
    number: int
    controller_id: int = -1  # id of the intended controller; -1: any, to find the active one


class Conversation:
    """The requests of one channel, of which at most one is in flight.

    `deadline_ms` is the time of the next request if `is_idle`, otherwise the timeout of the request
    in flight. `first_ms` is the time of the first request.
    """

    def __init__(self, channel: Channel, *, timeout_ms: int, first_ms: int = NEVER_MS) -> None:
        self.is_idle = True
        self.deadline_ms = first_ms
        self._channel = channel
        self._timeout_ms = timeout_ms
        self._number = 0
        self._next_ms = first_ms

    def schedule(self, at_ms: int) -> None:
        """Schedule the next request.

        It waits until the request in flight is answered or times out.
        """
        self._next_ms = at_ms
        if self.is_idle:
            self.deadline_ms = at_ms

    def send(self, request: Request, now_ms: int, controller_id: int = -1) -> Send:
        """Returns a request to send, and starts its timeout."""
        self._number += 1
        self.is_idle = False
        self.deadline_ms = now_ms + self._timeout_ms
        return Send(self._channel, request, self._number, controller_id)

    def accept(self, sent: Send) -> bool:
        """Returns True, and ends the wait, if `sent` is the request in flight."""
        if self.is_idle or sent.number != self._number:
            return False
        self.is_idle, self.deadline_ms = True, self._next_ms
        return True

    def timed_out(self, now_ms: int) -> bool:
        """Returns True, and ends the wait, if the request in flight has timed out."""
        if self.is_idle or now_ms < self.deadline_ms:
            return False
        self.is_idle, self.deadline_ms = True, self._next_ms
        return True
