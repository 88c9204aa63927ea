"""Leases: the time of each broker's last contact, known to the active controller only.

`Leases` grants a lease, renews it, and says when it has expired. Handlers read it; what they decide
about a lease is a note, which the active controller hands to `decided` before it appends the
records, and to `appended` after; to `replayed` it hands each of those records that fences, unfences
or removes a broker.

Leases are not in the log and are lost at failover; a new active controller calls `started` (rules
2.40, 2.48). A heap orders the leases by last contact. A heartbeat only stores its contact in a
dictionary; the heap is corrected when its head is examined, so a heartbeat costs the same with 10
brokers and with 10,000.
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush, heapreplace

from .image.broker import BrokerRegistration
from .log.records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    Record,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from .profile import Profile
from .rpc import BrokerHeartbeatRequest, Request
from .value import slotted, value

NO_OFFSET = -1
RAN_OUT_MAX = 10_000  # brokers of the largest cluster; the journal reads each in its step
CHANGE_LEASES = frozenset(
    {BrokerRegistrationChangeRecord, FenceBrokerRecord, UnfenceBrokerRecord, UnregisterBrokerRecord}
)


@value(kw_only=False)
class HeartbeatNote:
    """A valid heartbeat was decided: it renews the lease and reports an offset.

    `fenced` is the sender's new fencing. One shared object exists for each state, because every
    broker sends a heartbeat every 2 seconds.
    """

    fenced: bool
    enters_controlled_shutdown: bool


@value
class RegistrationNote:
    """A registration was accepted; `amends` is true for a known incarnation."""

    broker_id: int
    broker_epoch: int
    fenced: bool
    amends: bool


@value
class ExpiryNote:
    """A broker's lease expired; a broker that was already fenced is fenced again (rule 2.38)."""

    broker_id: int


LeaseNote = HeartbeatNote | RegistrationNote | ExpiryNote


def begins_shutdown(note: LeaseNote) -> bool:
    """True of a heartbeat that asks for a controlled shutdown and is to wait."""
    return isinstance(note, HeartbeatNote) and note.enters_controlled_shutdown


@slotted()
class Liveness:
    """Soft state of one registered broker.

    `controlled_shutdown_offset` is the offset at which its controlled shutdown began, -1 if the
    broker is not in a controlled shutdown (rule 2.28). `metadata_offset` is the last reported
    offset, -1 if unknown.
    """

    fenced: bool
    metadata_offset: int = NO_OFFSET
    controlled_shutdown_offset: int = NO_OFFSET

    @property
    def is_shutting_down(self) -> bool:
        """True while the broker is in a controlled shutdown."""
        return self.controlled_shutdown_offset >= 0


