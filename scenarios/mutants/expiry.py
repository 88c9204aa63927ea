"""Bugs of the check for expired leases."""

from typing import Any

from kraftsim.controller.core.brokers import fencing
from kraftsim.controller.core.leases import HeartbeatNote, LeaseNote, Leases
from kraftsim.controller.core.state import Decision, State

from .mutant import Swaps, mutant


@mutant(
    "M39",
    "A lease check fences only the first expired broker",
    defect="textbook: a check stops after the first error",
    scenario="rack-outage",
    broken="no-late-fence",
)
def fences_one_broker_per_check(swaps: Swaps) -> None:
    """Fences at most one broker at each instant of the clock."""
    expire_one = fencing.expire_one
    last_ms = [-1]

    def buggy(state: State, now_ms: int) -> Decision | None:
        if last_ms[0] == now_ms:
            return None
        last_ms[0] = now_ms
        return expire_one(state, now_ms)

    swaps.attribute(fencing, "expire_one", buggy)


@mutant(
    "M41",
    "A lease expires after half of the session timeout",
    defect="textbook",
    scenario="gc-pause-shorter-than-lease",
    broken="no-early-fence",
)
def sessions_are_half_as_long(swaps: Swaps) -> None:
    """Expires each lease after half of the session timeout."""

    def first_expired(leases: Leases, now_ms: int) -> int | None:
        expiry_ms = leases.next_expiry_ms()
        early = expiry_ms is not None and expiry_ms - leases._timeout_ms // 2 <= now_ms
        return leases._heap[0][1] if early else None

    swaps.attribute(Leases, "first_expired", first_expired)


@mutant(
    "M42",
    "No lease expires",
    defect="textbook: no lease check",
    scenario="broker-crash-fenced",
    broken="no-late-fence",
)
def nothing_expires(swaps: Swaps) -> None:
    """Never expires a lease."""
    swaps.attribute(fencing, "expire_one", lambda state, now_ms: None)


@mutant(
    "M59",
    "The timer of the lease check is never set again",
    defect="textbook: a lost timer",
    scenario="broker-crash-fenced",
    broken="no-late-fence",
)
def checks_once(swaps: Swaps) -> None:
    """Sets the next check of leases a billion milliseconds later."""
    swaps.attribute(Leases, "_next_check_ms", lambda leases, now_ms: now_ms + 10**9)


@mutant(
    "M61",
    "A heartbeat does not renew the lease",
    defect="Krabka: two handlers, two rules",
    scenario="steady-heartbeats",
    broken="no-early-fence",
)
def heartbeats_are_no_contact(swaps: Swaps) -> None:
    """Restores the time of the last contact after each heartbeat."""
    decided = Leases.decided

    def buggy(leases: Leases, note: LeaseNote, request: Any, *arguments: Any) -> bool:
        is_heartbeat = isinstance(note, HeartbeatNote)
        contact = leases._contacts.get(request.broker_id) if is_heartbeat else None
        is_first = decided(leases, note, request, *arguments)
        if contact is not None:
            leases._contacts[request.broker_id] = contact
        return is_first

    swaps.attribute(Leases, "decided", buggy)


@mutant(
    "M62",
    "The leases of a new leader have expired at its start",
    defect="robot-head/crabka#620; siblings of KAFKA-18138",
    scenario="active-controller-crash",
    broken="leases-are-rebuilt",
)
def takes_over_stale_entries(swaps: Swaps) -> None:
    """Begins the leases of a new leader two sessions in the past."""
    started = Leases.started

    def buggy(leases: Leases, registered: Any, now_ms: int) -> None:
        started(leases, registered, now_ms - 2 * leases._timeout_ms)

    swaps.attribute(Leases, "started", buggy)


@mutant(
    "M63",
    "The controller does not mark a broker with an expired lease as fenced",
    defect="robot-head/crabka#992",
    scenario="placement-beside-a-fenced-broker",
    broken="never[0]",
)
def expired_brokers_stay_unfenced(swaps: Swaps) -> None:
    """Leaves the broker of an expired lease marked as unfenced."""

    def placeable(leases: Leases, broker_id: int) -> None:
        leases._contacts.pop(broker_id, None)

    def registration_changed(leases: Leases, broker_id: int, fenced: bool) -> None:
        if broker_id in leases.liveness and not fenced:
            leases._touch(broker_id, False, -1)

    swaps.attribute(Leases, "expired", placeable)
    swaps.attribute(Leases, "registration_changed", registration_changed)
