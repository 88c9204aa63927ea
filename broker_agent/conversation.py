"""One request in flight on one channel, with the time after which it counts as lost (1.45)."""

from enum import Enum
from typing import NamedTuple

from kraftsim.controller.core.rpc import Request


class Channel(Enum):
    """A real broker opens a connection for each; the values are its client ids' beginnings."""

    LEASE = "heartbeat"
    METADATA = "raft-client"
    PARTITIONS = "alter-partition"


class Send(NamedTuple):
    """A request to be sent; `number` tells its answer from a late answer to an earlier one."""

    channel: Channel
    request: Request
    number: int
    controller_id: int = -1  # which controller is meant; -1: any, to find out who leads


class Conversation:
    def __init__(self, channel: Channel, *, timeout_ms: int) -> None:
        self._channel = channel
        self._timeout_ms = timeout_ms
        self._number = 0
        self._lost_ms: int | None = None

    @property
    def is_idle(self) -> bool:
        return self._lost_ms is None

    def send(self, request: Request, now_ms: int, controller_id: int = -1) -> Send:
        self._number += 1
        self._lost_ms = now_ms + self._timeout_ms
        return Send(self._channel, request, self._number, controller_id)

    def accept(self, sent: Send) -> bool:
        """Is this the answer we wait for? Then we wait no more."""
        if self.is_idle or sent.number != self._number:
            return False
        self._lost_ms = None
        return True

    def timed_out(self, now_ms: int) -> bool:
        if self._lost_ms is None or now_ms < self._lost_ms:
            return False
        self._lost_ms = None
        return True

    def deadline_ms(self, when_idle_ms: int) -> int:
        return when_idle_ms if self._lost_ms is None else self._lost_ms
