"""Bugs of registration: ids, epochs and initial states."""

from dataclasses import replace
from typing import Any

from kraftsim.controller.core.brokers import registration
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.features import update_features
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.image import replay
from kraftsim.controller.core.image.broker import registration_of
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerRegistrationRequest
from kraftsim.controller.core.state import Decision, State
from kraftsim.controller.raft import fetch_answer

from .mutant import Swaps, mutant
from .seams import meddling, rewritten


@mutant(
    "M06",
    "A repeated registration of an incarnation gets another epoch",
    defect="KAFKA-16952, apache/kafka#16333",
    scenario="same-incarnation-resend",
    broken="epoch-law",
)
def always_a_new_epoch(swaps: Swaps) -> None:
    """Assigns a new broker epoch in every registration."""
    record_of = registration._register_record

    def buggy(state: State, *request: Any) -> r.RegisterBrokerRecord:
        return replace(record_of(state, *request), broker_epoch=state.next_offset)

    swaps.attribute(registration, "_register_record", buggy)


@mutant(
    "M07",
    "A repeated registration clears fencing and shutdown",
    defect="KAFKA-16757, apache/kafka#15945",
    scenario="same-incarnation-resend",
    broken="epoch-law",
)
def amending_clears_the_fence(swaps: Swaps) -> None:
    """Clears `fenced` and the shutdown when the same incarnation registers again."""
    record_of = registration._register_record

    def buggy(state: State, request: Any, amended: Any, *rest: Any) -> r.RegisterBrokerRecord:
        record = record_of(state, request, amended, *rest)
        if amended is None:
            return record
        return replace(record, fenced=False, in_controlled_shutdown=False)

    swaps.attribute(registration, "_register_record", buggy)


@mutant(
    "M08",
    "A registration changes soft state before it is checked",
    defect="apache/kafka#16333",
    scenario="duplicate-broker-id",
    broken="refused-changes-nothing",
)
def registering_is_a_contact_at_once(swaps: Swaps) -> None:
    """Counts a registration request as a contact before it is checked."""

    def touch(state: Any, request: Any, now_ms: int) -> None:
        known = state.image.brokers.get(request.broker_id)
        if known is not None:
            state.leases.note_contact(request.broker_id, known.broker_epoch, now_ms)

    meddling(swaps, BrokerRegistrationRequest, touch)


@mutant(
    "M13",
    "The cluster id is not checked",
    defect="KAFKA-13528, apache/kafka#11593",
    scenario="wrong-cluster-id",
    broken="foreign-cluster-leaves-no-trace",
)
def any_cluster(swaps: Swaps) -> None:
    """Skips the checks of the cluster id in registrations and fetches."""
    swaps.attribute(registration, "_check_cluster_id", lambda state, request: None)
    swaps.attribute(fetch_answer, "top_level_error", lambda leadership, request: ErrorCode.NONE)


@mutant(
    "M16",
    "Another incarnation takes the id of a broker in controlled shutdown",
    defect="KAFKA-19047, apache/kafka#19296; reverted by KAFKA-19130",
    scenario="restart-while-draining",
    broken="no-theft",
)
def draining_frees_the_id(swaps: Swaps) -> None:
    """Lets another incarnation take the id of a broker in controlled shutdown."""
    check = registration._check_no_other_incarnation

    def buggy(state: State, stored: Any, now_ms: int) -> None:
        if not stored.in_controlled_shutdown or stored.fenced:
            check(state, stored, now_ms)

    swaps.attribute(registration, "_check_no_other_incarnation", buggy)


@mutant(
    "M17",
    "A broker keeps leaderships and ISRs after an unclean shutdown",
    defect="KAFKA-18106, apache/kafka#18045",
    scenario="fast-restart-inside-lease",
    broken="leaders-and-isr-are-active",
)
def skips_cleanup_after_unclean_shutdown(swaps: Swaps) -> None:
    """Skips the cleanup of partitions after an unclean shutdown."""
    swaps.attribute(registration, "_cleanup", lambda state, stored, request: [])


@mutant(
    "M51",
    "Another incarnation takes the id of a live broker",
    defect="textbook: takeover of a broker id",
    scenario="duplicate-broker-id",
    broken="no-theft",
)
def no_session_is_valid(swaps: Swaps) -> None:
    """Treats every session as over when another incarnation registers."""
    swaps.attribute(Leases, "has_valid_session", lambda *_: False)


