"""The protocol on one screen: all that goes into a controller, and all that comes out of it.

In: a request, an answer to a request of ours, a deadline, "it is safe on disk", and the wish to
give leadership up. Out, in the order in which a driver carries it out: what to make durable, what
to send to other replicas, what to reply.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..core.errors import ApiError
from ..core.log.batch import Batch, VoterEndpoint
from ..core.rpc import Request, Response
from ..core.value import value
from .snapshot import Snapshot
from .voters import ReplicaKey


@value
class Submitted:
    """A request came; `token` is whatever the driver needs to answer it."""

    request: Request
    token: Any


class Channel(Enum):
    """A replica's conversation with another: on each of them one request at a time."""

    RAFT = "raft"
    REGISTRATION = "registration"


@value
class Answered:
    """What became of our request `number` to `peer_id`; None: nothing came, or it never left."""

    channel: Channel
    peer_id: int
    number: int
    response: Response | None


@dataclass(frozen=True, slots=True)
class Started:
    """The process is up; what it had made durable is there again. One that `stands_at_once` does
    not wait for an election's patience: at the first boot of a whole quorum there is nobody who
    could lead already."""

    stands_at_once: bool = False


@dataclass(frozen=True, slots=True)
class Deadline:
    """`deadline_ms` has come."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Whatever was due has been done: time for the work that an earlier step has put off."""


@dataclass(frozen=True, slots=True)
class Persisted:
    """The log is safe up to `end_offset` (exclusive)."""

    end_offset: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Give leadership up; `successor_id` should be the first to follow (-1: whoever has most)."""

    successor_id: int = -1


Event = Submitted | Answered | Started | Deadline | Continue | Persisted | Resign


@dataclass(frozen=True, slots=True)
class ElectionState:
    """What a replica must never forget: its epoch, its vote in it, and who leads (rule 10.6)."""

    epoch: int = 0
    leader_id: int = -1
    voted: ReplicaKey | None = None


@value
class Send:
    """`endpoint` is where `peer_id` listens, as far as is known."""

    channel: Channel
    peer_id: int
    endpoint: VoterEndpoint | None
    number: int
    request: Request


Reply = Response | ApiError


class Turn:
    """One step: when it is, and what the driver must do after it. Make `election`, `snapshot`,
    `truncate_to` and `persist` durable, then send `sends`, then `replies`, each in its order.
    `committed` is what the image has taken in, for those who watch.

    Only `now_ms` (monotonic) decides; `wall_ms` stamps records and what is reported. Nearly every
    step lets out one reply and nothing else, so what it does not let out it does not even hold.
    """

    is_plain = True  # only replies: nothing to keep, no message, nothing newly committed
    election: ElectionState | None = None
    snapshot: Snapshot | None = None
    truncate_to: int | None = None
    persist: tuple[Batch, ...] = ()
    sends: tuple[Send, ...] = ()
    committed: tuple[Batch, ...] = ()
    replies: tuple[tuple[Any, Reply], ...] = ()

    def __init__(self, now_ms: int, wall_ms: int) -> None:
        self.now_ms = now_ms
        self.wall_ms = wall_ms
