"""Leases: the time of each broker's last contact, known to the active controller only.

Leases are not in the log and are lost at failover; a new active controller calls `started` (rules
2.40, 2.48). A heap orders the leases by last contact. A heartbeat only stores its contact in a
dictionary; the heap is corrected when its head is examined, so a heartbeat costs the same with 10
brokers and with 10,000.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

from .image.broker import BrokerRegistration
from .profile import Profile

NO_OFFSET = -1
RAN_OUT_MAX = 10_000  # brokers of the largest cluster; the journal reads each in its step


@dataclass(slots=True)
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
    contact in milliseconds, to explain a fence.
    """

    def __init__(self, profile: Profile, session_timeout_ms: int) -> None:
        self._profile = profile
        self._timeout_ms = session_timeout_ms
        self._contacts: dict[int, tuple[int, int]] = {}  # broker_id -> (contact_ms, broker_epoch)
        self._heap: list[tuple[int, int]] = []  # (contact_ms when pushed, broker_id)
        self._in_heap: set[int] = set()  # broker ids in the heap; some have no contact any more
        self.liveness: dict[int, Liveness] = {}
        self.ran_out: dict[int, int] = {}

    def started(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> None:
        """Give every unfenced broker a full session when this controller becomes active.

        Rules 2.40, 2.48 and 9.15.
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

    def heartbeat_decided(
        self, broker_id: int, broker_epoch: int, metadata_offset: int, fenced: bool, now_ms: int
    ) -> None:
        """Store the contact, offset and fencing that a decided heartbeat reports (rule 2.27)."""
        if broker_id not in self._in_heap:
            self._put(broker_id, now_ms)
        self._contacts[broker_id] = (now_ms, broker_epoch)
        liveness = self.liveness[broker_id]
        liveness.metadata_offset = metadata_offset
        if fenced or liveness.fenced:
            self._touch(broker_id, fenced, metadata_offset)

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
