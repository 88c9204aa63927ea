"""Checks every step of a controller against properties S10 to S21 and S25 of a broker's state.

The checks read the records that the step wrote and the replies that it sent.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kraftsim.controller.core.errors import ApiError, Impossible
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.records import (
    FENCE,
    UNFENCE,
    BrokerRegistrationChangeRecord,
    RegisterBrokerRecord,
)
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
)
from kraftsim.controller.node.node import Node

from .controller_life import ControllerLife
from .identities import BROKER_ID
from .lone import Answer, Arrival
from .quorum_safety import Violation

Replies = Iterable[tuple[Arrival, Answer]]


class Before(NamedTuple):
    """The state of a controller before a step, which the checks compare with the state after it."""

    broker: BrokerRegistration | None
    contact_ms: int | None
    is_active: bool
    is_within_session: bool
    end_offset: int
    epoch: int

    @staticmethod
    def of(life: ControllerLife) -> "Before":
        """Returns the present state of a controller."""
        node = life.node
        return Before(
            broker=life.broker,
            contact_ms=_contact_ms(node),
            is_active=node.is_active,
            is_within_session=life.is_within_session,
            end_offset=node.log.end_offset,
            epoch=node.epoch,
        )


def _contact_ms(node: Node) -> int | None:
    return node.leases.contact_ms(BROKER_ID) if node.is_active else None


def check(
    before: Before, event: str, arguments: tuple[Any, ...], life: ControllerLife, replies: Replies
) -> None:
    """Raises `Violation` if the step broke a rule.

    `event` and `arguments` name the step, `replies` are the replies that it sent.
    """
    node = life.node
    written = _written(before, node)
    for _, record in written:
        _check_record(before, event, arguments, record)
    if event in ("receives", "receives_late") and isinstance(arguments[1], BrokerHeartbeatRequest):
        is_heeded = bool(written) or _contact_ms(node) != before.contact_ms
        _check_stale(before, arguments[1], is_heeded, replies)
    for arrival, reply in replies:
        _check_reply(node, arrival, reply)
    for image in (node.latest, node.committed):
        _check_leaders(image)
    _check_epochs(node)


def _written(before: Before, node: Node) -> list[tuple[int, Any]]:
    """Returns the records that the controller wrote as leader in this step, with their offsets."""
    if not before.is_active or node.epoch != before.epoch:
        return []
    return [record for record in _records(node) if record[0] >= before.end_offset]


def _records(node: Node) -> Iterator[tuple[int, Any]]:
    for batch in node.log.batches:
        if not batch.is_control:
            yield from enumerate(batch.records, batch.base_offset)


def _check_record(before: Before, event: str, arguments: tuple[Any, ...], record: Any) -> None:
    broker = before.broker
    match record:
        case RegisterBrokerRecord() if broker is not None:
            is_another = record.incarnation_id != broker.incarnation_id
            is_held = before.is_within_session and not broker.in_controlled_shutdown
            if not is_another and record.broker_epoch != broker.broker_epoch:
                raise Violation("S10", f"{broker} is given {record.broker_epoch}")
            if is_another and is_held and not broker.fenced:
                raise Violation("S12", f"{record.broker_epoch} takes the id of {broker}")
        case BrokerRegistrationChangeRecord(fenced=fenced) if fenced == FENCE:
            if event == "looks_at_the_leases" and before.is_within_session:
                raise Violation("S18", f"{record.broker_epoch} is fenced within its session")
        case BrokerRegistrationChangeRecord(fenced=fenced) if fenced == UNFENCE:
            request = arguments[1]
            registered = -1 if broker is None else broker.register_offset
            if request.want_fence or request.current_metadata_offset < registered:
                raise Violation("S21", f"{request} is unfenced, registered at {registered}")
        case _:
            pass


def _check_stale(
    before: Before, request: BrokerHeartbeatRequest, is_heeded: bool, replies: Replies
) -> None:
    """S15: a heartbeat whose epoch is not the registered epoch changes nothing."""
    known = None if before.broker is None else before.broker.broker_epoch
    if not before.is_active or request.broker_epoch == known:
        return
    refused = [reply for _, reply in replies if _is_refusal(reply)]
    if is_heeded or not refused:
        raise Violation("S15", f"{request} is heeded, the registered epoch is {known}")


def _is_refusal(reply: Answer) -> bool:
    return isinstance(reply, ApiError) or bool(getattr(reply, "error_code", 0))


def _check_reply(node: Node, arrival: Arrival, reply: Answer) -> None:
    """S16: a successful reply is sent only after its record is committed."""
    if _is_refusal(reply):
        return
    committed = [record for offset, record in _records(node) if offset < node.high_watermark]
    if isinstance(reply, BrokerRegistrationResponse):
        epochs = [
            record.broker_epoch for record in committed if isinstance(record, RegisterBrokerRecord)
        ]
        if reply.broker_epoch not in epochs:
            raise Violation(
                "S16",
                f"expected epoch {reply.broker_epoch} to be committed before {reply}, got "
                f"registrations of {epochs}",
            )
    if isinstance(reply, BrokerHeartbeatResponse) and not reply.is_fenced:
        if not isinstance(arrival.request, BrokerHeartbeatRequest):
            raise Impossible(f"expected a heartbeat before {reply}, got {arrival.request}")
        epoch, unfenced = arrival.request.broker_epoch, _unfenced_epochs(committed)
        if epoch not in unfenced:
            raise Violation(
                "S16",
                f"expected the unfencing of epoch {epoch} to be committed before {reply}, got "
                f"unfencings of {sorted(unfenced)}",
            )


def _unfenced_epochs(records: Iterable[Any]) -> set[int]:
    changes = (record for record in records if isinstance(record, BrokerRegistrationChangeRecord))
    return {change.broker_epoch for change in changes if change.fenced == UNFENCE}


def _check_leaders(image: Image) -> None:
    """S25: no fenced or unregistered broker leads a partition."""
    for topic in image.topics.values():
        for number, partition in topic.partitions.items():
            leader = image.brokers.get(partition.leader)
            if partition.leader >= 0 and (leader is None or leader.fenced):
                raise Violation("S25", f"{topic.name}-{number} is led by {partition.leader}")


def _check_epochs(node: Node) -> None:
    """S10: a new incarnation has a larger epoch than all earlier incarnations."""
    incarnations: dict[int, bytes] = {}
    for _, record in _records(node):
        if isinstance(record, RegisterBrokerRecord):
            epoch, incarnation = record.broker_epoch, record.incarnation_id
            is_new = incarnation not in incarnations.values()
            if incarnations.setdefault(epoch, incarnation) != incarnation:
                raise Violation("S10", f"two incarnations of epoch {epoch}")
            if is_new and epoch != max(incarnations):
                raise Violation("S10", f"{epoch} comes after {max(incarnations)}")
