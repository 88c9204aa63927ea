"""Folds the records of one broker into its state, its lease and its availability.

The functions are pure, so that a stream, a batch and a test share them. The log has no heartbeats:
it shows when a lease is granted (unfenced) and when it ends, and the way it ends shows the cause.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kraftsim.controller.core.brokers.registration_state import RegistrationState

FENCED, UNFENCED = RegistrationState.FENCED.value, RegistrationState.UNFENCED.value
IN_CONTROLLED_SHUTDOWN = RegistrationState.IN_CONTROLLED_SHUTDOWN.value
UNREGISTERED = RegistrationState.UNREGISTERED.value
# How a lease ended. FENCED: no heartbeat arrived in time, or a broker without leaderships shut down
# (rule 2.12); the log has the same record for both. RELEASED: the end of a controlled shutdown.
# REPLACED: the registration of another process. REMOVED: an unregistration.
RELEASED, REPLACED, REMOVED = "released", "replaced", "removed"

REGISTRATION = "REGISTER_BROKER_RECORD"
UNREGISTRATION = "UNREGISTER_BROKER_RECORD"
# The fencing that a change record requests: 1 fence, -1 unfence. None: its field `fenced` has the
# value, where 0 or no value means unchanged.
_CHANGES = {
    "BROKER_REGISTRATION_CHANGE_RECORD": None,
    "FENCE_BROKER_RECORD": 1,
    "UNFENCE_BROKER_RECORD": -1,
}
ABOUT_BROKERS = (REGISTRATION, UNREGISTRATION, *_CHANGES)


@dataclass(frozen=True, slots=True)
class BrokerRecord:
    """A record of a type in ABOUT_BROKERS; `data` is its payload."""

    offset: int
    ts_ms: int
    kind: str
    broker_epoch: int
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a broker after a record.

    The broker entered the state at `since_ms`. Its lease began at `leased_since_ms`, when it was
    unfenced (-1: no lease). Up to `since_ms`, its state was known for `known_ms`, of which it was
    unfenced for `unfenced_ms`. The state is known from the registration on, or from the first
    record that shows it.
    """

    broker_epoch: int
    fenced: bool
    in_controlled_shutdown: bool
    since_ms: int
    leased_since_ms: int
    unfenced_ms: int
    known_ms: int

    @property
    def state(self) -> str:
        """The name of the state."""
        if self.fenced:
            return FENCED
        return IN_CONTROLLED_SHUTDOWN if self.in_controlled_shutdown else UNFENCED


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a broker's state or epoch.

    The broker was in `state_before` since `since_ms` (both None if unknown) and is in `state` from
    `ts_ms` on. Up to `ts_ms`, its state was known for `known_ms`, of which it was unfenced for
    `unfenced_ms`.
    """

    offset: int
    ts_ms: int
    broker_epoch: int
    cause: str
    state: str
    state_before: str | None
    since_ms: int | None
    lease_end: str | None
    lease_ms: int | None
    unfenced_ms: int
    known_ms: int


def fold(standing: Standing | None, record: BrokerRecord) -> tuple[Standing | None, Change | None]:
    """Returns the state after the record (None: unregistered), and the change, if any.

    The times of records may decrease when a controller with another clock takes over; a record is
    then given the time of the last change of state.
    """
    now_ms = record.ts_ms if standing is None else max(record.ts_ms, standing.since_ms)
    if record.kind == UNREGISTRATION:
        return None, _change(standing, None, record, now_ms)
    flags = _flags(standing, record)
    if flags is None:
        return standing, None
    after = _after(standing, record, flags, now_ms)
    if standing is not None and _is_same(standing, after):
        return replace(standing, in_controlled_shutdown=after.in_controlled_shutdown), None
    return after, _change(standing, after, record, now_ms)


def _is_same(before: Standing, after: Standing) -> bool:
    return (before.state, before.broker_epoch) == (after.state, after.broker_epoch)


def _flags(standing: Standing | None, record: BrokerRecord) -> tuple[bool, bool] | None:
    """Returns whether the broker is fenced, and whether it is in controlled shutdown.

    No change record ends a controlled shutdown (rule 2.25). Returns None if the log starts after
    the broker's registration and this record does not show its state.
    """
    data = record.data
    if record.kind == REGISTRATION:
        return bool(data["fenced"]), bool(data.get("inControlledShutdown", False))
    fencing = _CHANGES[record.kind] or data.get("fenced", 0)
    if standing is None and not fencing:
        return None
    shuts_down = data.get("inControlledShutdown") == 1
    if standing is None:
        return fencing == 1, shuts_down
    fenced = fencing == 1 if fencing else standing.fenced
    return fenced, standing.in_controlled_shutdown or shuts_down


def _after(
    standing: Standing | None, record: BrokerRecord, flags: tuple[bool, bool], now_ms: int
) -> Standing:
    fenced, in_controlled_shutdown = flags
    unfenced_ms, known_ms = _sums(standing, now_ms)
    keeps = standing is not None and record.kind != REGISTRATION and not fenced
    held_since_ms = standing.leased_since_ms if standing is not None and keeps else -1
    return Standing(
        broker_epoch=record.broker_epoch,
        fenced=fenced,
        in_controlled_shutdown=in_controlled_shutdown,
        since_ms=now_ms,
        leased_since_ms=now_ms if not fenced and held_since_ms < 0 else held_since_ms,
        unfenced_ms=unfenced_ms,
        known_ms=known_ms,
    )


def _sums(standing: Standing | None, now_ms: int) -> tuple[int, int]:
    """Returns `unfenced_ms` and `known_ms` of the standing, up to `now_ms`."""
    if standing is None:
        return 0, 0
    passed_ms = now_ms - standing.since_ms
    unfenced_ms = passed_ms if standing.state == UNFENCED else 0
    return standing.unfenced_ms + unfenced_ms, standing.known_ms + passed_ms


def _change(
    before: Standing | None, after: Standing | None, record: BrokerRecord, now_ms: int
) -> Change:
    unfenced_ms, known_ms = _sums(before, now_ms)
    lease_end = None if before is None else _lease_end(before, after, record)
    return Change(
        offset=record.offset,
        ts_ms=now_ms,
        broker_epoch=record.broker_epoch,
        cause=record.kind,
        state=UNREGISTERED if after is None else after.state,
        state_before=None if before is None else before.state,
        since_ms=None if before is None else before.since_ms,
        lease_end=lease_end,
        lease_ms=None if before is None or lease_end is None else now_ms - before.leased_since_ms,
        unfenced_ms=unfenced_ms,
        known_ms=known_ms,
    )


def _lease_end(before: Standing, after: Standing | None, record: BrokerRecord) -> str | None:
    if before.leased_since_ms < 0:
        return None
    if after is None:
        return REMOVED
    if record.kind == REGISTRATION:
        return REPLACED
    if not after.fenced:
        return None
    return RELEASED if before.in_controlled_shutdown else FENCED
