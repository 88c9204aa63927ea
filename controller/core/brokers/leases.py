"""Guesses: who was heard of and when. Known to the active controller only, gone at failover.

Nothing in here is logged; a new active controller begins with `started` (rules 2.40, 2.48). A
heartbeat only notes its contact in a dictionary; the heap of leases is corrected when its head is
examined, so a heartbeat costs the same among 10 brokers and among 10,000.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

from ..image.broker import BrokerRegistration
from ..profile import Profile

NO_OFFSET = -1
RAN_OUT_MAX = 10_000  # brokers of the largest cluster; a journal takes each in the same step


@dataclass(slots=True)
class Liveness:
    """Soft state of one registered broker. `controlled_shutdown_offset` is -1 unless it is in a
    controlled shutdown that began at that offset (2.28)."""

    fenced: bool
    metadata_offset: int = NO_OFFSET
    controlled_shutdown_offset: int = NO_OFFSET

    @property
    def is_shutting_down(self) -> bool:
        return self.controlled_shutdown_offset >= 0


class Leases:
    """`liveness` is the soft state of every registered broker, by id; `ran_out` says of those whose
    lease did when they were last heard of, for whoever asks why."""

    def __init__(self, profile: Profile, session_timeout_ms: int) -> None:
        self._profile = profile
        self._timeout_ms = session_timeout_ms
        self._contacts: dict[int, tuple[int, int]] = {}  # broker_id -> (contact_ms, broker_epoch)
        self._heap: list[tuple[int, int]] = []  # (contact_ms when put, broker_id), once a broker
        self._in_heap: set[int] = set()  # the broker ids in it; some have no contact any more
        self.liveness: dict[int, Liveness] = {}
        self.ran_out: dict[int, int] = {}

    def started(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> None:
        """Take over: every unfenced broker gets a whole new session (rules 2.40, 2.48, 9.15)."""
        for broker in brokers:
            self.liveness[broker.broker_id] = Liveness(broker.fenced)
            if not broker.fenced:
                self.note_contact(broker.broker_id, broker.broker_epoch, now_ms)

    def note_contact(self, broker_id: int, broker_epoch: int, now_ms: int) -> None:
        """A valid heartbeat *arrived* at now_ms: the lease runs from here."""
        if broker_id not in self._in_heap:
            self._put(broker_id, now_ms)
        self._contacts[broker_id] = (now_ms, broker_epoch)

    def contact_ms(self, broker_id: int) -> int | None:
        """When the broker was last heard of; None where no lease is known."""
        contact = self._contacts.get(broker_id)
        return None if contact is None else contact[0]

    def has_valid_session(self, broker: BrokerRegistration, now_ms: int) -> bool:
        """Does the registered incarnation still hold its id against another (rules 1.11, 1.12)?"""
        contact = self._contacts.get(broker.broker_id)
        if contact is None or contact[1] != broker.broker_epoch:
            return False
        if not self._profile.contacts_by_epoch and self.liveness[broker.broker_id].fenced:
            return False
        return contact[0] + self._timeout_ms >= now_ms

    def registered(
        self, broker_id: int, broker_epoch: int, *, fenced: bool, amends: bool, now_ms: int
    ) -> None:
        """A registration was accepted: what was reported before is forgotten (1.32, 1.42)."""
        if not amends:
            self.forget(broker_id)
        self.liveness[broker_id] = Liveness(fenced)
        if not self._profile.contacts_by_epoch:
            self.note_contact(broker_id, broker_epoch, now_ms)

    def heard(
        self, broker_id: int, broker_epoch: int, metadata_offset: int, fenced: bool, now_ms: int
    ) -> None:
        """What a heartbeat, once decided, leaves behind: contact, offset, fencing (2.27)."""
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
        """The lease ran out and that was dealt with; a fenced broker had none to lose (2.38)."""
        liveness, contact_ms = self.liveness.get(broker_id), self.contact_ms(broker_id)
        if liveness is not None:
            if contact_ms is not None and not liveness.fenced:
                self._note_ran_out(broker_id, contact_ms)
            self._touch(broker_id, True, NO_OFFSET)
        self._contacts.pop(broker_id, None)

    def registration_changed(self, broker_id: int, fenced: bool) -> None:
        """Replaying a change of the registration resets the reported offset (quirk, 2.29)."""
        self._touch(broker_id, fenced, NO_OFFSET)

    def shutting_down_from(self, broker_id: int, offset: int) -> None:
        """Set once; later heartbeats do not move it (2.28)."""
        liveness = self.liveness[broker_id]
        if not liveness.is_shutting_down:
            liveness.controlled_shutdown_offset = offset

    def forget(self, broker_id: int) -> None:
        self.liveness.pop(broker_id, None)
        self._contacts.pop(broker_id, None)
        self.ran_out.pop(broker_id, None)

    def lowest_active_offset(self) -> float:
        """Least offset reported by unfenced brokers not shutting down; infinite if none (2.15)."""
        return min(
            (
                one.metadata_offset
                for one in self.liveness.values()
                if not one.fenced and not one.is_shutting_down
            ),
            default=float("inf"),
        )

    def first_expired(self, now_ms: int) -> int | None:
        """The broker whose lease ran out longest ago; None while every lease holds (2.36, 2.47)."""
        heap = self._heap
        while heap and heap[0][0] + self._timeout_ms < now_ms:  # at the latest it was put then
            head = self._settled()
            if head is not None:
                return head
        return None

    def next_expiry_ms(self) -> int | None:
        """The first instant at which `first_expired` would name somebody."""
        while self._heap:
            if self._settled() is not None:
                return self._heap[0][0] + self._timeout_ms + 1
        return None

    def _settled(self) -> int | None:
        """The broker at the head, if it stands there under its latest contact; otherwise None, and
        it has moved to where it belongs, or is gone."""
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
