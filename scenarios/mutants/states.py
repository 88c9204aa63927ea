"""Bugs of the states of a registration: fenced, unfenced, in controlled shutdown (rule 2.12)."""

from typing import Any

from kraftsim.controller.core.brokers import heartbeats
from kraftsim.controller.core.brokers.heartbeats import (
    CONTROLLED_SHUTDOWN,
    FENCED,
    SHUTDOWN_NOW,
    UNFENCED,
    ControlState,
)
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.state import State

from .mutant import Swaps, mutant
from .seams import next_state


@mutant(
    "M09",
    "A broker is unfenced only at the end of the log",
    defect="KAFKA-13959, apache/kafka#12274",
    scenario="cold-start-100",
    broken="leads_to[0]",
)
def waits_for_the_end_of_the_log(swaps: Swaps) -> None:
    """Keeps a broker fenced until it has reached the end of the log."""
    decides: Any = heartbeats._next_state

    def buggy(
        state: State, broker: Any, liveness: Any, current: ControlState, request: Any
    ) -> ControlState:
        following: ControlState = decides(state, broker, liveness, current, request)
        is_behind = request.current_metadata_offset < state.next_offset - 1
        return FENCED if current is FENCED and following is UNFENCED and is_behind else following

    swaps.attribute(heartbeats, "_next_state", buggy)


@mutant(
    "M10",
    "Every heartbeat raises the shutdown offset",
    defect="KAFKA-14292, apache/kafka#12736",
    scenario="controlled-shutdown-chase",
    broken="shutdown-law",
)
def moves_the_shutdown_offset(swaps: Swaps) -> None:
    """Sets the shutdown offset at every heartbeat."""

    def shutting_down_from(leases: Leases, broker_id: int, offset: int) -> None:
        leases.liveness[broker_id].controlled_shutdown_offset = offset

    swaps.attribute(Leases, "shutting_down_from", shutting_down_from)


@mutant(
    "M12",
    "A broker in controlled shutdown keeps its leaderships",
    defect="KAFKA-14296, apache/kafka#12741",
    scenario="controlled-shutdown-chase",
    broken="leaders-and-isr-are-active",
)
def shutdown_moves_no_leadership(swaps: Swaps) -> None:
    """Drops the partition changes of a controlled shutdown."""
    writes = heartbeats._WRITES[CONTROLLED_SHUTDOWN]

    def buggy(state: State, broker: Any) -> list[r.Record]:
        changes = writes(state, broker)
        return [change for change in changes if not isinstance(change, r.PartitionChangeRecord)]

    swaps.entry(heartbeats._WRITES, CONTROLLED_SHUTDOWN, buggy)


@mutant(
    "M43",
    "A broker is unfenced before it has caught up",
    defect="textbook; robot-head/crabka#992",
    scenario="steady-heartbeats",
    broken="unfence-needs-catch-up",
)
def unfences_at_once(swaps: Swaps) -> None:
    """Unfences a fenced broker at its first heartbeat."""
    next_state(swaps, lambda state, now: UNFENCED if now is FENCED else state)


@mutant(
    "M44",
    "A controlled shutdown is never granted",
    defect="textbook: shutdown never granted",
    scenario="controlled-shutdown-chase",
    broken="shutdown-is-granted",
)
def never_grants_shutdown(swaps: Swaps) -> None:
    """Never grants a controlled shutdown."""
    next_state(swaps, lambda state, now: CONTROLLED_SHUTDOWN if state is SHUTDOWN_NOW else state)


@mutant(
    "M67",
    "A controlled shutdown is granted at once, while the broker leads partitions",
    defect="Krabka: a shutdown granted at once",
    scenario="controlled-shutdown-chase",
    broken="leads_to[1]",
)
def grants_shutdown_at_once(swaps: Swaps) -> None:
    """Grants a controlled shutdown at once."""
    next_state(swaps, lambda state, now: SHUTDOWN_NOW if state is CONTROLLED_SHUTDOWN else state)


@mutant(
    "M68",
    "A controlled shutdown does not wait until other brokers have read it",
    defect="Krabka: a shutdown that waits for leaderships alone",
    scenario="shutdown-waits-for-laggards",
    broken="never[0]",
)
def ignores_other_offsets(swaps: Swaps) -> None:
    """Ignores the offsets of other brokers when a shutdown is granted."""
    swaps.attribute(Leases, "lowest_active_offset", lambda leases: float("inf"))


@mutant(
    "M69",
    "A controlled shutdown writes no record",
    defect="Krabka: fencing in the response, without a record",
    scenario="controlled-shutdown-chase",
    broken="leads_to[1]",
)
def shutdown_is_not_written(swaps: Swaps) -> None:
    """Drops the registration change of a controlled shutdown."""
    writes = heartbeats._WRITES[CONTROLLED_SHUTDOWN]

    def buggy(state: State, broker: Any) -> list[r.Record]:
        changes = writes(state, broker)
        return [change for change in changes if isinstance(change, r.PartitionChangeRecord)]

    swaps.entry(heartbeats._WRITES, CONTROLLED_SHUTDOWN, buggy)


@mutant(
    "M70",
    "No replica is placed again on a broker that was shut down cleanly",
    defect="Krabka: a cleanly stopped broker is never placed",
    scenario="placement-beside-a-fenced-broker",
    broken="leads_to[0]",
)
def shutdown_offset_is_kept(swaps: Swaps) -> None:
    """Keeps the shutdown offset when a heartbeat changes the fencing."""

    def buggy(leases: Leases, broker_id: int, fenced: bool, metadata_offset: int) -> None:
        liveness = leases.liveness[broker_id]
        liveness.fenced, liveness.metadata_offset = fenced, metadata_offset

    swaps.attribute(Leases, "_touch", buggy)


@mutant(
    "M71",
    "A heartbeat of an unregistered broker gets the wrong error code",
    defect="Krabka: 102 where Kafka returns 77",
    scenario="decommission-while-running",
    broken="leads_to[0]",
)
def names_another_error(swaps: Swaps) -> None:
    """Replies BROKER_ID_NOT_REGISTERED to a stale heartbeat."""
    error = ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, "who is that?")
    swaps.attribute(heartbeats, "_stale", lambda broker, request: error)
