"""Bugs of registration, partitions and the fold: what is written, and what becomes of it."""

from dataclasses import replace
from typing import Any

from kraftsim.controller.core import brokers, partitions, replay
from kraftsim.controller.core import records as r
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.registration import registration_of
from kraftsim.controller.core.rpc import (
    BrokerRegistrationRequest,
    CreateTopicsRequest,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from kraftsim.controller.core.state import Decision, State

from .mutant import Swaps, mutant
from .seams import rewritten


@mutant(
    "M12",
    "A fenced broker keeps its leaderships",
    defect="KAFKA-14296, apache/kafka#12741",
    scenario="broker-crash-fenced",
    broken="leaders-and-isr-are-active",
)
def fences_keep_leaderships(swaps: Swaps) -> None:
    swaps.attribute(partitions, "without_broker", lambda state, broker_id: [])


@mutant(
    "M19",
    "Fencing is forgotten at the fold",
    defect="KAFKA-13841, apache/kafka#12075",
    scenario="active-controller-crash",
    broken="start",
)
def unfences_are_not_replayed(swaps: Swaps) -> None:
    applier: Any = replay.APPLIERS[r.BrokerRegistrationChangeRecord]

    def buggy(image: Any, record: Any, *where: int) -> None:
        applier(image, replace(record, fenced=0), *where)

    swaps.entry(replay.APPLIERS, r.BrokerRegistrationChangeRecord, buggy)


@mutant(
    "M07",
    "A new registration begins unfenced",
    defect="KAFKA-16757, apache/kafka#15945",
    scenario="steady-heartbeats",
    broken="epoch-law",
)
def begins_unfenced(swaps: Swaps) -> None:
    rewritten(
        swaps,
        BrokerRegistrationRequest,
        r.RegisterBrokerRecord,
        lambda one: replace(one, fenced=False),
    )


@mutant(
    "M51",
    "Another incarnation may always take an id",
    defect="textbook: theft",
    scenario="duplicate-broker-id",
    broken="no-theft",
)
def no_session_is_valid(swaps: Swaps) -> None:
    swaps.attribute(Leases, "has_valid_session", lambda *_: False)


@mutant(
    "M52",
    "A crashed broker can never come back under its id",
    defect="independent.md 2.3",
    scenario="broker-crash-fenced",
    broken="progress-during",
)
def refuses_every_other_incarnation(swaps: Swaps) -> None:
    handler: Any = HANDLERS[BrokerRegistrationRequest]

    def buggy(state: State, asked: Any, now_ms: int) -> Decision:
        known = state.image.brokers.get(asked.broker_id)
        if known is not None and known.incarnation_id != asked.incarnation_id:
            raise ApiError(ErrorCode.DUPLICATE_BROKER_REGISTRATION, "somebody is there, always")
        decision: Decision = handler(state, asked, now_ms)
        return decision

    swaps.entry(HANDLERS, BrokerRegistrationRequest, buggy)  # type: ignore[arg-type]


@mutant(
    "M35",
    "Unregistering leaves references",
    defect="textbook; independent.md 2.15",
    scenario="decommission-while-running",
    broken="unregister-removes-references",
)
def unregistering_keeps_references(swaps: Swaps) -> None:
    swaps.attribute(brokers, "_leave_partitions", lambda state, broker_id: [])


@mutant(
    "M21",
    "An unregistration is answered and not done",
    defect="apache/kafka#12205",
    scenario="decommission-while-running",
    broken="leaving-ends",
)
def says_that_it_left(swaps: Swaps) -> None:
    done = Decision(reply=UnregisterBrokerResponse())
    swaps.entry(HANDLERS, UnregisterBrokerRequest, lambda *_: done)  # type: ignore[arg-type]


@mutant(
    "M53",
    "Replicas are placed on brokers that there are not",
    defect="independent.md 2.13",
    scenario="admin-flood-during-failover",
    broken="no-placement-on-unregistered",
)
def places_on_strangers(swaps: Swaps) -> None:
    rewritten(
        swaps,
        CreateTopicsRequest,
        r.PartitionRecord,
        lambda one: replace(one, replicas=(*one.replicas, 99)),
    )


@mutant(
    "M54",
    "A restarted broker forgets since when it runs",
    defect="KAFKA-19586, apache/kafka#20331",
    scenario="same-incarnation-resend",
    broken="start-time-constant",
)
def registrations_forget_what_was(swaps: Swaps) -> None:
    def buggy(image: Any, record: Any, offset: int, timestamp_ms: int) -> None:
        image.brokers[record.broker_id] = registration_of(record, None, offset, timestamp_ms)

    swaps.entry(replay.APPLIERS, r.RegisterBrokerRecord, buggy)
