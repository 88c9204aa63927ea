"""Fencing and unfencing of a broker, and the fence of a broker whose lease has run out.

Kafka fences a broker together with the changes of its partitions, in one batch (rule 2.21).
"""

from .. import feature_levels
from ..image.broker import BrokerRegistration
from ..log.records import (
    FENCE,
    UNFENCE,
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    Record,
    UnfenceBrokerRecord,
)
from ..partitions import broker_changes
from ..state import Decision, ExpiryNote, State


def expire_one(state: State, now_ms: int) -> Decision | None:
    """Fence the broker whose lease ran out longest ago; None if every lease holds (2.36, 2.47).

    One broker a decision: the next sees what this one left (4.19), and its own batch.
    """
    broker_id = state.leases.first_expired(now_ms)
    if broker_id is None:
        return None
    broker = state.image.brokers.get(broker_id)
    note = ExpiryNote(broker_id=broker_id)
    fences_again = state.profile.contacts_by_epoch  # 4.x, for a fenced broker too (2.38)
    if broker is None or (state.leases.liveness[broker_id].fenced and not fences_again):
        return Decision(note=note)
    return Decision(records=tuple(fence(state, broker)), note=note)


def fence(state: State, broker: BrokerRegistration) -> list[Record]:
    """Partition changes first, then the fence, in one batch (rule 2.21)."""
    changes = broker_changes.without_broker(state, broker.broker_id)
    if state.image.metadata_version < feature_levels.REGISTRATION_CHANGE_FROM:
        return [*changes, FenceBrokerRecord(id=broker.broker_id, epoch=broker.broker_epoch)]
    return [*changes, registration_change(broker, fenced=FENCE)]


def unfence(state: State, broker: BrokerRegistration) -> list[Record]:
    """The unfence first, then elections for all leaderless partitions (rule 2.22)."""
    elections = broker_changes.with_broker(state, broker.broker_id)
    if state.image.metadata_version < feature_levels.REGISTRATION_CHANGE_FROM:
        return [UnfenceBrokerRecord(id=broker.broker_id, epoch=broker.broker_epoch), *elections]
    return [registration_change(broker, fenced=UNFENCE), *elections]


def registration_change(
    broker: BrokerRegistration, *, fenced: int = 0, in_controlled_shutdown: int = 0
) -> BrokerRegistrationChangeRecord:
    return BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id,
        broker_epoch=broker.broker_epoch,
        fenced=fenced,
        in_controlled_shutdown=in_controlled_shutdown,
    )
