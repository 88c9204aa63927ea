"""Bugs of leases: who is fenced when, and who is forgotten."""

from typing import Any

from kraftsim.controller.active import Active
from kraftsim.controller.core import heartbeats
from kraftsim.controller.core.heartbeats import ControlState
from kraftsim.controller.core.leases import Leases, Liveness
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerRegistrationRequest

from .mutant import Swaps, mutant
from .seams import meddling, next_state


@mutant(
    "M01",
    "A new leader forgets the brokers that were there",
    defect="KAFKA-18138, apache/kafka#18009",
    scenario="broker-dies-during-failover",
    broken="leases-are-rebuilt",
)
def forgets_whom_it_takes_over(swaps: Swaps) -> None:
    def started(leases: Leases, registered: Any, now_ms: int) -> None:
        leases.liveness.update({one.broker_id: Liveness(one.fenced) for one in registered})

    swaps.attribute(Leases, "started", started)


@mutant(
    "M09",
    "Unfencing waits for the end of the log",
    defect="KAFKA-13959, apache/kafka#12274",
    scenario="steady-heartbeats",
    broken="start",
)
def never_unfences(swaps: Swaps) -> None:
    next_state(swaps, lambda one, now: ControlState.FENCED if now is ControlState.FENCED else one)


@mutant(
    "M10",
    "The shutdown offset is bumped at each heartbeat",
    defect="KAFKA-14292, apache/kafka#12736",
    scenario="controlled-shutdown-chase",
    broken="shutdown-law",
)
def moves_the_shutdown_offset(swaps: Swaps) -> None:
    def shutting_down_from(leases: Leases, broker_id: int, offset: int) -> None:
        leases.liveness[broker_id].controlled_shutdown_offset = offset

    swaps.attribute(Leases, "shutting_down_from", shutting_down_from)


@mutant(
    "M41",
    "A lease is half as long as it says",
    defect="textbook",
    scenario="gc-pause-shorter-than-lease",
    broken="no-early-fence",
)
def sessions_are_half_as_long(swaps: Swaps) -> None:
    def first_expired(leases: Leases, now_ms: int) -> int | None:
        head = leases._head()
        return head[1] if head and head[0] + leases._timeout_ms // 2 < now_ms else None

    swaps.attribute(Leases, "first_expired", first_expired)


@mutant(
    "M42",
    "Nothing expires",
    defect="textbook: a lost sweep",
    scenario="broker-crash-fenced",
    broken="no-late-fence",
)
def nothing_expires(swaps: Swaps) -> None:
    swaps.attribute(heartbeats, "expire_one", lambda state, now_ms: None)


@mutant(
    "M43",
    "A broker is unfenced before it has caught up",
    defect="independent.md 2.5: fencing as an answer",
    scenario="steady-heartbeats",
    broken="unfence-needs-catch-up",
)
def unfences_at_once(swaps: Swaps) -> None:
    next_state(swaps, lambda one, now: ControlState.UNFENCED if now is ControlState.FENCED else one)


@mutant(
    "M44",
    "A controlled shutdown is never granted",
    defect="independent.md 2.4",
    scenario="controlled-shutdown-chase",
    broken="shutdown-is-granted",
)
def never_lets_go(swaps: Swaps) -> None:
    over, leaving = ControlState.SHUTDOWN_NOW, ControlState.CONTROLLED_SHUTDOWN
    next_state(swaps, lambda one, now: leaving if one is over else one)


@mutant(
    "M45",
    "A heartbeat with a stale epoch renews the lease of another incarnation",
    defect="textbook: accept stale epoch",
    scenario="zombie-after-takeover",
    broken="stale-epoch-powerless",
)
def any_heartbeat_is_a_contact(swaps: Swaps) -> None:
    meddling(
        swaps,
        BrokerHeartbeatRequest,
        lambda state, asked, now_ms: state.leases.note_contact(
            asked.broker_id, asked.broker_epoch, now_ms
        ),
    )


@mutant(
    "M08",
    "Soft state is changed before a registration is checked",
    defect="apache/kafka#16333",
    scenario="duplicate-broker-id",
    broken="refused-changes-nothing",
)
def registering_is_a_contact_at_once(swaps: Swaps) -> None:
    def touch(state: Any, asked: Any, now_ms: int) -> None:
        known = state.image.brokers.get(asked.broker_id)
        if known is not None:
            state.leases.note_contact(asked.broker_id, known.broker_epoch, now_ms)

    meddling(swaps, BrokerRegistrationRequest, touch)


@mutant(
    "M37",
    "The lease check is never armed again",
    defect="textbook: timer leak on re-register",
    scenario="broker-crash-fenced",
    broken="no-late-fence",
)
def checks_once(swaps: Swaps) -> None:
    swaps.attribute(Active, "_next_lease_check", lambda active, now_ms: now_ms + 10**9)
