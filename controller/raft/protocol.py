"""The inputs and outputs of a controller.

Inputs: a request, the response to a request, a deadline, the end of a disk write, and a request to
resign. Outputs, in the order in which the driver must carry them out: state to make durable,
requests to other replicas, replies.
"""

from enum import Enum
from typing import Any

from ..core.errors import ApiError
from ..core.log.batch import Batch
from ..core.log.control_records import VoterEndpoint
from ..core.rpc import Request, Response
from ..core.value import value
from .snapshot import Snapshot
from .voters import ReplicaKey


@value
class Submitted:
    """A request arrived; the driver needs `token` to reply."""

    request: Request
    token: Any


class Channel(Enum):
    """A replica's connections to another replica; each has at most one request in flight."""

    RAFT = "raft"
    REGISTRATION = "registration"


@value
class Answered:
    """The response of `peer_id` to request `number`; None if the request failed or was not sent."""

    channel: Channel
    peer_id: int
    number: int
    response: Response | None


@value(kw_only=False)
class Started:
    """The process started and its durable state is restored.

    `stands_at_once` skips the election timeout, for the first boot of a quorum, when no leader
    exists.
    """

    stands_at_once: bool = False


@value(kw_only=False)
class Deadline:
    """The node's `deadline_ms` is reached."""


@value(kw_only=False)
class Continue:
    """All due events are handled: the node may do the work that an earlier step left."""


@value(kw_only=False)
class Persisted:
    """The log is durable up to `end_offset` (exclusive)."""

    end_offset: int


@value(kw_only=False)
class Resign:
    """A request to give up leadership in favour of `successor_id`.

    With -1 the voter with the longest log is the first successor.
    """

    successor_id: int = -1


@value(kw_only=False)
class Stop:
    """The process got SIGTERM: the replica gives up leadership, and begins no election."""


Event = Submitted | Answered | Started | Deadline | Continue | Persisted | Resign | Stop


@value(kw_only=False)
class ElectionState:
    """Durable state of a replica: its epoch, its vote in that epoch, and the leader (rule 10.6)."""

    epoch: int = 0
    leader_id: int = -1
    voted: ReplicaKey | None = None


@value
class Send:
    """A request to a replica; `endpoint` is the last known address of `peer_id`."""

    channel: Channel
    peer_id: int
    endpoint: VoterEndpoint | None
    number: int
    request: Request


Reply = Response | ApiError


class Turn:
    """One step: its time, and the work for the driver after it.

    The driver writes `election`, `snapshot`, `truncate_to` and `persist` to the disk, then sends
    `sends`, then `replies`, each in order; messages wait until an `election` is durable.
    `committed` are the batches newly loaded into the image.

    Only `now_ms` (monotonic) affects decisions; `wall_ms` is for timestamps. Nearly every step is a
    heartbeat that produces one reply only, so all other fields are class attributes until set.

    `is_plain` until one of the methods below is called: the driver may send `replies` at once and
    do nothing else (`HostedNode.submit`). Handlers add to `replies`; these methods write the rest.
    """

    is_plain = True
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

    def write_election(self, election: ElectionState) -> None:
        """Make epoch, vote and leader durable before any message of this step leaves."""
        self.election, self.is_plain = election, False

    def write_snapshot(self, snapshot: Snapshot) -> None:
        """Make a snapshot durable, which replaces the records below its end."""
        self.snapshot, self.is_plain = snapshot, False

    def truncate_log(self, end_offset: int) -> None:
        """Remove all records from `end_offset` on from the disk."""
        self.truncate_to, self.is_plain = end_offset, False

    def write_batch(self, batch: Batch) -> None:
        """Make an appended batch durable; the driver reports it by `Persisted`."""
        self.persist += (batch,)
        self.is_plain = False

    def send(self, send: Send) -> None:
        """Send a request to another replica."""
        self.sends += (send,)
        self.is_plain = False

    def commit(self, batches: tuple[Batch, ...]) -> None:
        """Pass newly loaded batches to the listeners of the driver."""
        self.committed += batches
        self.is_plain = False

    def leave_work(self) -> None:
        """Leave work to a later step, for which the driver must send `Continue`."""
        self.is_plain = False
