"""What the log says of one broker, record by record: its state, its lease, how long it was there.

Pure, so that a stream, a batch and a test fold alike. The log knows no heartbeats: a lease is seen
when it is granted (unfenced) and when it is over, and only how it ended tells why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

FENCED, UNFENCED, IN_CONTROLLED_SHUTDOWN, UNREGISTERED = (
    "FENCED",
    "UNFENCED",
    "IN_CONTROLLED_SHUTDOWN",
    "UNREGISTERED",
)
# How a lease ended: by a fence, because no heartbeat came in time, or because a broker that led
# nothing shut down (rule 2.12), which the log spells alike; at the end of a controlled shutdown; by
# the registration of another process; by unregistration.
RELEASED, REPLACED, REMOVED = "RELEASED", "REPLACED", "REMOVED"

REGISTRATION = "REGISTER_BROKER_RECORD"
UNREGISTRATION = "UNREGISTER_BROKER_RECORD"
# What a change record says: 1 is so, -1 is not so, 0 or left out stays.
_CHANGES = {
    "BROKER_REGISTRATION_CHANGE_RECORD": None,
    "FENCE_BROKER_RECORD": 1,
    "UNFENCE_BROKER_RECORD": -1,
}
ABOUT_BROKERS = (REGISTRATION, UNREGISTRATION, *_CHANGES)


@dataclass(frozen=True, slots=True)
class BrokerRecord:
    """One of ABOUT_BROKERS; `data` is its payload."""

    offset: int
    ts_ms: int
    kind: str
    broker_epoch: int
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Standing:
    """What is kept of a broker. `since_ms` is when it came into its state, `leased_since_ms` when
    it was unfenced (-1: it holds no lease); the sums go up to `since_ms` and begin with the
    broker's registration, or with the first thing that is known of it."""

    broker_epoch: int
    fenced: bool
    in_controlled_shutdown: bool
    since_ms: int
    leased_since_ms: int
    unfenced_ms: int
    known_ms: int

    @property
    def state(self) -> str:
        if self.fenced:
            return FENCED
        return IN_CONTROLLED_SHUTDOWN if self.in_controlled_shutdown else UNFENCED


@dataclass(frozen=True, slots=True)
class Change:
    """A broker came into `state` and left `state_before`, in which it was since `since_ms` (None:
    it was not known). `unfenced_ms` of `known_ms` is how long it was unfenced up to then."""

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
    """What stands after the record (None: unregistered), and the change, if it is one.

    Times never go back here, as they may in a log when another controller's clock takes over.
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
    """Fenced, and in controlled shutdown, which no change takes back (rule 2.25). None where the
    log begins in the middle of a broker's life and this record does not say."""
    data = record.data
    if record.kind == REGISTRATION:
        return bool(data["fenced"]), bool(data.get("inControlledShutdown", False))
    says = _CHANGES[record.kind] or data.get("fenced", 0)
    if standing is None and not says:
        return None
    shuts_down = data.get("inControlledShutdown") == 1
    if standing is None:
        return says == 1, shuts_down
    fenced = says == 1 if says else standing.fenced
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
    """Milliseconds unfenced, and known, up to now."""
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
