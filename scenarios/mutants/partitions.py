"""Bugs of partitions: leaders, ISRs, placement of replicas, and brokers that leave."""

from dataclasses import replace
from typing import Any

from kraftsim.broker_agent.replication.in_sync import InSync
from kraftsim.controller.core.brokers import decommission, unregistration
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.image import replay
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.partitions import alter_partition, broker_changes, placement
from kraftsim.controller.core.rpc import (
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from kraftsim.controller.core.state import Decision, State

from .mutant import Swaps, mutant
from .seams import rewritten


@mutant(
    "M18",
    "A fenced replica joins the ISR",
    defect="KAFKA-13916, apache/kafka#12240, #12181",
    scenario="mute-broker",
    broken="leaders-and-isr-are-active",
)
def every_replica_is_eligible(swaps: Swaps) -> None:
    """Lets every replica that fetches join the ISR."""

    def replicas_out_of_isr(in_sync: InSync, image: Any) -> Any:
        return [
            (key, replica)
            for key in image.index.ailing(in_sync._config.broker_id)
            for replica in image.partition(key).replicas
            if replica not in image.partition(key).isr
        ]

    swaps.attribute(InSync, "_missing", replicas_out_of_isr)
    swaps.attribute(alter_partition, "_all_eligible", lambda state, data: True)


@mutant(
    "M21",
    "An unregistration returns success and does nothing",
    defect="apache/kafka#12205",
    scenario="decommission-while-running",
    broken="leaving-ends",
)
def unregistration_writes_nothing(swaps: Swaps) -> None:
    """Replies success to an unregistration and writes no record."""
    done = Decision(reply=UnregisterBrokerResponse())
    swaps.entry(HANDLERS, UnregisterBrokerRequest, lambda *_: done)


@mutant(
    "M35",
    "An unregistered broker stays in leaderships and replica sets",
    defect="textbook; Krabka: only the registration is removed",
    scenario="decommission-while-running",
    broken="unregister-removes-references",
)
def unregistering_keeps_references(swaps: Swaps) -> None:
    """Leaves the partitions of an unregistered broker unchanged."""
    swaps.attribute(unregistration, "_leave_partitions", lambda state, broker_id: [])


@mutant(
    "M53",
    "Replicas are placed on unregistered brokers",
    defect="textbook; Krabka: replicas on dead brokers",
    scenario="admin-flood-during-failover",
    broken="no-placement-on-unregistered",
)
def places_on_unknown_broker(swaps: Swaps) -> None:
    """Adds the unknown broker 99 to the replicas of each new partition."""
    rewritten(
        swaps,
        CreateTopicsRequest,
        r.PartitionRecord,
        lambda record: replace(record, replicas=(*record.replicas, 99)),
    )


@mutant(
    "M58",
    "A fenced broker keeps its leaderships",
    defect="textbook",
    scenario="broker-crash-fenced",
    broken="leaders-and-isr-are-active",
)
def fences_keep_leaderships(swaps: Swaps) -> None:
    """Leaves the partitions of a fenced broker unchanged."""
    swaps.attribute(broker_changes, "without_broker", lambda state, broker_id: [])


@mutant(
    "M72",
    "Replicas are placed on fenced brokers like on live ones",
    defect="robot-head/crabka#1202",
    scenario="placement-beside-a-fenced-broker",
    broken="calm[2]",
)
def placement_sees_no_fence(swaps: Swaps) -> None:
    """Marks every broker as unfenced for the placement."""
    candidates = placement.candidates

    def buggy(state: State) -> list[placement.Candidate]:
        return [replace(candidate, fenced=False) for candidate in candidates(state)]

    swaps.attribute(placement, "candidates", buggy)


@mutant(
    "M73",
    "The unregistration of an unknown broker gets the wrong error code",
    defect="robot-head/crabka#259",
    scenario="unregister-twice",
    broken="leads_to[0]",
)
def unknown_is_invalid(swaps: Swaps) -> None:
    """Returns INVALID_REQUEST for the unregistration of an unknown broker."""
    handler: Any = HANDLERS[UnregisterBrokerRequest]

    def buggy(state: State, request: Any, now_ms: int) -> Decision:
        if request.broker_id not in state.image.brokers:
            raise ApiError(ErrorCode.INVALID_REQUEST, "expected a broker")
        decision: Decision = handler(state, request, now_ms)
        return decision

    swaps.entry(HANDLERS, UnregisterBrokerRequest, buggy)


@mutant(
    "M74",
    'A partition change to "no leader" keeps the leader',
    defect="robot-head/crabka#998",
    scenario="last-replica-crash",
    broken="image-is-replay",
)
def no_leader_is_no_change(swaps: Swaps) -> None:
    """Replays a change to "no leader" as no change of the leader."""
    applier: Any = replay.APPLIERS[r.PartitionChangeRecord]

    def buggy(image: Any, record: r.PartitionChangeRecord, *position: int) -> None:
        if record.leader == r.NO_LEADER:
            record = replace(record, leader=r.NO_LEADER_CHANGE)
        applier(image, record, *position)

    swaps.entry(replay.APPLIERS, r.PartitionChangeRecord, buggy)


@mutant(
    "M75",
    "An unfenced broker is elected leader of no partition",
    defect="textbook: an unfence without elections",
    scenario="last-replica-crash",
    broken="leads_to[1]",
)
def unfence_elects_no_leader(swaps: Swaps) -> None:
    """Leaves the partitions of an unfenced broker unchanged."""
    swaps.attribute(broker_changes, "with_broker", lambda state, broker_id: [])


@mutant(
    "M76",
    "No replica returns to an ISR",
    defect="Krabka: AlterPartition that is never sent",
    scenario="broker-crash-fenced",
    broken="calm[1]",
)
def never_heals(swaps: Swaps) -> None:
    """Lets no leader ask for a larger ISR."""
    swaps.attribute(InSync, "_missing", lambda in_sync, image: [])


@mutant(
    "M77",
    "A decommission removes the last replica of a partition",
    defect="textbook: KIP-631's BROKER_REQUIRED_FOR_PARTITIONS not checked",
    scenario="decommission-last-replica",
    broken="never[0]",
)
def takes_the_last_replica(swaps: Swaps) -> None:
    """Forces every decommission."""
    handler: Any = decommission.decommission

    def buggy(state: State, request: Any, now_ms: int) -> Decision:
        decision: Decision = handler(state, replace(request, force=True), now_ms)
        return decision

    swaps.entry(HANDLERS, DecommissionBrokerRequest, buggy)
