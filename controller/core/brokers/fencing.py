"""Fencing and unfencing of a broker, and the fence after its lease expires.

Kafka writes the fence and the changes of the broker's partitions in one batch (rule 2.21).
"""

from .. import feature_levels
from ..image.broker import BrokerRegistration
from ..leases import ExpiryNote
from ..log.records import (
    FENCE,
    UNFENCE,
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    Record,
    UnfenceBrokerRecord,
)
from ..partitions import broker_changes
from ..state import Decision, State


def expire_one(state: State, now_ms: int) -> Decision | None:
    """Fence the broker whose lease expired first; None if no lease has expired (rules 2.36, 2.47).

    Each decision fences one broker, because the next decision must see its partition changes (rule
    4.19). Each fence is a batch of its own.
    """
    broker_id = state.leases.first_expired(now_ms)
    if broker_id is None:
        return None
    broker = state.image.brokers.get(broker_id)
    note = ExpiryNote(broker_id=broker_id)
    fences_again = state.profile.contacts_by_epoch  # 4.x fences a fenced broker again (2.38)
    if broker is None or (state.leases.liveness[broker_id].fenced and not fences_again):
        return Decision(note=note)
    return Decision(records=tuple(fence(state, broker)), note=note)


def fence(state: State, broker: BrokerRegistration) -> list[Record]:
    """Returns the partition changes, followed by the fence, for one batch (rule 2.21)."""
    changes = broker_changes.without_broker(state, broker.broker_id)
    if state.image.metadata_version < feature_levels.REGISTRATION_CHANGE_FROM:
        return [*changes, FenceBrokerRecord(id=broker.broker_id, epoch=broker.broker_epoch)]
    return [*changes, registration_change(broker, fenced=FENCE)]


def unfence(state: State, broker: BrokerRegistration) -> list[Record]:
    """Returns the unfence, followed by elections for all leaderless partitions (rule 2.22)."""
    elections = broker_changes.with_broker(state, broker.broker_id)
    if state.image.metadata_version < feature_levels.REGISTRATION_CHANGE_FROM:
        return [UnfenceBrokerRecord(id=broker.broker_id, epoch=broker.broker_epoch), *elections]
    return [registration_change(broker, fenced=UNFENCE), *elections]


def registration_change(
    broker: BrokerRegistration, *, fenced: int = 0, in_controlled_shutdown: int = 0
) -> BrokerRegistrationChangeRecord:
    """Returns a BrokerRegistrationChangeRecord of the broker's current epoch."""
    return BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id,
        broker_epoch=broker.broker_epoch,
        fenced=fenced,
        in_controlled_shutdown=in_controlled_shutdown,
    )
