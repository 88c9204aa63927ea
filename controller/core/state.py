"""The input and the result of a decision.

A handler is a function of (state, request, now_ms). It raises `ApiError` to refuse, which changes
nothing; otherwise it returns records, a reply, and notes for the soft state. Only the node applies
them.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import NamedTuple

from .errors import ApiError, ErrorCode
from .image.broker import BrokerRegistration
from .image.image import Image
from .leases import LeaseNote, Leases
from .log.control_records import ControlRecord, Voter
from .log.records import Record
from .mutations import MutationNote, Mutations, unlimited
from .policies import NO_POLICIES, Policies
from .profile import Profile
from .rpc import Response
from .settings import Settings
from .value import slotted

RECORDS_PER_OPERATION_MAX = 10_000  # Kafka's own bound on one operation's result (rule 0A.7)
RECORDS_PER_BATCH_MAX = 10_000  # for a result that is not atomic; Kafka's own bound (rule 0A.7)


@slotted(kw_only=True)
class State:
    """All that a decision may read: one controller's view of the cluster.

    `next_offset` is the offset of the next record (rule 1.25). `image` is the latest state,
    uncommitted records included (rule 0A.3). `random` draws entropy. `voters` returns the voters
    with their latest descriptions (rule 10.53). `static_voter_ids` are the ids in the
    configuration `controller.quorum.voters`. `static` are the configurations of the controller's
    property file.
    """

    node_id: int
    cluster_id: str
    profile: Profile
    settings: Settings
    image: Image
    leases: Leases
    random: Callable[[], float]
    next_offset: int = 0
    voters: Callable[[], tuple[Voter, ...]] = tuple
    static_voter_ids: tuple[int, ...] = ()
    policies: Policies = NO_POLICIES
    static: Mapping[str, str] = field(default_factory=dict)
    mutations: Mutations = field(default_factory=unlimited)


def check_broker_epoch(state: State, broker_id: int, broker_epoch: int) -> BrokerRegistration:
    """Returns the registration of the broker that sent a request.

    Raises STALE_BROKER_EPOCH (77) unless the broker is registered with that epoch.
    """
    broker: BrokerRegistration | None = state.image.brokers.get(broker_id)
    if broker is None or broker.broker_epoch != broker_epoch:
        expected = "no registration" if broker is None else f"epoch {broker.broker_epoch}"
        raise ApiError(
            ErrorCode.STALE_BROKER_EPOCH,
            f"broker {broker_id}: expected {expected}, got epoch {broker_epoch}",
        )
    return broker


class Decision(NamedTuple):
    """The result of a handler.

    `note` is for the leases, `mutation` for the bucket of a client quota (KIP-599). `control` are
    records for the quorum, in a control batch before `records`. Records that are not
    `is_atomic` may be split into several batches, as in Kafka (rule 0A.7). `rest` decides what is
    left of the request once `records` are committed; such a decision has no reply yet. Without
    `records` nothing changes the state until the rest is decided (`slices.py`). A named tuple takes
    half as long to create as a dataclass.
    """

    records: tuple[Record, ...] = ()
    reply: Response | None = None
    note: LeaseNote | None = None
    control: tuple[ControlRecord, ...] = ()
    is_atomic: bool = False
    mutation: MutationNote | None = None
    rest: Callable[[State, int], "Decision"] | None = None
