"""DecommissionBroker removes a broker for good, after KIP-631's draft, which Kafka never shipped.

Unlike UnregisterBroker, it also removes the broker id from every replica set (rule 3.12). If the
broker holds the last replica of a partition, the request is refused unless `force` is set; with
`force`, the partition moves to a live broker and loses its data.

The partition changes and the unregistration are in one batch, or, beyond
`kraftsim.decommission.slice.records`, in slices: one batch each, the unregistration in the last. A
slice is decided once the slice before it is committed, from the state of that moment. The log
itself has the progress: after a failover the client repeats the request, and the new active
controller removes what is left.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from ..errors import ApiError, ErrorCode, Impossible
from ..feature_levels import elr_enabled
from ..image.broker import BrokerRegistration
from ..image.partition import Partition, PartitionKey, Topic, is_reassigning
from ..log.records import PartitionChangeRecord, Record
from ..partitions import broker_changes
from ..partitions.change import build
from ..partitions.target import Assignment, Election, Rules
from ..rpc import DecommissionBrokerRequest, DecommissionBrokerResponse
from ..state import Decision, State
from .unregistration import unregistration


def decommission(state: State, request: DecommissionBrokerRequest, now_ms: int) -> Decision:
    """Decide a DecommissionBroker request (rule 3.12), or its first slice.

    Raises BROKER_NOT_AVAILABLE (8) if the broker is not registered, and
    BROKER_REQUIRED_FOR_PARTITIONS if it is the last replica of a partition and either `force` is
    not set or no other broker is live. Every partition is checked before the first slice.
    """
    stored = _registration(state, request.broker_id)
    leaving = _leaving(state, request.broker_id)
    return _slice(state, request, stored, leaving, checked=leaving)


def _next_slice(request: DecommissionBrokerRequest, state: State, now_ms: int) -> Decision:
    """Decide the slice after a committed slice.

    Raises an error as `decommission` does if the broker has become the last replica of a partition
    of this slice: then what is committed stays, and the broker stays registered.
    """
    stored = _registration(state, request.broker_id)
    leaving = _leaving(state, request.broker_id)
    size = state.settings.decommission_slice_records
    return _slice(state, request, stored, leaving, checked=leaving[:size])


def _registration(state: State, broker_id: int) -> BrokerRegistration:
    stored: BrokerRegistration | None = state.image.brokers.get(broker_id)
    if stored is None:
        raise ApiError(
            ErrorCode.BROKER_NOT_AVAILABLE,
            f"expected the id of a registered broker, got {broker_id}",
        )
    return stored


def _leaving(state: State, broker_id: int) -> list[PartitionKey]:
    """Returns the partitions that name the broker: as replica, in an ELR or as last known leader.

    A completed reassignment leaves a removed replica in the ELR (rule 4.25), and only partitions
    without a leader have a last known one (rule 4.27).
    """
    image, index = state.image, state.image.index
    leaderless = index.leaderless()
    led_last = [key for key in leaderless if broker_id in image.partition(key).last_known_elr]
    return sorted({*index.hosted(broker_id), *index.in_elr(broker_id), *led_last})


def _slice(
    state: State,
    request: DecommissionBrokerRequest,
    stored: BrokerRegistration,
    leaving: list[PartitionKey],
    checked: list[PartitionKey],
) -> Decision:
    """Returns the changes of a bounded number of partitions, and the rest as a later decision."""
    needed = [key for key in checked if _is_last_replica(state, key, request.broker_id)]
    refuge = _refuge(state, request.broker_id)
    if needed and (not request.force or refuge is None):
        raise _required(state, request, needed)
    lost, leaver = set(needed), _leaver(state, request.broker_id)
    size = state.settings.decommission_slice_records
    is_last = len(leaving) < size
    changes: list[Record] = [
        _placed_anew(state, key, request.broker_id, refuge)
        if key in lost and refuge is not None
        else _shrunk(state, key, leaver)
        for key in (leaving if is_last else leaving[: size - 1])
    ]
    if not is_last:
        return Decision(records=tuple(changes), is_atomic=True, rest=partial(_next_slice, request))
    records = (*changes, unregistration(stored))
    return Decision(records=records, reply=DecommissionBrokerResponse(), is_atomic=True)


def _is_last_replica(state: State, key: PartitionKey, broker_id: int) -> bool:
    """True if the broker is the only replica, or the only broker that holds the partition's data.

    The data is held by the replicas in the ISR and the ELR; if there are none, by the last known
    leader. Without the feature ELR, its members are never elected, and the ISR keeps its last
    member (rule 4.13).
    """
    partition = state.image.partition(key)
    if broker_id not in partition.replicas:
        return False
    candidates = partition.isr + partition.elr
    if partition.isr and not elr_enabled(state.image.features):
        candidates = partition.isr
    holders = [b for b in candidates if b in partition.replicas] or partition.last_known_elr
    return partition.replicas == (broker_id,) or all(b == broker_id for b in holders)


def _refuge(state: State, broker_id: int) -> int | None:
    """Returns the live broker with the lowest id; it takes over partitions that would be lost."""
    return next(
        (b for b in state.image.brokers if b != broker_id and state.image.is_active(b)), None
    )


def _required(
    state: State, request: DecommissionBrokerRequest, needed: list[PartitionKey]
) -> ApiError:
    names = ", ".join(f"{state.image.topics[t].name}-{p}" for t, p in needed[:3])
    more = f" and {len(needed) - 3} more" if len(needed) > 3 else ""
    hint = "no other broker is live to take them" if request.force else "force places them anew"
    return ApiError(
        ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS,
        f"broker {request.broker_id} is the last replica of {names}{more}; {hint}",
    )


class _Leaver(NamedTuple):
    """The leaving broker, and the rules by which the partitions that it leaves change."""

    broker_id: int
    rules: Callable[[Topic], Rules]
    may_lead: Callable[[int], bool]


def _leaver(state: State, broker_id: int) -> _Leaver:
    may_lead = cache(lambda replica: replica != broker_id and state.image.is_active(replica))
    return _Leaver(broker_id, broker_changes.rules_by_topic(state), may_lead)


def _shrunk(state: State, key: PartitionKey, leaver: _Leaver) -> PartitionChangeRecord:
    """Removes the broker from the partition's replicas, ISR, ELR, reassignment and leadership."""
    broker_id = leaver.broker_id
    old = state.image.partition(key)
    partition = _without_reassignment(old, broker_id) if is_reassigning(old) else old
    change = build(
        key,
        partition,
        leaver.rules(state.image.topics[key[0]]),
        target_isr=tuple(r for r in partition.isr if r != broker_id),
        acceptable=broker_changes.acceptor(state, partition, leaver.may_lead),
        unclean_shutdown=(broker_id,),
        assignment=Assignment(
            replicas=tuple(r for r in partition.replicas if r != broker_id),
            removing=partition.removing_replicas,
            adding=partition.adding_replicas,
        ),
    )
    if change is None:
        if broker_id not in old.last_known_elr:
            raise Impossible(f"broker {broker_id} leaves a replica set, and nothing changes")
        change = PartitionChangeRecord(topic_id=key[0], partition_id=key[1])
    if partition is old and not old.last_known_elr and change.last_known_elr is None:
        return change
    adding, removing = change.adding_replicas, change.removing_replicas  # None: not completed
    adding = partition.adding_replicas if adding is None else adding
    removing = partition.removing_replicas if removing is None else removing
    return replace(
        change,
        adding_replicas=_changed(adding, old.adding_replicas),
        removing_replicas=_changed(removing, old.removing_replicas),
        last_known_elr=_known_without(change.last_known_elr, old.last_known_elr, broker_id),
    )


