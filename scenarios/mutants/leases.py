"""Bugs of leases: their begin, their end, and brokers without one."""

from functools import partial
from typing import Any

from kraftsim.broker_agent.agent import Agent
from kraftsim.controller.core.brokers import fencing
from kraftsim.controller.core.leases import ExpiryNote, HeartbeatNote, LeaseNote, Leases, Liveness
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.core.state import Decision, State
from kraftsim.controller.node.active import Active
from kraftsim.simulation.controller_process import ControllerProcess

from .mutant import Swaps, mutant
from .seams import meddling

BACKLOG_US = 2_500_000  # microseconds by which a busy controller handles its queue too late


@mutant(
    "M01",
    "A new leader has no leases for the registered brokers",
    defect="KAFKA-18138, apache/kafka#18009",
    scenario="broker-dies-during-failover",
    broken="leases-are-rebuilt",
)
def new_leader_has_no_leases(swaps: Swaps) -> None:
    """Gives a new leader no leases for registered brokers."""

    def started(leases: Leases, registered: Any, now_ms: int) -> None:
        leases.liveness.update({broker.broker_id: Liveness(broker.fenced) for broker in registered})

    swaps.attribute(Leases, "started", started)


@mutant(
    "M02",
    "A new leader gives leases to fenced brokers too",
    defect="KAFKA-19130, apache/kafka#19454",
    scenario="restart-after-failover",
    broken="leases-are-rebuilt",
)
def fenced_brokers_get_a_lease(swaps: Swaps) -> None:
    """Gives a new leader leases for all registered brokers, including fenced brokers."""

    def started(leases: Leases, registered: Any, now_ms: int) -> None:
        for broker in registered:
            leases.liveness[broker.broker_id] = Liveness(broker.fenced)
            leases.note_contact(broker.broker_id, broker.broker_epoch, now_ms)

    swaps.attribute(Leases, "started", started)


@mutant(
    "M03",
    "A heartbeat renews the lease when it is handled, not when it arrives",
    defect="KAFKA-17793, apache/kafka#17502",
    scenario="controller-stutters",
    broken="no-early-fence",
)
def handles_the_backlog_late(swaps: Swaps) -> None:
    """Handles the requests of a pause 2.5 s after the controller is resumed."""
    resume = ControllerProcess.resume

    def buggy(process: ControllerProcess) -> None:
        held, process._held = process._held, []
        resume(process)
        for request, reply_to in held:
            process._timeline.after(BACKLOG_US, partial(process.submit, request, reply_to))

    swaps.attribute(ControllerProcess, "resume", buggy)


@mutant(
    "M04",
    "A heartbeat that waits in the queue too long does not renew the lease",
    defect="KAFKA-15019, apache/kafka#13759",
    scenario="controller-stutters",
    broken="no-early-fence",
)
def drops_the_backlog(swaps: Swaps) -> None:
    """Drops the requests that arrive during a pause."""
    resume = ControllerProcess.resume

    def buggy(process: ControllerProcess) -> None:
        process._held = []
        resume(process)

    swaps.attribute(ControllerProcess, "resume", buggy)


@mutant(
    "M05",
    "All expired brokers are fenced from one view of the partitions",
    defect="KAFKA-13173, apache/kafka#11191",
    scenario="mass-expiry-same-instant",
    broken="leaders-and-isr-are-active",
)
def fences_all_on_one_view(swaps: Swaps) -> None:
    """Fences all expired brokers in one decision, computed from one view of the partitions."""

    def buggy(state: State, now_ms: int) -> Decision | None:
        records: list[Any] = []
        note = None
        while (broker_id := state.leases.first_expired(now_ms)) is not None:
            records += fencing.fence(state, state.image.brokers[broker_id])
            note = ExpiryNote(broker_id=broker_id)
            state.leases.expired(broker_id)
        return None if note is None else Decision(records=tuple(records), note=note)

    swaps.attribute(fencing, "expire_one", buggy)


@mutant(
    "M31",
    "Leases expire by the wall clock",
    defect="textbook: fence on wall clock",
    scenario="clock-step-on-active",
    broken="no-early-fence",
)
def judges_by_the_wall_clock(swaps: Swaps) -> None:
    """Adds the steps of the wall clock to the time at which leases are checked."""
    on_deadline, expire_one = Active.on_deadline, fencing.expire_one
    first: dict[int, int] = {}
    stepped_ms = [0]

    def note_wall_clock(active: Active, turn: Any) -> None:
        apart_ms = turn.wall_ms - turn.now_ms
        stepped_ms[0] = apart_ms - first.setdefault(active.state.node_id, apart_ms)
        on_deadline(active, turn)

    def buggy(state: State, now_ms: int) -> Decision | None:
        return expire_one(state, now_ms + stepped_ms[0])

    swaps.attribute(Active, "on_deadline", note_wall_clock)
    swaps.attribute(fencing, "expire_one", buggy)


@mutant(
    "M32",
    "A lease begins when the heartbeat was sent",
    defect="textbook: lease from send time",
    scenario="heartbeats-that-travel-long",
    broken="no-early-fence",
)
def runs_from_the_sending(swaps: Swaps) -> None:
    """Begins a lease at the time when the heartbeat was sent."""
    communicate, decided = Agent._communicate, Leases.decided
    sent_ms: dict[int, int] = {}

    def note_sending_time(agent: Agent, now_ms: int) -> Any:
        sends = communicate(agent, now_ms)
        if sends:
            sent_ms[agent.config.broker_id] = now_ms
        return sends

    def buggy(leases: Leases, note: LeaseNote, request: Any, now_ms: int) -> bool:
        if isinstance(note, HeartbeatNote):
            now_ms = sent_ms.get(request.broker_id, now_ms)
        return decided(leases, note, request, now_ms)

    swaps.attribute(Agent, "_communicate", note_sending_time)
    swaps.attribute(Leases, "decided", buggy)


@mutant(
    "M34",
    "A heartbeat with a stale epoch renews the lease of another incarnation",
    defect="textbook: accept stale epoch",
    scenario="zombie-after-takeover",
    broken="stale-epoch-powerless",
)
def any_heartbeat_is_a_contact(swaps: Swaps) -> None:
    """Counts every heartbeat as a contact, whatever its epoch."""
    meddling(
        swaps,
        BrokerHeartbeatRequest,
        lambda state, request, now_ms: state.leases.note_contact(
            request.broker_id, request.broker_epoch, now_ms
        ),
    )


@mutant(
    "M38",
    "The lease of the previous incarnation fences the new one",
    defect="textbook: timer leak on re-register",
    scenario="fast-restart-inside-lease",
    broken="no-early-fence",
)
def leaks_a_timer(swaps: Swaps) -> None:
    """Keeps the deadline of the previous incarnation's lease after a new registration."""
    registered, first_expired = Leases.registered, Leases.first_expired
    leaked_ms: dict[int, int] = {}

    def keep_deadline(leases: Leases, broker_id: int, *epoch: int, **flags: Any) -> None:
        contact_ms = leases.contact_ms(broker_id)
        if contact_ms is not None and not flags["amends"]:
            leaked_ms[broker_id] = contact_ms + leases._timeout_ms
        registered(leases, broker_id, *epoch, **flags)

    def buggy(leases: Leases, now_ms: int) -> int | None:
        for broker_id, due_ms in leaked_ms.items():
            if due_ms < now_ms:
                del leaked_ms[broker_id]
                return broker_id
        return first_expired(leases, now_ms)

    swaps.attribute(Leases, "registered", keep_deadline)
    swaps.attribute(Leases, "first_expired", buggy)
