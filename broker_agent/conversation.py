"""One request in flight on one channel, with the time after which it counts as lost (1.45)."""

from enum import Enum

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import NEVER_MS


class Channel(Enum):
    """A real broker opens a connection for each; the values are its client ids' beginnings."""

    LEASE = "heartbeat"
    METADATA = "raft-client"
    PARTITIONS = "alter-partition"


@value
class Send:
    """A request to be sent; `number` tells its answer from a late answer to an earlier one."""

    channel: Channel
    request: Request
    number: int
    controller_id: int = -1  # which controller is meant; -1: any, to find out who leads


class Conversation:
    """`deadline_ms` is when something is due: the next request if it `is_idle`, else the time after
    which what is in flight counts as lost. `first_ms` is when the first request is due."""

    def __init__(self, channel: Channel, *, timeout_ms: int, first_ms: int = NEVER_MS) -> None:
        self.is_idle = True
        self.deadline_ms = first_ms
        self._channel = channel
        self._timeout_ms = timeout_ms
        self._number = 0
        self._next_ms = first_ms

    def ask_at(self, at_ms: int) -> None:
        """The next request is due then; not before the one in flight is answered, or lost."""
        self._next_ms = at_ms
        if self.is_idle:
            self.deadline_ms = at_ms

    def send(self, request: Request, now_ms: int, controller_id: int = -1) -> Send:
        self._number += 1
        self.is_idle = False
        self.deadline_ms = now_ms + self._timeout_ms
        return Send(
            channel=self._channel,
            request=request,
            number=self._number,
            controller_id=controller_id,
        )

    def accept(self, sent: Send) -> bool:
        """Is this the answer we wait for? Then we wait no more."""
        if self.is_idle or sent.number != self._number:
            return False
        self.is_idle, self.deadline_ms = True, self._next_ms
        return True

    def timed_out(self, now_ms: int) -> bool:
        """Is what we wait for lost by now? Then we wait no more."""
        if self.is_idle or now_ms < self.deadline_ms:
            return False
        self.is_idle, self.deadline_ms = True, self._next_ms
        return True