class Leases:
    """The lease and the soft state of each broker, by broker id.

    A lease expires when the broker has not made contact for `session_timeout_ms`. `liveness` is the
    soft state of every registered broker. `ran_out` maps a broker whose lease expired to its last
    contact in milliseconds, to explain a fence. `check_ms` is the time of the next check for
    expired leases, None before the first check is due.
    """

    def __init__(self, profile: Profile, session_timeout_ms: int) -> None:
        self._profile = profile
        self._timeout_ms = session_timeout_ms
        self._contacts: dict[int, tuple[int, int]] = {}  # broker_id -> (contact_ms, broker_epoch)
        self._heap: list[tuple[int, int]] = []  # (contact_ms when pushed, broker_id)
        self._in_heap: set[int] = set()  # broker ids in the heap; some have no contact any more
        self.liveness: dict[int, Liveness] = {}
        self.ran_out: dict[int, int] = {}
        self.check_ms: int | None = None

    def started(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> None:
        """Give every unfenced broker a full session, and know nothing else of the brokers.

        So begins an active controller (rules 2.40, 2.48 and 9.15).
        """
        for broker in brokers:
            self.liveness[broker.broker_id] = Liveness(broker.fenced)
            if not broker.fenced:
                self.note_contact(broker.broker_id, broker.broker_epoch, now_ms)

    def note_contact(self, broker_id: int, broker_epoch: int, now_ms: int) -> None:
        """Store a contact of the broker at `now_ms`, the time at which its request arrived."""
        if broker_id not in self._in_heap:
            self._put(broker_id, now_ms)
        self._contacts[broker_id] = (now_ms, broker_epoch)

    def contact_ms(self, broker_id: int) -> int | None:
        """Returns the time of the broker's last contact; None if it has no lease."""
        contact = self._contacts.get(broker_id)
        return None if contact is None else contact[0]

    def has_valid_session(self, broker: BrokerRegistration, now_ms: int) -> bool:
        """True while a registration by another incarnation must be refused (rules 1.11, 1.12).

        The broker's last contact must have its registered epoch and lie within the session timeout.
        In Kafka 3.9 a fenced broker has no valid session.
        """
        contact = self._contacts.get(broker.broker_id)
        if contact is None or contact[1] != broker.broker_epoch:
            return False
        if not self._profile.contacts_by_epoch and self.liveness[broker.broker_id].fenced:
            return False
        return contact[0] + self._timeout_ms >= now_ms

    def decided(self, note: LeaseNote, request: Request | None, now_ms: int) -> bool:
        """Store what a decision on `request` says of a lease, before its records are appended.

        Returns True if this is the first contact, for which Kafka 3.9 plans the first check (rule
        2.41).
        """
        if isinstance(note, HeartbeatNote) and isinstance(request, BrokerHeartbeatRequest):
            # Here, and not in a method, because nearly every request is a heartbeat (rule 2.27).
            broker_id, metadata_offset = request.broker_id, request.current_metadata_offset
            if broker_id not in self._in_heap:
                self._put(broker_id, now_ms)
            self._contacts[broker_id] = (now_ms, request.broker_epoch)
            liveness = self.liveness[broker_id]
            liveness.metadata_offset = metadata_offset
            if note.fenced or liveness.fenced:
                self._touch(broker_id, note.fenced, metadata_offset)
        elif isinstance(note, RegistrationNote):
            self.registered(
                note.broker_id,
                note.broker_epoch,
                fenced=note.fenced,
                amends=note.amends,
                now_ms=now_ms,
            )
        elif isinstance(note, ExpiryNote):
            self.expired(note.broker_id)
        if self.check_ms is None:
            self.check_ms = self._next_check_ms(now_ms)
            return True
        return False

    def appended(self, note: LeaseNote, request: Request | None, last_offset: int) -> None:
        """Store what a decision says of a lease once its records end at `last_offset`."""
        if begins_shutdown(note) and isinstance(request, BrokerHeartbeatRequest):
            self.shutting_down_from(request.broker_id, last_offset)

    def registered(
        self, broker_id: int, broker_epoch: int, *, fenced: bool, amends: bool, now_ms: int
    ) -> None:
        """Update the soft state after a registration: a new incarnation begins anew.

        `amends` is true for a known incarnation (rules 1.32, 1.42). In Kafka 3.9 the registration
        is a contact as well; in later releases only heartbeats are contacts.
        """
        if not amends:
            self.forget(broker_id)
        self.liveness[broker_id] = Liveness(fenced)
        if not self._profile.contacts_by_epoch:
            self.note_contact(broker_id, broker_epoch, now_ms)

    def _touch(self, broker_id: int, fenced: bool, metadata_offset: int) -> None:
        liveness = self.liveness[broker_id]
        liveness.fenced = fenced
        liveness.metadata_offset = metadata_offset
        if fenced:
            liveness.controlled_shutdown_offset = NO_OFFSET

    def expired(self, broker_id: int) -> None:
        """Remove the lease and mark the broker as fenced.

        An unfenced broker is added to `ran_out`, a fenced one is not (rule 2.38).
        """
        liveness, contact_ms = self.liveness.get(broker_id), self.contact_ms(broker_id)
        if liveness is not None:
            if contact_ms is not None and not liveness.fenced:
                self._note_ran_out(broker_id, contact_ms)
            self._touch(broker_id, True, NO_OFFSET)
        self._contacts.pop(broker_id, None)

    def replayed(self, record: Record, brokers: Mapping[int, BrokerRegistration]) -> None:
        """Follow a record of `CHANGE_LEASES`; `brokers` are those after the record."""
        if isinstance(record, UnregisterBrokerRecord):
            self.forget(record.broker_id)
        elif isinstance(record, BrokerRegistrationChangeRecord):
            self.registration_changed(record.broker_id, brokers[record.broker_id].fenced)
        elif isinstance(record, FenceBrokerRecord | UnfenceBrokerRecord):
            self.registration_changed(record.id, brokers[record.id].fenced)

    def registration_changed(self, broker_id: int, fenced: bool) -> None:
        """Store the fencing, and forget the offset that the broker reported.

        Kafka does so when it replays a registration change (rule 2.29).
        """
        self._touch(broker_id, fenced, NO_OFFSET)

    def shutting_down_from(self, broker_id: int, offset: int) -> None:
        """Store the offset at which the broker's controlled shutdown began.

        Later calls during the same shutdown change nothing (rule 2.28).
        """
        liveness = self.liveness[broker_id]
        if not liveness.is_shutting_down:
            liveness.controlled_shutdown_offset = offset

    def forget(self, broker_id: int) -> None:
        """Remove all soft state of the broker."""
        self.liveness.pop(broker_id, None)
        self._contacts.pop(broker_id, None)
        self.ran_out.pop(broker_id, None)

    def forget_all(self) -> None:
        """Remove the soft state of every broker, as a failover does; the next check stays due."""
        for memory in (self.liveness, self.ran_out, self._contacts, self._in_heap, self._heap):
            memory.clear()

    def pop_ran_out(self, broker_id: int) -> int | None:
        """Removes and returns the last contact of a broker whose lease expired; None of another."""
        return self.ran_out.pop(broker_id, None)

    def lowest_active_offset(self) -> float:
        """Returns the lowest offset that an unfenced broker outside a controlled shutdown reported.

        Infinity if there is no such broker (rule 2.15).
        """
        return min(
            (
                liveness.metadata_offset
                for liveness in self.liveness.values()
                if not liveness.fenced and not liveness.is_shutting_down
            ),
            default=float("inf"),
        )

    def begin_checks(self, now_ms: int) -> None:
        """Plan the first check of an active controller; Kafka 3.9 does so at the first contact."""
        if self._profile.expiry_checks_per_session is not None:
            self.checked(now_ms)

    def is_check_due(self, now_ms: int) -> bool:
        """True if the leases are to be checked now."""
        return self.check_ms is not None and now_ms >= self.check_ms

    def checked(self, now_ms: int) -> None:
        """Plan the next check, after a check that left no expired lease."""
        self.check_ms = self._next_check_ms(now_ms)

    def check_at(self, check_ms: int) -> None:
        """Plan the next check for `check_ms`."""
        self.check_ms = check_ms

    def _next_check_ms(self, now_ms: int) -> int | None:
        """Returns the time of the next check.

        That is an eighth of a session from now (rule 2.47), or in Kafka 3.9 the first expiry (rule
        2.34).
        """
        checks = self._profile.expiry_checks_per_session
        if checks is None:
            return self.next_expiry_ms()
        return now_ms + max(1, self._timeout_ms // checks)

    def first_expired(self, now_ms: int) -> int | None:
        """Returns the broker whose lease expired first; None if no lease has expired.

        Rules 2.36 and 2.47.
        """
        heap = self._heap
        while heap and heap[0][0] + self._timeout_ms < now_ms:  # expires then or later
            head = self._settled()
            if head is not None:
                return head
        return None

    def next_expiry_ms(self) -> int | None:
        """Returns the time at which the next lease will have expired; None if there is no lease.

        A session may be negative (rule 7.5): its leases expire 1 ms after each contact.
        """
        while self._heap:
            if self._settled() is not None:
                return self._heap[0][0] + max(0, self._timeout_ms) + 1
        return None

    def _settled(self) -> int | None:
        """Returns the broker at the heap's head if its entry has the latest contact.

        Otherwise returns None, after moving the entry to its latest contact or removing it.
        """
        put_ms, broker_id = self._heap[0]
        contact_ms = self.contact_ms(broker_id)
        if contact_ms is None:
            heappop(self._heap)
            self._in_heap.remove(broker_id)
        elif contact_ms != put_ms:
            heapreplace(self._heap, (contact_ms, broker_id))
        else:
            return broker_id
        return None

    def _put(self, broker_id: int, contact_ms: int) -> None:
        heappush(self._heap, (contact_ms, broker_id))
        self._in_heap.add(broker_id)

    def _note_ran_out(self, broker_id: int, contact_ms: int) -> None:
        if len(self.ran_out) >= RAN_OUT_MAX:
            del self.ran_out[next(iter(self.ran_out))]
        self.ran_out[broker_id] = contact_ms