@mutant(
    "M52",
    "A crashed broker can never register again",
    defect="Krabka: the id of a crashed broker is refused forever",
    scenario="broker-crash-fenced",
    broken="progress-during",
)
def refuses_every_other_incarnation(swaps: Swaps) -> None:
    """Refuses every registration of another incarnation."""
    handler: Any = HANDLERS[BrokerRegistrationRequest]

    def buggy(state: State, request: Any, now_ms: int) -> Decision:
        known = state.image.brokers.get(request.broker_id)
        if known is not None and known.incarnation_id != request.incarnation_id:
            raise ApiError(ErrorCode.DUPLICATE_BROKER_REGISTRATION, "somebody is there, always")
        decision: Decision = handler(state, request, now_ms)
        return decision

    swaps.entry(HANDLERS, BrokerRegistrationRequest, buggy)


@mutant(
    "M54",
    "A registration loses the start time of its incarnation",
    defect="KAFKA-19586, apache/kafka#20331",
    scenario="same-incarnation-resend",
    broken="start-time-constant",
)
def registrations_lose_start_time(swaps: Swaps) -> None:
    """Replays a registration without the previous one, which has the start time."""

    def buggy(image: Any, record: Any, offset: int, timestamp_ms: int) -> None:
        image.own_brokers()[record.broker_id] = registration_of(record, None, offset, timestamp_ms)

    swaps.entry(replay.APPLIERS, r.RegisterBrokerRecord, buggy)


@mutant(
    "M57",
    "A new registration is unfenced",
    defect="Krabka: RegisterBrokerRecord written with fenced=false",
    scenario="steady-heartbeats",
    broken="epoch-law",
)
def begins_unfenced(swaps: Swaps) -> None:
    """Writes new registrations as unfenced."""
    rewritten(
        swaps,
        BrokerRegistrationRequest,
        r.RegisterBrokerRecord,
        lambda record: replace(record, fenced=False),
    )


@mutant(
    "M64",
    "A new incarnation gets the epoch of the previous one",
    defect="textbook: an epoch that does not identify an incarnation",
    scenario="broker-crash-fenced",
    broken="epoch-law",
)
def keeps_the_epoch(swaps: Swaps) -> None:
    """Gives a new incarnation the epoch of the previous one."""
    record_of = registration._register_record

    def buggy(state: State, request: Any, *rest: Any) -> r.RegisterBrokerRecord:
        record, stored = (
            record_of(state, request, *rest),
            state.image.brokers.get(request.broker_id),
        )
        return record if stored is None else replace(record, broker_epoch=stored.broker_epoch)

    swaps.attribute(registration, "_register_record", buggy)


@mutant(
    "M65",
    "A change of a registration has the epoch of an earlier incarnation",
    defect="Krabka: a stale change applies to the new epoch",
    scenario="steady-heartbeats",
    broken="one-incarnation-unfenced",
)
def changes_another_incarnation(swaps: Swaps) -> None:
    """Writes changes of registrations with the broker epoch reduced by 1."""
    swaps.attribute(replay, "_current", lambda image, broker_id, epoch: image.brokers[broker_id])
    rewritten(
        swaps,
        BrokerHeartbeatRequest,
        r.BrokerRegistrationChangeRecord,
        lambda record: replace(record, broker_epoch=record.broker_epoch - 1),
    )


@mutant(
    "M66",
    "A broker without support for the finalized features is registered",
    defect="robot-head/crabka#1243",
    scenario="rejected-registration-no-side-effects",
    broken="never[0]",
)
def any_features(swaps: Swaps) -> None:
    """Skips the check of a broker's supported features."""

    def buggy(state: State, request: Any) -> tuple[r.FeatureRange, ...]:
        return tuple(
            r.FeatureRange(
                name=feature.name,
                min_supported_version=feature.min_supported_version,
                max_supported_version=feature.max_supported_version,
            )
            for feature in request.features or ()
        )

    swaps.attribute(registration, "_checked_features", buggy)


@mutant(
    "M93",
    "A feature level is finalized that a registered broker does not support",
    defect="textbook; the reverse of strimzi/strimzi-kafka-operator#10296",
    scenario="rolling-upgrade-mixed",
    broken="never[1]",
)
def any_level(swaps: Swaps) -> None:
    """Skips the check that registered brokers support a new feature level."""
    swaps.attribute(update_features, "_unsupported", lambda *_: None)
