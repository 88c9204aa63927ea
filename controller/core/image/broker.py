"""The registration of one broker, as replayed from the log."""

from dataclasses import replace
from struct import Struct

from ..log.records import (
    FENCE,
    IN_CONTROLLED_SHUTDOWN,
    UNFENCE,
    BrokerRegistrationChangeRecord,
    Endpoint,
    FeatureRange,
    RegisterBrokerRecord,
)
from ..uuid import Uuid
from ..value import value


@value
class BrokerRegistration:
    """The registration of one broker.

    `register_offset` is the offset of the last RegisterBrokerRecord; a broker must apply it before
    it is unfenced (rules 2.7, 2.19). It is not the epoch, which may be lower (rule 1.30).
    `start_time_ms` is the wall time at which the controller accepted this incarnation (KIP-436,
    rule 8.12).
    """

    broker_id: int
    broker_epoch: int
    register_offset: int
    incarnation_id: Uuid
    listeners: tuple[Endpoint, ...]
    features: tuple[FeatureRange, ...]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    log_dirs: tuple[Uuid, ...]
    cordoned_log_dirs: tuple[Uuid, ...] | None
    start_time_ms: int

    def listener(self, name: str) -> Endpoint | None:
        """Returns the listener of that name; None if the broker has none."""
        return next((listener for listener in self.listeners if listener.name == name), None)

    @property
    def is_cordoned(self) -> bool:
        """True if all directories are cordoned, which rules out new replicas (rule 4.40)."""
        cordoned = self.cordoned_log_dirs or ()
        return bool(self.log_dirs) and all(d in cordoned for d in self.log_dirs)


def registration_of(
    record: RegisterBrokerRecord, old: BrokerRegistration | None, offset: int, timestamp_ms: int
) -> BrokerRegistration:
    """Returns the broker's registration after a RegisterBrokerRecord.

    A record of the registered incarnation keeps the start time (rule 8.13).
    """
    amends = old is not None and old.incarnation_id == record.incarnation_id
    previous_start_ms = old.start_time_ms if old is not None and amends else 0
    return BrokerRegistration(
        broker_id=record.broker_id,
        broker_epoch=record.broker_epoch,
        register_offset=offset,
        incarnation_id=record.incarnation_id,
        listeners=record.end_points,
        features=record.features,
        rack=record.rack,
        fenced=record.fenced,
        in_controlled_shutdown=record.in_controlled_shutdown,
        log_dirs=_in_order(record.log_dirs),
        cordoned_log_dirs=record.cordoned_log_dirs,
        start_time_ms=previous_start_ms or record.start_time_ms or timestamp_ms,
    )


def amended_by(
    broker: BrokerRegistration, record: BrokerRegistrationChangeRecord
) -> BrokerRegistration:
    """Returns the registration after a BrokerRegistrationChangeRecord.

    No record clears `in_controlled_shutdown` (rule 2.25); an empty directory list changes nothing
    (rule 2.32).
    """
    cordoned = record.cordoned_log_dirs
    return replace(
        broker,
        fenced={FENCE: True, UNFENCE: False}.get(record.fenced, broker.fenced),
        in_controlled_shutdown=(
            broker.in_controlled_shutdown or record.in_controlled_shutdown == IN_CONTROLLED_SHUTDOWN
        ),
        log_dirs=_in_order(record.log_dirs) or broker.log_dirs,
        cordoned_log_dirs=broker.cordoned_log_dirs if cordoned is None else cordoned,
    )


def _in_order(directories: tuple[Uuid, ...]) -> tuple[Uuid, ...]:
    """Sorts as Kafka compares uuids: by the upper, then the lower half, as signed numbers."""
    if len(directories) < 2:
        return directories
    return tuple(sorted(directories, key=_HALVES.unpack))


_HALVES = Struct(">qq")