def _without_reassignment(partition: Partition, broker_id: int) -> Partition:
    return replace(
        partition,
        adding_replicas=tuple(r for r in partition.adding_replicas if r != broker_id),
        removing_replicas=tuple(r for r in partition.removing_replicas if r != broker_id),
    )


def _changed(new: tuple[int, ...], old: tuple[int, ...]) -> tuple[int, ...] | None:
    return new if new != old else None


def _known_without(
    new: tuple[int, ...] | None, old: tuple[int, ...], broker_id: int
) -> tuple[int, ...] | None:
    """Removes the leaving broker from the last known leaders."""
    known = old if new is None else new
    return _changed(tuple(r for r in known if r != broker_id), old)


def _placed_anew(
    state: State, key: PartitionKey, broker_id: int, refuge: int
) -> PartitionChangeRecord:
    """Elects a live broker uncleanly; data that only the leaving broker held is lost."""
    old = state.image.partition(key)
    remaining = tuple(r for r in old.replicas if r != broker_id)
    live = next((r for r in remaining if state.image.is_active(r)), None)
    replicas = remaining if live is not None else (*remaining, refuge)
    topic = state.image.topics[key[0]]
    rules = replace(broker_changes.rules_of(state, topic), election=Election.UNCLEAN)
    change = build(
        key,
        replace(old, adding_replicas=(), removing_replicas=(), last_known_elr=()),
        rules,
        target_isr=(),
        acceptable=lambda r: r != broker_id and state.image.is_active(r),
        unclean_shutdown=(broker_id, *old.elr),
        assignment=Assignment(replicas=replicas, removing=(), adding=()),
    )
    if change is None:
        raise Impossible(f"broker {broker_id} leaves a replica set, and nothing changes")
    return replace(
        change,
        adding_replicas=_changed((), old.adding_replicas),
        removing_replicas=_changed((), old.removing_replicas),
        last_known_elr=_changed((), old.last_known_elr),
    )
