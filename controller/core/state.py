"""What a decision may look at, and what it returns.

A handler is a function of (state, request, now_ms). It raises `ApiError` to refuse, which changes
nothing; otherwise it returns records, a reply, and at most one note for the soft state. Only the
node applies them, in that order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .brokers.leases import Leases
from .image.image import Image
from .log.batch import ControlRecord, Voter
from .log.records import Record
from .profile import Profile
from .rpc import Response
from .settings import Settings

RECORDS_PER_OPERATION_MAX = 10_000  # Kafka's own bound on one operation's result (rule 0A.7)
RECORDS_PER_BATCH_MAX = 10_000  # of a result that is not atomic; Kafka's own (rule 0A.7)


@dataclass(slots=True, kw_only=True)
class State:
    """One controller's view. `next_offset` is where the next record will stand (1.25), `image` the
    latest state, uncommitted records included (0A.3); `random` is the injected entropy; `voters`
    are the controllers that vote now, each as the quorum knows it (10.53)."""

    node_id: int
    cluster_id: str
    profile: Profile
    settings: Settings
    image: Image
    leases: Leases
    random: Callable[[], float]
    next_offset: int = 0
    voters: Callable[[], tuple[Voter, ...]] = tuple


@dataclass(frozen=True, slots=True)
class HeartbeatNote:
    """The heartbeat that was decided is a valid one: contact now, with the offset it reported; its
    sender is fenced from here on or not. One exists for each state, because each of the brokers
    sends one every other second."""

    fenced: bool
    enters_controlled_shutdown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationNote:
    broker_id: int
    broker_epoch: int
    fenced: bool
    amends: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryNote:
    """The lease of a broker ran out, or that of a fenced one aged away."""

    broker_id: int


Note = HeartbeatNote | RegistrationNote | ExpiryNote


class Decision(NamedTuple):
    """`control` are records of the quorum's own, which go before `records` in a batch of theirs.
    Records that are not `is_atomic` may stand in several batches, as in Kafka (rule 0A.7). A tuple
    and not a dataclass: half the time to make."""

    records: tuple[Record, ...] = ()
    reply: Response | None = None
    note: Note | None = None
    control: tuple[ControlRecord, ...] = ()
    is_atomic: bool = False
